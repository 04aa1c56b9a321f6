//! Ruby's and PHP's test runners and linters; Elixir, Dart, Lua.

use crate::model::Category as C;
use crate::reading::row::{Reach, RowScope, ToolTable, failed, finding, idle, location, passed, weak};

pub(super) const RSPEC: ToolTable = ToolTable {
    name: "rspec",
    scope: RowScope::Runs(&["rspec", "rails test", "rails spec", "minitest", "rake test", "rake spec"], Reach::Task),
    usual: C::TestFailure,
    rows: &[
        finding("rspec {file}:# \\# {object}", C::TestFailure),
        finding("rspec '{file}[*]' \\# {object}", C::TestFailure),
        finding("cannot load such file -- {path}_spec.rb$", C::PathNotFound),
        finding("cannot load such file -- {package}$", C::DependencyMissing),
        finding("An error occurred while loading {file}", C::TestFailure),
        finding("{name}\\#{word} [{file}:#]:$", C::TestFailure).needle(".rb:"),
        location("\\# ./{file}:#:in "),
        location("{file}.rb:#: syntax error"),
        failed("# example*, % failure", C::TestFailure),
        failed("# example*, # failures, % error", C::TestFailure),
        failed("# runs, # assertions, % failure", C::TestFailure),
        failed("# runs, # assertions, 0 failures, % error", C::TestFailure),
        passed("# example*, 0 failures"),
        passed("# runs, # assertions, 0 failures, 0 errors"),
    ],
};

pub(super) const RUBOCOP: ToolTable = ToolTable {
    name: "rubocop",
    scope: RowScope::Runs(&["rubocop", "reek"], Reach::Task),
    usual: C::LintError,
    rows: &[
        finding("{file}:#:#: C: *{word}/{word}: {msg}", C::LintError),
        finding("{file}:#:#: W: *{word}/{word}: {msg}", C::LintError),
        finding("{file}:#:#: E: *{word}/{word}: {msg}", C::LintError),
        failed("# file* inspected, % offense", C::LintError),
        passed("# file* inspected, no offenses"),
    ],
};

pub(super) const PHPUNIT: ToolTable = ToolTable {
    name: "phpunit",
    scope: RowScope::Runs(&["phpunit", "pest", "artisan test", "php artisan test", "composer"], Reach::Task),
    usual: C::TestFailure,
    rows: &[
        finding("#) {name}::{word}$", C::TestFailure).needle("Test::"),
        finding("#) {name}::{word} with data set *", C::TestFailure),
        finding("FAILED {name} > {object}", C::TestFailure),
        finding("⨯ {object} #.#s", C::TestFailure),
        location("{file}.php:#$"),
        failed("FAILURES!$", C::TestFailure),
        failed("ERRORS!$", C::TestFailure),
        failed("Tests: % failed", C::TestFailure),
        failed("Tests: #, Assertions: #, Failures: %", C::TestFailure),
        failed("Tests: #, Assertions: #, Errors: %", C::TestFailure),
        idle("No tests executed!"),
        passed("OK (# test"),
        passed("Tests: #, Assertions: #, Skipped: #"),
    ],
};

pub(super) const PHP_LINTERS: ToolTable = ToolTable {
    name: "phpstan",
    scope: RowScope::Runs(&["phpstan", "psalm", "phpcs", "php-cs-fixer", "pint"], Reach::Task),
    usual: C::LintError,
    rows: &[
        finding("# | ERROR | {msg}", C::LintError),
        finding("{file}.php:#:#: warning - {msg}", C::LintError),
        finding("FOUND % ERROR", C::LintError),
        failed("*Found % of # files that can be fixed", C::LintError),
        passed("[OK] No errors"),
        passed("Found 0 of # files that can be fixed"),
    ],
};

pub(super) const PHP_SYNTAX: ToolTable = ToolTable {
    name: "php -l",
    scope: RowScope::Runs(&["php -l", "php --syntax-check"], Reach::Direct),
    usual: C::CompileError,
    rows: &[finding("*PHP Parse error: {msg}", C::CompileError), failed("Errors parsing {file}", C::CompileError)],
};

pub(super) const PHP: ToolTable = ToolTable {
    name: "php",
    scope: RowScope::Runs(&["php", "artisan"], Reach::Loose),
    usual: C::RuntimeError,
    rows: &[
        finding("*PHP Parse error: {msg} in {file} on line #", C::CompileError),
        finding("*PHP Parse error: {msg}", C::CompileError),
        finding("Parse error: syntax error, {msg} in {file} on line #", C::CompileError),
        finding("Parse error: syntax error, {msg}", C::CompileError),
        finding("*Class \"{object}\" not found", C::RuntimeError),
        finding("SQLSTATE[HY000] [2002] {msg}", C::ServiceError),
        finding("SQLSTATE[*]: {msg}", C::RuntimeError),
        finding("*Allowed memory size of # bytes exhausted", C::ResourceExhausted),
        finding("*Failed opening required '{path}'", C::PathNotFound),
        finding("PHP Fatal error: {msg} in {file}:#$", C::RuntimeError),
        finding("PHP Fatal error: {msg} in {file} on line #", C::RuntimeError),
        finding("PHP Fatal error: {msg}", C::RuntimeError),
        finding("Could not open input file: {path}", C::PathNotFound),
        finding("Command \"{object}\" is not defined.", C::BadArguments),
    ],
};

pub(super) const ELIXIR: ToolTable = ToolTable {
    name: "mix",
    scope: RowScope::Runs(&["mix", "elixir", "iex", "rebar3", "gleam"], Reach::Task),
    usual: C::CompileError,
    rows: &[
        finding("\\*\\* (CompileError) {file}:#", C::CompileError),
        finding("\\*\\* (TokenMissingError) {msg}", C::CompileError),
        finding("\\*\\* (Mix) The task \"{object}\" could not be found", C::BadArguments),
        finding("Unchecked dependencies for environment {word}", C::DependencyMissing),
        finding("\\*\\* (Mix) mix format failed", C::LintError),
        finding("#) test {object} ({name})$", C::TestFailure),
        failed("# test*, % failure", C::TestFailure),
        failed("== Compilation error in file {file} ==", C::CompileError),
        passed("# test*, 0 failures"),
    ],
};

/// Exceptions of a task that compiled and tested nothing.
pub(super) const ELIXIR_TASKS: ToolTable = ToolTable {
    name: "elixir",
    scope: RowScope::Runs(&["mix", "iex"], Reach::Direct),
    usual: C::Unknown,
    rows: &[
        finding("\\*\\* (*) FATAL 3D000 {msg}", C::RemoteNotFound),
        finding("\\*\\* (Mix) {msg}", C::RuntimeError),
        finding("\\*\\* ({word}) {msg}", C::RuntimeError).needle("** ("),
    ],
};

/// Checkers that mix runs.
pub(super) const MIX_CHECKS: ToolTable = ToolTable {
    name: "credo",
    scope: RowScope::Runs(&["mix credo", "mix format"], Reach::Direct),
    usual: C::LintError,
    rows: &[finding("┃ [{word}] * {msg}", C::LintError), failed("*found % * issue", C::LintError)],
};

pub(super) const DART: ToolTable = ToolTable {
    name: "dart",
    scope: RowScope::Runs(&["dart", "flutter"], Reach::Task),
    usual: C::CompileError,
    rows: &[
        finding("*No Android SDK found", C::ConfigOrState),
        finding("Error: No pubspec.yaml file found", C::PathNotFound),
        finding("No supported devices found with name or id matching '{object}'", C::BadArguments),
        finding("*Error: Couldn't resolve the package '{object}'", C::DependencyMissing),
        finding("{file}.dart:#:#: Error: {msg}", C::CompileError),
        finding("Because {object} depends on *, version solving failed", C::DependencyMissing),
        finding("*{file}_test.dart: {object} [E]$", C::TestFailure),
        finding("#:# +#*-%: {object} [E]$", C::TestFailure),
        weak("Unhandled exception:", C::RuntimeError),
        failed("Formatted # files (% changed)", C::LintError),
        failed("*Some tests failed.", C::TestFailure),
        failed("% issue* found.", C::LintError),
        passed("*All tests passed!"),
        passed("No issues found!"),
        passed("Formatted # file* (0 changed)"),
    ],
};
