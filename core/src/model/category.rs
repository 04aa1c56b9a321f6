//! What kind of error a failed call met: a closed list.

use super::words;

words! {
    /// What kind of error a failed call met. The list is closed: adding a word raises the schema version.
    #[derive(Default)]
    pub enum Category {
        /// The program is missing.
        CommandNotFound = "command_not_found",
        /// Refused by the operating system or a sandbox.
        PermissionDenied = "permission_denied",
        /// A file or directory is missing, or the working directory is wrong.
        PathNotFound = "path_not_found",
        /// A package or module is missing or cannot be resolved.
        DependencyMissing = "dependency_missing",
        /// A setting, variable or identity is missing; the wrong architecture.
        ConfigOrState = "config_or_state",
        /// Not logged in, no rights, a locked key.
        AuthRequired = "auth_required",
        /// A remote object does not exist.
        RemoteNotFound = "remote_not_found",
        /// A service, daemon or tool server refuses or faults.
        ServiceError = "service_error",
        /// Disk, memory or quota is used up.
        ResourceExhausted = "resource_exhausted",
        /// A time limit ended it.
        Timeout = "timeout",
        /// Transport or TLS.
        Network = "network",
        /// Told to slow down.
        RateLimit = "rate_limit",
        /// A lock file, port or device is in use.
        ResourceBusy = "resource_busy",
        /// Tests ran and failed.
        TestFailure = "test_failure",
        /// Source or configuration does not parse, type-check or link.
        CompileError = "compile_error",
        /// Findings of a linter or formatter.
        LintError = "lint_error",
        /// Throw-away code in the call itself is wrong.
        ScriptError = "script_error",
        /// A program of the project faults.
        RuntimeError = "runtime_error",
        /// A commit hook stopped the commit.
        CommitHookFailed = "commit_hook_failed",
        /// A status query tells of failed checks.
        CiCheckFailed = "ci_check_failed",
        /// Quoting, expansion, or an embedded jq, sed or awk program is broken.
        ShellSyntax = "shell_syntax",
        /// The text to edit is absent, ambiguous or unchanged.
        EditNoMatch = "edit_no_match",
        /// The file was not read, or changed since it was read.
        ReadBeforeEdit = "read_before_edit",
        /// A wrong flag, subcommand, schema or kind of target.
        BadArguments = "bad_arguments",
        /// Over the tool's size limit.
        TooLarge = "too_large",
        /// The tool, agent or skill does not exist here.
        ToolUnavailable = "tool_unavailable",
        /// Version control refuses for the state it is in.
        VcsState = "vcs_state",
        /// A conflict of a merge, rebase, stash or cherry-pick.
        MergeConflict = "merge_conflict",
        /// None of these.
        #[default]
        Unknown = "unknown",
    }
}

impl Category {
    /// Whether it is what checks find that are run until they are green: tests, compilers, linters, commit hooks, CI.
    pub const fn is_of_check(self) -> bool {
        matches!(
            self,
            Self::TestFailure | Self::CompileError | Self::LintError | Self::CommitHookFailed | Self::CiCheckFailed
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Category;

    #[test]
    fn words_round_trip() {
        for category in Category::ALL {
            assert_eq!(Category::from_word(category.as_str()), Some(category));
            assert_eq!(serde_json::to_string(&category).unwrap(), format!("\"{}\"", category.as_str()));
        }
    }
}
