//! Cargo, rustc, Clippy, rustfmt, cargo-nextest.

use crate::model::{Category as C, ObjectKind};
use crate::reading::row::{Reach, RowScope, ToolTable, failed, finding, location, passed, test_passed, weak};

const TESTS: &[&str] = &["cargo test", "cargo t", "cargo nextest", "cargo llvm-cov", "cargo tarpaulin", "cargo miri"];
const COMPILES: &[&str] = &["cargo", "rustc", "trunk", "wasm-pack", "maturin", "cross", "tauri"];

pub(super) const PACKAGES: ToolTable = ToolTable {
    name: "cargo",
    scope: RowScope::Runs(&["cargo", "rustup", "cross"], Reach::Task),
    usual: C::CompileError,
    rows: &[
        finding("failed to get successful HTTP response from *, got 429", C::RateLimit).transient("http_429"),
        finding("failed to get successful HTTP response from *, got 5#", C::ServiceError).transient("http_5xx"),
        finding("failed to get successful HTTP response from *, got 40#", C::AuthRequired),
        finding("failed to get successful HTTP response from *, got 404", C::DependencyMissing),
        finding("[6] *^could not resolve host", C::Network).transient("dns"),
        finding("[7] *^could not connect to server", C::Network).transient("connect"),
        finding("[28] *^timeout was reached", C::Network).transient("connect"),
        finding("[52] Server returned nothing", C::Network).transient("hung_up"),
        finding("[56] Failure when receiving data", C::Network).transient("connection_reset"),
        finding("error: failed to download from `{object}`", C::Network).transient("download"),
        finding("*spurious network error*", C::Network).transient("spurious_network"),
        finding("error: no matching package named `{object}` found", C::DependencyMissing),
        finding("error: failed to select a version for * `{object}`", C::DependencyMissing),
        finding("error: failed to get `{object}` as a dependency", C::DependencyMissing),
        finding("error: failed to load source for dependency `{object}`", C::DependencyMissing),
        finding("error: no matching package found", C::DependencyMissing),
        finding("error: no such command: `{object}`", C::CommandNotFound),
        finding("error: invalid value '{object}' for", C::BadArguments),
        finding("error: no such subcommand: `{object}`", C::CommandNotFound),
        finding("error: toolchain '{object}' is not installed", C::DependencyMissing),
        finding("error: unexpected argument '{object}' found", C::BadArguments),
        finding("error: no test target named `{object}`", C::BadArguments),
        finding("error: no bin target named `{object}`", C::BadArguments),
        finding("error: no example target named `{object}`", C::BadArguments),
        finding("error: no bench target named `{object}`", C::BadArguments),
        finding("error: a bin target must be available", C::BadArguments),
        finding("failed to read `{path}Cargo.toml`", C::PathNotFound),
        finding("error: package ID specification `{object}` did not match any packages", C::BadArguments),
        finding("error: could not find `Cargo.toml` in `{path}`", C::PathNotFound),
        finding("error: manifest path `{path}` does not exist", C::PathNotFound),
        finding("error: failed to parse manifest at `{path}`", C::CompileError),
        finding("error: linker `{object}` not found", C::CommandNotFound),
        finding("error: cannot * the lock file * because --locked was passed", C::ConfigOrState),
        finding("error: the package '{object}' does not contain th", C::BadArguments),
        finding("error: could not find `{object}` in registry", C::DependencyMissing),
        finding("error: the crate `{object}` could not be found in registry", C::DependencyMissing),
    ],
};

pub(super) const RUSTC: ToolTable = ToolTable {
    name: "rustc",
    scope: RowScope::Runs(COMPILES, Reach::Task),
    usual: C::CompileError,
    rows: &[
        finding("error[E0432]: unresolved import `{object}`", C::CompileError),
        finding("error[E0463]: can't find crate for `{object}`", C::DependencyMissing),
        finding("error: couldn't read `{path}`: No such file", C::PathNotFound),
        finding("error: couldn't read {path}: No such file", C::PathNotFound),
        finding("error[E#]: *`{object}`", C::CompileError),
        finding("error[E#]: {msg}", C::CompileError),
        finding("error: linking with `{object}` failed", C::CompileError).kind(ObjectKind::Program),
        location("--> {file}:#:#"),
        location("--> {file}:#"),
    ],
};

pub(super) const CLIPPY: ToolTable = ToolTable {
    name: "clippy",
    scope: RowScope::Runs(&["cargo clippy", "cargo-clippy"], Reach::Task),
    usual: C::LintError,
    rows: &[
        weak("*rust-clippy/*index.html\\#{word}$", C::LintError),
        weak("= note: `-D {word}` implied by `-D warnings`", C::LintError),
        weak("= note: requested on the command line with `-D {word}`", C::LintError),
    ],
};

pub(super) const RUSTFMT: ToolTable = ToolTable {
    name: "rustfmt",
    scope: RowScope::Runs(&["cargo fmt", "rustfmt"], Reach::Task),
    usual: C::LintError,
    rows: &[finding("Diff in {file}:#:", C::LintError)],
};

/// What cargo says last of a build that failed.
pub(super) const BUILD_RESULT: ToolTable = ToolTable {
    name: "rustc",
    scope: RowScope::Runs(COMPILES, Reach::Task),
    usual: C::CompileError,
    rows: &[
        failed("error: could not compile `{object}`", C::CompileError).kind(ObjectKind::Module),
        failed("error: aborting due to *previous error", C::CompileError),
        failed("error: failed to run custom build command for `{object}`", C::CompileError).kind(ObjectKind::Module),
        failed("error: could not document `{object}`", C::CompileError).kind(ObjectKind::Module),
    ],
};

/// What cargo says last of a build that passed; a test run says it too, before its tests.
pub(super) const BUILT: ToolTable = ToolTable {
    name: "rustc",
    scope: RowScope::Runs(
        &["cargo build", "cargo b", "cargo check", "cargo c", "cargo clippy", "cargo doc"],
        Reach::Direct,
    ),
    usual: C::CompileError,
    rows: &[passed("Finished `{word}` profile ["), passed("Finished {word} [*] target(s) in #")],
};

pub(super) const CARGO_TEST: ToolTable = ToolTable {
    name: "cargo test",
    scope: RowScope::Runs(TESTS, Reach::Task),
    usual: C::TestFailure,
    rows: &[
        finding("test {object} ... FAILED", C::TestFailure),
        finding("{object} --- FAILED$", C::TestFailure),
        finding("---- {object} stdout ----", C::TestFailure),
        finding("FAIL [*s] *{word} {object}$", C::TestFailure),
        failed("test result: FAILED.", C::TestFailure),
        failed("Summary [*] #* tests run:*% failed", C::TestFailure),
        failed("error: test failed, to rerun pass", C::TestFailure),
        failed("error: doctest failed, to rerun pass", C::TestFailure),
        failed("error: # target* failed:$", C::TestFailure),
        weak("thread '{object}' * panicked at {file}:#:#", C::TestFailure),
        weak("thread '{object}' panicked at {file}:#:#", C::TestFailure),
        passed("test result: ok."),
        passed("Summary [*] #* tests run: # passed"),
        test_passed("test {object} ... ok$"),
        test_passed("PASS [*s] *{word} {object}$"),
    ],
};

/// A program of the project that panics.
pub(super) const PANIC: ToolTable = ToolTable {
    name: "rust program",
    scope: RowScope::Runs(&["cargo run", "cargo r"], Reach::Loose),
    usual: C::RuntimeError,
    rows: &[
        finding("*kind: NotFound, message: \"No such file", C::PathNotFound),
        finding("*kind: ConnectionRefused, message: {msg}", C::ServiceError),
        finding("*kind: AddrInUse, message: {msg}", C::ResourceBusy),
        finding("*kind: StorageFull, message: {msg}", C::ResourceExhausted),
        finding("*: NotPresent$", C::ConfigOrState),
        finding("thread '{object}' (*) panicked at {file}:#:#", C::RuntimeError),
        finding("thread '{object}' panicked at {file}:#:#", C::RuntimeError),
    ],
};

/// Any other error line of a compiler run, when nothing more exact is known.
pub(super) const REST: ToolTable = ToolTable {
    name: "rustc",
    scope: RowScope::Runs(&["cargo", "rustc"], Reach::Direct),
    usual: C::CompileError,
    rows: &[weak("error: {msg}", C::CompileError)],
};
