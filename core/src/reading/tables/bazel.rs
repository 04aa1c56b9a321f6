//! Bazel and its kin: targets, packages, and the results of builds and tests.

use crate::model::{Category as C, ObjectKind};
use crate::reading::row::{Reach, RowScope, ToolTable, failed, finding, passed};

/// How a target is missed, before any compiler ran.
pub(super) const TARGETS: ToolTable = ToolTable {
    name: "bazel",
    scope: RowScope::Runs(&["bazel", "pants", "please"], Reach::Task),
    usual: C::CompileError,
    rows: &[
        finding("*no such target '{object}'", C::BadArguments).kind(ObjectKind::Target),
        finding("*no such package '{object}'", C::PathNotFound).kind(ObjectKind::Target),
        finding("*only supported from within a workspace", C::PathNotFound),
    ],
};

/// How a run ends.
pub(super) const RESULT: ToolTable = ToolTable {
    name: "bazel",
    scope: RowScope::Runs(&["bazel", "pants", "please"], Reach::Task),
    usual: C::CompileError,
    rows: &[
        finding("FAIL: {object} (see ", C::TestFailure).kind(ObjectKind::Target),
        finding("//{object} FAILED in #", C::TestFailure).kind(ObjectKind::Target),
        failed("*% test* FAILED, # total action", C::TestFailure),
        failed("Executed # out of # test*: *% fail", C::TestFailure),
        failed("ERROR: {file}:#:#: {msg}", C::CompileError),
        failed("*Build did NOT complete successfully", C::CompileError),
        passed("INFO: Build completed successfully"),
    ],
};
