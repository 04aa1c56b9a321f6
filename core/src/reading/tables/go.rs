//! The go command, gofmt, golangci-lint.

use crate::model::{Category as C, ObjectKind};
use crate::reading::row::{
    Reach, RowScope, ToolTable, failed, finding, idle, location, passed, test_passed, test_skipped, weak,
};

const GO: &[&str] = &["go", "gotestsum", "ginkgo", "gotest", "wails", "air"];

pub(super) const GO_MODULES: ToolTable = ToolTable {
    name: "go mod",
    scope: RowScope::Runs(GO, Reach::Task),
    usual: C::CompileError,
    rows: &[
        finding("{file}.go:#:#: no required module provides package {package}", C::DependencyMissing),
        finding("*missing go.sum entry for module providing package {package}", C::DependencyMissing),
        finding("*missing go.sum entry for {package}", C::DependencyMissing),
        finding("*cannot find module providing package {package}", C::DependencyMissing),
        finding("*no required module provides package {package}", C::DependencyMissing),
        finding("go: updates to go.mod needed", C::DependencyMissing),
        finding("go: {package}@*: invalid version", C::DependencyMissing),
        finding("go: {package}@*: unknown revision", C::DependencyMissing),
        finding("go: *: {status:429}", C::RateLimit).transient("http_429"),
        finding("go: *: {status:5}", C::ServiceError).transient("http_5xx"),
        finding("go: *dial tcp: lookup {word}*: no such host", C::Network).transient("dns"),
        finding("go: *: connection refused", C::ServiceError),
        finding("go: *: EOF$", C::Network).needle(": EOF").transient("hung_up"),
        finding("go: *connection reset by peer", C::Network).transient("connection_reset"),
        finding("go: go.mod file not found", C::PathNotFound),
        finding("pattern *: directory prefix * does not contain main module", C::PathNotFound),
        finding("{file}.go:#:#: package {package} is not in GOROOT", C::DependencyMissing),
        finding("go: cannot find main module", C::PathNotFound),
        finding("stat {path}: directory not found$", C::PathNotFound),
        finding("package {file} is not a main package", C::BadArguments),
        finding("*package {object} is not in std", C::CompileError).kind(ObjectKind::Module),
        finding("*no Go files in {path}", C::PathNotFound),
        finding("go: no such tool \"{object}\"", C::CommandNotFound),
        finding("go {word}: unknown command", C::BadArguments),
        finding("flag provided but not defined: {object}", C::BadArguments),
        finding("*imports {object} from *: import cycle not allowed", C::CompileError),
        finding("*import cycle not allowed", C::CompileError),
    ],
};

pub(super) const GOLANGCI_LINT: ToolTable = ToolTable {
    name: "golangci-lint",
    scope: RowScope::Runs(&["golangci-lint"], Reach::Task),
    usual: C::LintError,
    rows: &[
        finding("*(typecheck)$", C::CompileError).kind(ObjectKind::Module),
        finding("*could not load export data", C::CompileError),
        finding("Error: unknown flag: {object}", C::BadArguments),
        finding("level=error msg=\"Running error: context loading failed: {msg}", C::ConfigOrState),
        finding("Error: unknown linters: '{object}'", C::BadArguments),
        finding("Error: can't load config: unsupported version {msg}", C::ConfigOrState),
        finding("Error: can't load config: {object}", C::BadArguments),
        finding("{file}.go:#:#: * ({word})$", C::LintError),
        finding("{file}.go:#: * (dupl)$", C::LintError),
        failed("% issues:$", C::LintError),
        passed("0 issues."),
    ],
};

pub(super) const GO_VET: ToolTable = ToolTable {
    name: "go vet",
    scope: RowScope::Runs(&["go vet", "staticcheck", "revive"], Reach::Direct),
    usual: C::LintError,
    rows: &[
        finding("vet: {file}.go:#:#: {msg}", C::CompileError),
        finding("{file}.go:#:#: undefined: {object}$", C::CompileError),
        finding("{file}.go:#:#: {msg}", C::LintError),
    ],
};

pub(super) const GO_BUILD: ToolTable = ToolTable {
    name: "go build",
    scope: RowScope::Runs(GO, Reach::Task),
    usual: C::CompileError,
    rows: &[
        finding("vet: {file}.go:#:#: {msg}", C::CompileError),
        finding("{file}.go:#:#: undefined: {object}$", C::CompileError),
        finding("{file}.go:#:#: declared and not used: {object}$", C::CompileError),
        finding("{file}.go:#:#: \"{object}\" imported and not used", C::CompileError).kind(ObjectKind::Module),
        finding("{file}.go:#:#: {word} redeclared in this block", C::CompileError),
        finding("{file}.go:#:#: method {word} already declared", C::CompileError),
        finding("{file}.go:#:#: {word} undefined (", C::CompileError),
        finding("{file}.go:#:#: syntax error: {msg}", C::CompileError),
        finding("{file}.go:#:#: cannot use {msg}", C::CompileError),
        finding("{file}.go:#:#: {msg}", C::CompileError),
        failed("FAIL {file} [build failed]", C::CompileError),
        finding("FAIL {file} [setup failed]", C::PathNotFound),
    ],
};

pub(super) const GO_TEST: ToolTable = ToolTable {
    name: "go test",
    scope: RowScope::Runs(&["go test", "gotestsum", "ginkgo", "gotest"], Reach::Task),
    usual: C::TestFailure,
    rows: &[
        finding("--- FAIL: {name} (", C::TestFailure),
        finding("=== FAIL: {file} {name} (", C::TestFailure),
        finding("panic: test timed out after {msg}", C::TestFailure),
        finding("FAIL {file} #.#s", C::TestFailure).kind(ObjectKind::Module),
        failed("DONE # tests, *% failure", C::TestFailure),
        weak("panic: {msg}", C::TestFailure),
        weak("Error Trace: {file}:#", C::TestFailure),
        location("{file}_test.go:#: {msg}"),
        test_passed("--- PASS: {name} ("),
        test_passed("*\"Action\":\"pass\",*\"Test\":\"{name}\""),
        test_skipped("--- SKIP: {name} ("),
        test_skipped("*\"Action\":\"skip\",*\"Test\":\"{name}\""),
    ],
};

/// `ok` lines and the lone `FAIL` at the end of `go test`.
pub(super) const GO_RESULT: ToolTable = ToolTable {
    name: "go test",
    scope: RowScope::Runs(&["go test", "gotestsum"], Reach::Task),
    usual: C::TestFailure,
    rows: &[
        failed("FAIL$", C::TestFailure),
        idle("ok {file} * [no tests to run]$"),
        idle("? {file} [no test files]$"),
        passed("ok {file} #.#s").needle("ok  \t"),
        passed("ok {file} (cached)"),
        passed("DONE # tests in #"),
        test_passed("ok {file} #.#s").needle("ok  \t"),
        test_passed("ok {file} (cached)"),
    ],
};

pub(super) const GO_PANIC: ToolTable = ToolTable {
    name: "go program",
    scope: RowScope::Runs(&["go run"], Reach::Loose),
    usual: C::RuntimeError,
    rows: &[
        finding("panic: {msg}", C::RuntimeError),
        finding("fatal error: all goroutines are asleep", C::RuntimeError),
    ],
};

pub(super) const GOFMT: ToolTable = ToolTable {
    name: "gofmt",
    scope: RowScope::Runs(&["gofmt", "goimports", "gofumpt", "go fmt"], Reach::Task),
    usual: C::LintError,
    rows: &[
        finding("{file}.go:#:#: expected {msg}", C::CompileError),
        finding("diff {file}.go.orig {file}.go", C::LintError),
    ],
};
