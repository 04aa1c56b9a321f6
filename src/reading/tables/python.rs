//! Python's test runners, type checkers, linters and formatters.

use crate::model::{Category as C, ObjectKind};
use crate::reading::row::{Reach, Scope, Tool, failed, finding, location, passed, test_passed, weak};

pub(super) const PYTEST: Tool = Tool {
    name: "pytest",
    scope: Scope::Runs(&["pytest", "py.test", "tox", "nox"], Reach::Task),
    usual: C::TestFailure,
    rows: &[
        finding("ERROR: file or directory not found: {path}", C::PathNotFound),
        finding("ERROR: not found: {path}", C::PathNotFound),
        finding("*error: unrecognized arguments: {object}", C::BadArguments),
        finding("E ModuleNotFoundError: No module named '{package}'", C::DependencyMissing),
        finding("ImportError while loading conftest '{path}'", C::CompileError),
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
        failed("FAIL Required test coverage of *\\% not reached", C::TestFailure),
        failed("*no tests ran in #*s", C::BadArguments),
        weak("E AssertionError*", C::TestFailure),
        weak("E assert {msg}", C::TestFailure),
        location("{file}.py:#: {word}Error"),
        passed("=* # passed*in *s"),
        passed("# passed*in #*s"),
        test_passed("{file}::{name} PASSED"),
    ],
};

pub(super) const UNITTEST: Tool = Tool {
    name: "unittest",
    scope: Scope::Runs(&["unittest", "manage.py test", "nose2", "trial", "green"], Reach::Task),
    usual: C::TestFailure,
    rows: &[
        finding("ImportError: Failed to import test module: {object}", C::TestFailure),
        finding("FAIL: {name} (", C::TestFailure),
        finding("ERROR: {name} (", C::TestFailure),
        failed("FAILED (*failures=%", C::TestFailure),
        failed("FAILED (*errors=%", C::TestFailure),
        test_passed("{name} (*) ... ok$"),
    ],
};

pub(super) const TYPE_CHECKERS: Tool = Tool {
    name: "mypy",
    scope: Scope::Runs(&["mypy", "dmypy", "pyright", "basedpyright", "pytype", "pyre", "ty"], Reach::Task),
    usual: C::CompileError,
    rows: &[
        finding(
            "{file}.py:#: error: Cannot find implementation or library stub for module named \"{object}\"",
            C::DependencyMissing,
        ),
        finding("mypy: can't read file '{path}'", C::PathNotFound),
        finding("mypy: error: {msg}", C::BadArguments),
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

pub(super) const LINTERS: Tool = Tool {
    name: "ruff",
    scope: Scope::Runs(&["ruff", "flake8", "pylint", "isort", "bandit", "pycodestyle", "pydocstyle"], Reach::Task),
    usual: C::LintError,
    rows: &[
        finding("ruff failed", C::ConfigOrState),
        finding("error: Failed to parse {file}", C::CompileError),
        finding("{file}.py:#:#: SyntaxError: {msg}", C::CompileError),
        finding("{file}.py:#:#: {code} {msg}", C::LintError),
        finding("{file}.py:#:#: {code}: {msg}", C::LintError),
        finding("{file}.py:#: {code} {msg}", C::LintError),
        finding("{code} *[\\*] {msg}", C::LintError).needle(" [*] "),
        finding("ERROR: {path}.py Imports are incorrectly sorted", C::LintError),
        finding("Would reformat: {file}", C::LintError),
        failed("Found % error", C::LintError),
        weak("--> {file}.py:#:#", C::LintError),
        passed("All checks passed!"),
        passed("Your code has been rated at 10.00/10"),
        passed("Found # error* (# fixed, 0 remaining)"),
    ],
};

pub(super) const BLACK: Tool = Tool {
    name: "black",
    scope: Scope::Runs(&["black", "ruff format", "yapf", "blue"], Reach::Task),
    usual: C::LintError,
    rows: &[
        finding("error: cannot format {file}: {msg}", C::CompileError),
        finding("would reformat {file}", C::LintError),
        failed("% file* would be reformatted", C::LintError),
        passed("# file* would be left unchanged"),
        passed("# file* already formatted"),
    ],
};
