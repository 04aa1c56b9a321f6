//! The strategies, in the order in which equal ones are told. Each row has a page under `rules/strategies`.

use super::case::{Case, Offered};
use super::strategies::{
    arguments, ask, dependencies, edits, forms, learned, looks, manifests, names, paths, programs, refused,
    repositories, resources, services, settings, syntax, time, vcs, work,
};
use crate::model::Category::{
    self, AuthRequired, BadArguments, CiCheckFailed, CommandNotFound, CommitHookFailed, CompileError, ConfigOrState,
    DependencyMissing, EditNoMatch, LintError, MergeConflict, Network, PathNotFound, PermissionDenied, RateLimit,
    ReadBeforeEdit, RemoteNotFound, ResourceBusy, ResourceExhausted, RuntimeError, ScriptError, ServiceError,
    ShellSyntax, TestFailure, Timeout, TooLarge, ToolUnavailable, Unknown, VcsState,
};

/// A way past a failure.
pub struct Strategy {
    /// Its name, on the wire and as its page.
    pub name: &'static str,
    /// What it does, in words.
    pub description: &'static str,
    /// How sure it is to help, before anything is known of how it went: from 0 to 1. The numbers of the inherited
    /// document where it has the strategy.
    pub confidence: f64,
    /// How many turns of the agent it takes.
    pub iterations: u32,
    /// The categories that it is for.
    pub categories: &'static [Category],
    /// Whether it asks a person.
    pub asks: bool,
    /// What is done here, or why nothing is.
    pub(super) offer: fn(&Case<'_>) -> Offered,
}

const fn acts(
    name: &'static str,
    numbers: (f64, u32),
    categories: &'static [Category],
    description: &'static str,
    offer: fn(&Case<'_>) -> Offered,
) -> Strategy {
    Strategy { name, description, confidence: numbers.0, iterations: numbers.1, categories, asks: false, offer }
}

const fn asks(
    name: &'static str,
    confidence: f64,
    categories: &'static [Category],
    description: &'static str,
    offer: fn(&Case<'_>) -> Offered,
) -> Strategy {
    Strategy { name, description, confidence, iterations: 1, categories, asks: true, offer }
}

/// What a program could not do because its manifest or its names are elsewhere may be read as any of these.
const NAMES: &[Category] = &[
    BadArguments,
    ConfigOrState,
    PathNotFound,
    VcsState,
    RemoteNotFound,
    CommandNotFound,
    DependencyMissing,
    CompileError,
    Unknown,
    RuntimeError,
    ScriptError,
    LintError,
    ShellSyntax,
    TestFailure,
    Network,
];
/// A program may say of what it cannot write that it is missing, or that it failed.
const WRITES: &[Category] =
    &[PathNotFound, RuntimeError, ScriptError, PermissionDenied, CompileError, ConfigOrState, BadArguments, Unknown];
/// What a program needs in another form may be read as any of these.
const ANY_CALL: &[Category] = &[
    BadArguments,
    PathNotFound,
    ConfigOrState,
    VcsState,
    ResourceBusy,
    ShellSyntax,
    RuntimeError,
    CompileError,
    DependencyMissing,
    ScriptError,
    CommitHookFailed,
    MergeConflict,
    RemoteNotFound,
    Network,
    ServiceError,
    TestFailure,
    CommandNotFound,
    LintError,
    PermissionDenied,
    Timeout,
    Unknown,
];
/// What a place in a file explains.
const PLACES: &[Category] = &[
    TestFailure,
    CompileError,
    LintError,
    RuntimeError,
    ScriptError,
    CommitHookFailed,
    ShellSyntax,
    ConfigOrState,
    Unknown,
];
/// What the other side of a connection explains.
const ANSWERS: &[Category] = &[ServiceError, Network, RateLimit, ResourceBusy, Unknown, RuntimeError];
/// Every category without an asking strategy of its own.
const OTHERS: &[Category] = &[
    PathNotFound,
    ConfigOrState,
    RemoteNotFound,
    ServiceError,
    ResourceExhausted,
    Timeout,
    Network,
    RateLimit,
    ResourceBusy,
    TestFailure,
    CompileError,
    LintError,
    ScriptError,
    RuntimeError,
    CommitHookFailed,
    CiCheckFailed,
    ShellSyntax,
    EditNoMatch,
    ReadBeforeEdit,
    BadArguments,
    TooLarge,
    ToolUnavailable,
    VcsState,
    MergeConflict,
    Unknown,
];

/// Every strategy.
#[rustfmt::skip]
pub const STRATEGIES: &[Strategy] = &[
    acts("use_what_worked", (0.67, 1), &Category::ALL, "Do what worked here in earlier sessions", learned::use_what_worked),
    acts("use_project_program", (0.95, 1), &[CommandNotFound, CommitHookFailed, DependencyMissing, RuntimeError, ScriptError], "Run the project's own program", programs::use_project_program),
    acts("curl_download_and_extract", (0.9, 3), &[CommandNotFound], "Download repository tarball via curl and extract with tar", programs::curl_download_and_extract),
    acts("try_alternative_command", (0.6, 2), &[CommandNotFound], "Use alternative command or approach", programs::try_alternative_command),
    asks("ask_user_for_setup", 0.8, &[CommandNotFound, DependencyMissing], "Request user to install missing command or provide alternative", ask::ask_user_for_setup),
    acts("use_alternative_tool", (0.7, 1), &[ToolUnavailable, CommandNotFound], "Use an available tool", programs::use_alternative_tool),
    acts("decompose_to_basic_tools", (0.6, 3), &[ToolUnavailable], "Do it by listing and reading", programs::decompose_to_basic_tools),
    acts("try_sandbox_directory", (0.9, 2), &[PermissionDenied], "Write to sandbox-relative path instead", refused::try_sandbox_directory),
    acts("run_with_interpreter", (0.9, 1), &[PermissionDenied], "Let the script's interpreter read it", refused::run_with_interpreter),
    asks("ask_user_for_permissions", 0.8, &[PermissionDenied, AuthRequired], "Ask the person for the right or the login, or for another place", ask::ask_user_for_permissions),
    acts("run_in_background", (0.9, 1), &[Timeout, Unknown], "Start the endless program in the background", time::run_in_background),
    acts("reduce_scope", (0.8, 2), &[Timeout], "Retry with smaller scope or simpler parameters", time::reduce_scope),
    acts("increase_timeout", (0.5, 1), &[Timeout], "Retry with a longer time limit", time::increase_timeout),
    acts("run_in_manifest_folder", (0.95, 1), NAMES, "Run it in the folder where its manifest is", manifests::run_in_manifest_folder),
    acts("copy_the_example", (0.9, 1), &[PathNotFound, ConfigOrState, RuntimeError, ScriptError, BadArguments, CompileError, DependencyMissing, Unknown], "Copy the project's example", settings::copy_the_example),
    acts("make_the_folder", (0.95, 1), WRITES, "Create the folder that the call writes to", paths::make_the_folder),
    acts("verify_path_with_listing", (0.9, 2), &[PathNotFound, CommandNotFound, RuntimeError, ScriptError], "List parent directory to find correct file path", paths::verify_path_with_listing),
    acts("search_for_file", (0.7, 2), &[PathNotFound], "Search the project for the file", paths::search_for_file),
    acts("list_the_directory", (0.9, 1), &[BadArguments, PathNotFound, RuntimeError, PermissionDenied, CommandNotFound, Unknown], "List the folder", paths::list_the_directory),
    acts("fix_parameter_types", (1.0, 1), &[BadArguments], "Give each argument under the name and in the type that the tool takes", arguments::fix_parameter_types),
    acts("use_needed_form", (0.95, 1), ANY_CALL, "Use the form that the program needs", forms::use_needed_form),
    acts("use_suggested_name", (0.9, 1), NAMES, "Use the existing name", names::use_suggested_name),
    acts("list_declared_names", (0.7, 1), NAMES, "List the names", names::list_declared_names),
    acts("use_the_files_own_text", (0.95, 1), &[EditNoMatch], "Edit the text as the file has it", edits::use_the_files_own_text),
    acts("edit_where_it_stands", (0.9, 2), &[EditNoMatch, PathNotFound], "Edit the file that contains the text", edits::edit_where_it_stands),
    acts("read_then_edit", (0.9, 2), &[EditNoMatch], "Read the file, then edit its current text", edits::read_then_edit),
    acts("read_then_repeat", (0.95, 1), &[ReadBeforeEdit], "Read the file, then make the same change", edits::read_then_repeat),
    acts("read_in_parts", (0.9, 1), &[TooLarge], "Read a part at a time", arguments::read_in_parts),
    acts("wait_for_the_lock", (0.85, 1), &[ResourceBusy, VcsState], "Wait until the lock is gone", time::wait_for_the_lock),
    acts("use_free_port", (0.85, 1), &[ResourceBusy, ServiceError, RuntimeError, Network, Unknown], "Use a free port", time::use_free_port),
    acts("retry_with_backoff", (0.7, 2), &[Network, ServiceError, RateLimit, ResourceBusy], "Wait, then make the same call once", time::retry_with_backoff),
    acts("use_suggested_command", (0.9, 2), &[ResourceBusy, DependencyMissing, VcsState, ConfigOrState, CompileError, Unknown, RemoteNotFound], "Run the command that the tool suggests", vcs::use_suggested_command),
    acts("install_project_dependencies", (0.8, 2), &[DependencyMissing, CommandNotFound], "Install what the project's manifest names", dependencies::install_project_dependencies),
    acts("set_changes_aside", (0.8, 3), &[VcsState], "Stash the changes, repeat the call, pop the stash", vcs::set_changes_aside),
    acts("bring_up_to_date", (0.8, 3), &[VcsState], "Rebase your commits onto the remote branch", vcs::bring_up_to_date),
    acts("complete_the_repository", (0.92, 1), &[VcsState, PathNotFound, BadArguments, ConfigOrState, RemoteNotFound, MergeConflict, RuntimeError, Unknown], "Fetch what the repository lacks", repositories::complete_the_repository),
    acts("switch_to_existing", (0.8, 2), &[VcsState], "Switch to the existing branch", vcs::switch_to_existing),
    acts("fix_syntax", (0.8, 1), &[ShellSyntax, BadArguments, CommandNotFound, PathNotFound, PermissionDenied, RuntimeError, ScriptError, CompileError, ConfigOrState, TooLarge, Unknown], "Fix the line", syntax::fix_syntax),
    acts("use_simpler_command", (0.9, 2), &[ShellSyntax], "Check the line, then run it in smaller parts", syntax::use_simpler_command),
    acts("run_failed_test_alone", (0.8, 2), &[TestFailure], "Run the failed test alone", work::run_failed_test_alone),
    acts("read_the_place", (0.7, 2), PLACES, "Read the lines that the error speaks of", work::read_the_place),
    acts("retry_with_modifications", (0.4, 2), &[Unknown, ShellSyntax, RuntimeError, ScriptError, CompileError, TestFailure, LintError, CommitHookFailed, ConfigOrState], "Repeat the call with its hidden output shown", resources::show_what_was_hidden),
    acts("look_at_state", (0.6, 2), &[ResourceBusy, ServiceError, Network, RateLimit, DependencyMissing, ConfigOrState, AuthRequired, VcsState, MergeConflict, RemoteNotFound, CommitHookFailed, CiCheckFailed, BadArguments, Unknown, RuntimeError, ScriptError, CompileError, LintError, TestFailure, PathNotFound], "Look at the state behind the failure", looks::look_at_state),
    acts("use_the_port_that_listens", (0.93, 1), ANSWERS, "Use the port that the service listens on", services::use_the_port_that_listens),
    asks("ask_user_for_help", 0.9, OTHERS, "Ask the user", ask::ask_user_for_help),
];

/// The strategy of a name.
pub fn strategy_named(name: &str) -> Option<&'static Strategy> {
    STRATEGIES.iter().find(|strategy| strategy.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_category_has_one_that_acts_and_one_that_asks() {
        for category in Category::ALL {
            let own = || STRATEGIES.iter().filter(|strategy| strategy.categories.contains(&category));
            assert!(own().any(|strategy| !strategy.asks), "{category:?} has none that acts or looks");
            assert_eq!(own().filter(|strategy| strategy.asks).count(), 1, "{category:?}");
        }
    }

    #[test]
    fn names_are_unique_and_numbers_are_in_range() {
        for (at, strategy) in STRATEGIES.iter().enumerate() {
            assert!(STRATEGIES.iter().skip(at + 1).all(|other| other.name != strategy.name), "{}", strategy.name);
            assert!(strategy.confidence > 0.0 && strategy.confidence <= 1.0 && strategy.iterations > 0);
        }
    }
}
