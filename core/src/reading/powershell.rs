//! What PowerShell's error records tell: their names stay in English, whatever language the message is in.

use crate::model::Category as C;

/// The beginning of an error's id, and what it is. The order is the priority. (`FullyQualifiedErrorId`)
const IDS: &[(&str, C)] = &[
    ("CommandNotFound", C::CommandNotFound),
    ("PathNotFound", C::PathNotFound),
    ("ItemNotFound", C::PathNotFound),
    ("FileNotFound", C::PathNotFound),
    ("DirectoryNotFound", C::PathNotFound),
    ("DriveNotFound", C::PathNotFound),
    ("NamedParameterNotFound", C::BadArguments),
    ("PositionalParameterNotFound", C::BadArguments),
    ("AmbiguousParameter", C::BadArguments),
    ("MissingArgument", C::BadArguments),
    ("MissingMandatoryParameter", C::BadArguments),
    ("CannotConvertArgument", C::BadArguments),
    ("ParameterArgument", C::BadArguments),
    ("ParameterAlreadyBound", C::BadArguments),
    ("Modules_ModuleNotFound", C::DependencyMissing),
    ("ModuleNotFound", C::DependencyMissing),
    ("ModuleNameNotFound", C::DependencyMissing),
    ("TypeNotFound", C::ScriptError),
    ("InvokeMethodOnNull", C::ScriptError),
    ("MethodNotFound", C::ScriptError),
    ("PropertyNotFound", C::ScriptError),
    ("NullArray", C::ScriptError),
    ("VariableIsUndefined", C::ScriptError),
    ("UnauthorizedAccess", C::PermissionDenied),
];

/// What a category of records is, where the id says nothing. (`CategoryInfo`)
const KINDS: &[(&str, C)] = &[
    ("ParserError", C::ShellSyntax),
    ("SyntaxError", C::ShellSyntax),
    ("PermissionDenied", C::PermissionDenied),
    ("SecurityError", C::PermissionDenied),
    ("AuthenticationError", C::AuthRequired),
    ("ObjectNotFound", C::PathNotFound),
    ("NotInstalled", C::DependencyMissing),
    ("ConnectionError", C::ServiceError),
    ("ResourceBusy", C::ResourceBusy),
    ("LimitsExceeded", C::ResourceExhausted),
    ("QuotaExceeded", C::ResourceExhausted),
    ("OperationTimeout", C::Timeout),
    ("InvalidArgument", C::BadArguments),
];

/// What the first error record of the text is, and the line of it that says so.
pub(super) fn error_record(text: &str) -> Option<(C, &str)> {
    let find = |name: &str, known: &[(&str, C)]| {
        text.lines().find_map(|line| {
            let value = field(line, name)?;
            known.iter().find(|(start, _)| value.starts_with(start)).map(|(_, category)| (*category, line.trim()))
        })
    };
    (text.contains("FullyQualifiedErrorId") || text.contains("CategoryInfo"))
        .then(|| find("FullyQualifiedErrorId", IDS).or_else(|| find("CategoryInfo", KINDS)))
        .flatten()
}

/// The value of a field of a record: `+ CategoryInfo          : ParserError: (:) []`.
fn field<'t>(line: &'t str, name: &str) -> Option<&'t str> {
    let rest = line.trim_start().strip_prefix("+ ")?.strip_prefix(name)?;
    Some(rest.trim_start().strip_prefix(':')?.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_by_its_id_and_then_by_its_category() {
        let text = "Zugriff verweigert\n    + CategoryInfo          : PermissionDenied: (x:FileInfo) [Remove-Item]\n    + FullyQualifiedErrorId : NativeCommandError\n";
        assert_eq!(error_record(text).map(|(category, _)| category), Some(C::PermissionDenied));
        let text = "x\n    + CategoryInfo          : ObjectNotFound: (x:String) []\n    + FullyQualifiedErrorId : CommandNotFoundException\n";
        assert_eq!(error_record(text).map(|(category, _)| category), Some(C::CommandNotFound));
        assert_eq!(error_record("the FullyQualifiedErrorId : CommandNotFoundException is shown"), None);
        assert_eq!(error_record("+ FullyQualifiedErrorId : RuntimeException"), None);
    }
}
