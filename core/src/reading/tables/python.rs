//! Python's test runners, type checkers, linters and formatters.

use crate::model::{Category as C, ObjectKind};
use crate::reading::row::{Reach, RowScope, ToolTable, failed, finding, idle, location, passed, test_passed, weak};

pub(super) const PYTEST: ToolTable = ToolTable {
    name: "pytest",
    scope: RowScope::Runs(&["pytest", "tox", "nox", "coverage"], Reach::Task),
    usual: C::TestFailure,
    rows: &[
        finding("ERROR: file or directory not found: {path}", C::PathNotFound),
        finding("ERROR: not found: {path}", C::PathNotFound),
        finding("*error: unrecognized arguments: {object}", C::BadArguments),
        finding("*not found in `markers` configuration option", C::ConfigOrState),
        finding("E *ImproperlyConfigured: {msg}", C::ConfigOrState),
        finding("!*KeyboardInterrupt !", C::TestFailure),
        finding("E ModuleNotFoundError: No module named '{package}'", C::DependencyMissing),
        finding("E SyntaxError: {msg}", C::CompileError),
        finding("E IndentationError: {msg}", C::CompileError),
        finding("ERROR {file}.py - {msg}", C::TestFailure).kind(ObjectKind::File),
        finding("ERROR collecting {file}", C::TestFailure),
        finding("FAILED {file}::{name}", C::TestFailure),
        finding("ERROR {file}::{name}", C::TestFailure),
        finding("{file}::{name} FAILED", C::TestFailure),
        finding("{file}::{name} ERROR", C::TestFailure),
        finding("E fixture '{object}' not found", C::TestFailure).kind(ObjectKind::Symbol),
        failed("=*% failed*in *s", C::TestFailure),
        failed("=*% error*in *s", C::TestFailure),
        failed("% failed, *in #*s", C::TestFailure),
        failed("% failed in #*s", C::TestFailure),
        failed("% error* in #*s", C::TestFailure),
        failed("# passed, *% error* in #*s", C::TestFailure),
        failed("FAIL Required test coverage of *\\% not reached", C::TestFailure),
        failed("*no tests ran in #*s", C::BadArguments),
        failed("Coverage failure: total of * is less than fail-under", C::TestFailure),
        weak("% deselected in #*s", C::BadArguments),
        finding("ImportError while loading conftest '{path}'", C::TestFailure).kind(ObjectKind::File),
        weak("E AssertionError*", C::TestFailure),
        weak("E assert {msg}", C::TestFailure),
        location("{file}.py:#: {word}Error"),
        location("{file}.py:#: in *"),
        location("E ImportError: cannot import name * ({file}.py)"),
        idle("# skipped*in #*s"),
        idle("=*= # skipped*in #*s"),
        idle("# xfailed*in #*s"),
        idle("=*= # xfailed*in #*s"),
        passed("=* # passed*in *s"),
        passed("# passed*in #*s"),
        test_passed("{file}::{name} PASSED"),
    ],
};

/// What starts the checks of a project in environments of their own.
pub(super) const ENVIRONMENTS: ToolTable = ToolTable {
    name: "tox",
    scope: RowScope::Runs(&["tox", "nox"], Reach::Direct),
    usual: C::TestFailure,
    rows: &[
        finding("{word}: failed with could not find {word} interpreter", C::CommandNotFound),
        finding("nox > Program {object} not found.", C::CommandNotFound).kind(ObjectKind::Program),
        failed("evaluation failed :( (", C::TestFailure),
        failed("nox > Session {word} failed.", C::TestFailure),
        passed("congratulations :) ("),
        passed("nox > Session {word} was successful"),
    ],
};

pub(super) const UNITTEST: ToolTable = ToolTable {
    name: "unittest",
    scope: RowScope::Runs(&["unittest", "manage.py test", "nose2", "trial", "green"], Reach::Task),
    usual: C::TestFailure,
    rows: &[
        finding("ModuleNotFoundError: No module named '{package}'", C::DependencyMissing),
        finding("ImportError: Failed to import test module: {object}", C::TestFailure),
        finding("FAIL: {name} (", C::TestFailure),
        finding("ERROR: {name} (", C::TestFailure),
        failed("FAILED (*failures=%", C::TestFailure),
        failed("FAILED (*errors=%", C::TestFailure),
        passed("Ran # test* in #*s"),
        test_passed("{name} (*) ... ok$"),
    ],
};

/// The commands of a Django project.
pub(super) const DJANGO: ToolTable = ToolTable {
    name: "django",
    scope: RowScope::Runs(&["manage.py", "django-admin"], Reach::Direct),
    usual: C::Unknown,
    rows: &[
        finding("SystemCheckError: System check identified {msg}", C::ConfigOrState).ends(),
        finding("No installed app with label '{object}'", C::ConfigOrState),
    ],
};

pub(super) const DOCTEST: ToolTable = ToolTable {
    name: "doctest",
    scope: RowScope::Runs(&["doctest", "pytest"], Reach::Task),
    usual: C::TestFailure,
    rows: &[failed("\\*\\*\\*Test Failed\\*\\*\\* % failure", C::TestFailure), weak("Failed example:", C::TestFailure)],
};

/// Scenarios in plain language: behave, Cucumber.
pub(super) const SCENARIOS: ToolTable = ToolTable {
    name: "scenarios",
    scope: RowScope::Runs(&["behave", "cucumber", "cucumber-js"], Reach::Task),
    usual: C::TestFailure,
    rows: &[
        weak("{file}.feature:# {object}", C::TestFailure),
        failed("# scenario* passed, % failed", C::TestFailure),
        passed("# scenario* passed, 0 failed"),
    ],
};

/// Python's own compiler.
pub(super) const COMPILE_ALL: ToolTable = ToolTable {
    name: "py_compile",
    scope: RowScope::Runs(&["py_compile", "compileall"], Reach::Direct),
    usual: C::CompileError,
    rows: &[
        finding("SyntaxError: {msg}", C::CompileError),
        finding("*IndentationError: {msg}", C::CompileError),
        finding("*TabError: {msg}", C::CompileError),
        location("File \"{path}\", line #"),
    ],
};

pub(super) const TYPE_CHECKERS: ToolTable = ToolTable {
    name: "mypy",
    scope: RowScope::Runs(&["mypy", "dmypy", "pyright", "basedpyright", "pyre", "ty"], Reach::Task),
    usual: C::CompileError,
    rows: &[
        finding(
            "{file}.py:#: error: Cannot find implementation or library stub for module named \"{object}\"",
            C::DependencyMissing,
        ),
        finding("mypy: can't read file '{path}'", C::PathNotFound),
        finding("mypy: error: Cannot find config file '{path}'", C::ConfigOrState),
        finding("mypy: error: {msg}", C::BadArguments),
        finding("Can't find package '{object}'", C::BadArguments),
        finding("{file}.py:#: error: * [{word}]$", C::CompileError),
        finding("{file}.py:#:#: error: * [{word}]$", C::CompileError),
        finding("{file}.py:#: error: {msg}", C::CompileError),
        finding("{path}.py:#:# - error: *({word})$", C::CompileError),
        finding("{path}.py:#:# - error: {msg}", C::CompileError),
        failed("Found % error* in # file", C::CompileError),
        failed("% error*, # warning*, # ", C::CompileError),
        passed("Success: no issues found"),
        passed("0 errors, # warning"),
    ],
};

pub(super) const LINTERS: ToolTable = ToolTable {
    name: "ruff",
    scope: RowScope::Runs(
        &["ruff", "flake8", "pylint", "isort", "bandit", "pycodestyle", "pydocstyle", "sqlfluff"],
        Reach::Task,
    ),
    usual: C::LintError,
    rows: &[
        finding("ruff failed", C::ConfigOrState),
        finding("error: Failed to parse {file}", C::CompileError),
        finding("{file}.py:#:#: SyntaxError: {msg}", C::CompileError),
        finding("{file}.py:#:#: invalid-syntax: {msg}", C::CompileError),
        finding("invalid-syntax: {msg}", C::CompileError),
        finding("{file}.py:#:#: E999 {msg}", C::CompileError),
        finding("::error title=*,file={path},line=#", C::LintError),
        finding("L: *# | P: *# | {code} | {msg}", C::LintError).needle(" | P: "),
        finding("== [{file}] FAIL$", C::LintError),
        finding(">> Issue: [{word}]", C::LintError),
        finding("{file}.py:#:#: {code} {msg}", C::LintError),
        finding("{file}.py:#:#: {code}: {msg}", C::LintError),
        finding("{code} *[\\*] {msg}", C::LintError).needle(" [*] "),
        finding("ERROR: {path}.py Imports are incorrectly sorted", C::LintError),
        failed("Found % error.$", C::LintError),
        failed("Found % errors.$", C::LintError),
        failed("Found # error* (# fixed, % remaining)", C::LintError),
        weak("--> {file}.py:#:#", C::LintError),
        passed("All checks passed!"),
        passed("Your code has been rated at 10.00/10"),
        passed("Found # error* (# fixed, 0 remaining)"),
    ],
};

/// Checkers whose findings carry no code.
pub(super) const CHECKERS: ToolTable = ToolTable {
    name: "pyflakes",
    scope: RowScope::Runs(&["pyflakes", "vulture", "autoflake", "pydocstyle", "pyupgrade"], Reach::Direct),
    usual: C::LintError,
    rows: &[
        finding("{file}.py:# at module level:", C::LintError),
        finding("{file}.py:# in public {msg}", C::LintError),
        finding("{file}.py:#:#: {msg}", C::LintError).needle(".py:"),
        finding("{file}.py:#: {msg}", C::LintError).needle(".py:"),
    ],
};

pub(super) const BLACK: ToolTable = ToolTable {
    name: "black",
    scope: RowScope::Runs(&["black", "blue"], Reach::Task),
    usual: C::LintError,
    rows: &[
        finding("error: cannot format {file}: {msg}", C::CompileError),
        finding("error: cannot parse{msg}", C::CompileError),
        finding("would reformat {file}", C::LintError),
        failed("Oh no! {msg}", C::LintError),
        // Also said when it was only asked to show how.
        weak("% file* would be reformatted", C::LintError),
        passed("# file* would be left unchanged"),
        passed("All done! {msg}"),
    ],
};

pub(super) const RUFF_FORMAT: ToolTable = ToolTable {
    name: "ruff format",
    scope: RowScope::Runs(&["ruff format", "yapf"], Reach::Task),
    usual: C::LintError,
    rows: &[
        finding("error: Failed to parse {file}", C::CompileError),
        failed("% file* would be reformatted", C::LintError),
        passed("# file* already formatted"),
        passed("# file* left unchanged$"),
    ],
};
