//! Swift and Xcode: the package manager, `xcodebuild`, `XCTest`, Swift Testing, `SwiftLint`, `CocoaPods`.

use crate::model::{Category as C, ObjectKind};
use crate::reading::row::{Reach, RowScope, ToolTable, failed, finding, passed, test_passed};

pub(super) const SWIFT: ToolTable = ToolTable {
    name: "swift",
    scope: RowScope::Runs(&["swift", "swiftc", "xcodebuild", "xcrun"], Reach::Task),
    usual: C::CompileError,
    rows: &[
        finding("error: Could not find Package.swift", C::PathNotFound),
        finding("{file}.swift:#:#: error: no such module '{object}'", C::DependencyMissing),
        finding("error: Dependencies could not be resolved {msg}", C::DependencyMissing),
        finding("xcodebuild: error: *does not contain a scheme named \"{object}\"", C::BadArguments)
            .kind(ObjectKind::Target),
        finding("xcodebuild: error: {msg}", C::BadArguments),
        finding("xcode-select: error: tool '{object}' requires Xcode", C::ConfigOrState),
        finding("{file}.swift:#:#: error: cannot find *'{object}' in scope", C::CompileError),
        finding("{file}.swift:#:#: error: {msg}", C::CompileError),
        finding("{file}.swift:#: error: -[{object}] : {msg}", C::TestFailure),
        finding("{file}.swift:#: error: {name} : XCT{msg}", C::TestFailure),
        finding("{file}.swift:#: Fatal error: {msg}", C::RuntimeError),
        finding("error: *the manifest is missing a Swift tools version{msg}", C::CompileError),
        finding("✘ Test {object} recorded an issue at {file}:#", C::TestFailure),
        finding("✘ Test \"{object}\" failed after", C::TestFailure).needle("✘ Test "),
        finding("Test Case '{object}' failed (", C::TestFailure).needle("Test Case '"),
        failed("Executed # test*, with % failure", C::TestFailure),
        failed("✘ Test run with # test* failed after", C::TestFailure).needle("✘ Test run"),
        failed("Failing tests:", C::TestFailure),
        failed("\\*\\* TEST FAILED \\*\\*", C::TestFailure),
        failed("\\*\\* BUILD FAILED \\*\\*", C::CompileError),
        failed("error: emit-module command failed", C::CompileError),
        failed("error: fatalError", C::CompileError),
        passed("Executed # test*, with 0 failures"),
        passed("Executed # test*, with # test* skipped and 0 failures"),
        passed("✔ Test run with # test* passed after").needle("✔ Test run"),
        test_passed("Test Case '{object}' passed (").needle("Test Case '"),
    ],
};

/// What the package manager says last of a build that passed; a test run says it too, before its tests.
pub(super) const BUILT: ToolTable = ToolTable {
    name: "swift",
    scope: RowScope::Runs(&["swift build"], Reach::Direct),
    usual: C::CompileError,
    rows: &[passed("Build complete!")],
};

pub(super) const PODS: ToolTable = ToolTable {
    name: "cocoapods",
    scope: RowScope::Runs(&["pod", "carthage"], Reach::Task),
    usual: C::DependencyMissing,
    rows: &[finding("[!] Unable to find a specification for `{object}`", C::DependencyMissing)],
};
