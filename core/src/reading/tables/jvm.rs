//! Java, Kotlin, Scala: javac, Maven, Gradle, sbt, `JUnit`; and the .NET tools.

use crate::model::{Category as C, ObjectKind};
use crate::reading::row::{Reach, RowScope, ToolTable, failed, finding, idle, passed, test_passed, test_skipped, weak};

const JVM: &[&str] = &["javac", "java", "mvn", "gradle", "sbt", "kotlinc", "ant", "scala-cli", "lein", "clj", "bazel"];

pub(super) const COMPILERS: ToolTable = ToolTable {
    name: "javac",
    scope: RowScope::Runs(JVM, Reach::Task),
    usual: C::CompileError,
    rows: &[
        finding("*Could not transfer artifact {word} *{status:5}", C::ServiceError).transient("http_5xx"),
        finding("*Could not transfer artifact {word} *: Connection refused", C::ServiceError),
        finding("*Could not transfer artifact {word} *: {msg}", C::Network).transient("download"),
        finding("> Could not GET '{object}'. Received status code {status:429}", C::RateLimit).transient("http_429"),
        finding("> java.lang.OutOfMemoryError", C::ResourceExhausted),
        finding("*invalid target release: {object}", C::ConfigOrState),
        finding("*SDK location not found", C::ConfigOrState),
        finding("*> No matching variant of {word} was found", C::ConfigOrState),
        finding("*release version {object} not supported", C::ConfigOrState),
        finding("*Plugin {word} or one of its dependencies could not be resolved", C::DependencyMissing),
        finding("> Cannot resolve external dependency {word}", C::DependencyMissing),
        finding("[ERROR] {file}.java:[#,#] ({word}) {word}: {msg}", C::LintError),
        finding("*Non-readable POM {path}", C::CompileError),
        finding("*Could not find artifact {word}", C::DependencyMissing),
        finding("> Could not find {word}.$", C::DependencyMissing),
        finding("> Could not resolve {word}", C::DependencyMissing),
        finding("error: file not found: {file}", C::PathNotFound),
        finding("{file}.java:#: error: package {word} does not exist", C::DependencyMissing),
        finding("{file}.java:#: error: {msg}", C::CompileError),
        finding("[ERROR] {file}.java:[#,#] {msg}", C::CompileError),
        finding("e: file://{file}:#:# {msg}", C::CompileError),
        finding("[error] {file}.scala:#:#: {msg}", C::CompileError),
        finding("*JAVA_HOME is not set", C::ConfigOrState),
        finding("Task '{object}' not found in *project", C::BadArguments).kind(ObjectKind::Target),
        finding("*Unknown lifecycle phase \"{object}\"", C::BadArguments).kind(ObjectKind::Target),
        finding("*there is no POM in this directory", C::PathNotFound),
        failed("*COMPILATION ERROR", C::CompileError),
        failed("> Compilation failed; see the compiler", C::CompileError),
        failed("> Compilation error. See log", C::CompileError),
        failed("[error] (*compileIncremental) Compilation failed", C::CompileError),
    ],
};

pub(super) const TESTS: ToolTable = ToolTable {
    name: "junit",
    scope: RowScope::Runs(JVM, Reach::Task),
    usual: C::TestFailure,
    rows: &[
        finding("{name} > {object} FAILED$", C::TestFailure),
        finding("[ERROR] {name}:# {msg}", C::TestFailure),
        finding("[ERROR] {name}.{word}:# {msg}", C::TestFailure),
        finding("[ERROR] {name} -- Time elapsed: *<<< FAIL", C::TestFailure),
        finding("[info] - {object} \\*\\*\\* FAILED \\*\\*\\*", C::TestFailure),
        failed("*Tests run: #, Failures: %", C::TestFailure),
        failed("*Tests run: #, Failures: #, Errors: %", C::TestFailure),
        failed("# tests completed, % failed", C::TestFailure),
        failed("> There were failing tests", C::TestFailure),
        idle("*No tests to run."),
        passed("*Tests run: #, Failures: 0, Errors: 0"),
    ],
};

/// Exceptions of the runtime that name their cause.
pub(super) const CAUSES: ToolTable = ToolTable {
    name: "java",
    scope: RowScope::Runs(&["java", "kotlin", "scala", "groovy", "clojure"], Reach::Direct),
    usual: C::RuntimeError,
    rows: &[
        finding("Exception in thread \"*\" *ClassNotFoundException: {name}", C::DependencyMissing),
        finding("*NoClassDefFoundError: {name}", C::DependencyMissing),
        finding("*NoSuchFileException: {path}", C::PathNotFound),
        finding("*FileNotFoundException: {path} (No such", C::PathNotFound),
        finding("*OutOfMemoryError", C::ResourceExhausted),
        finding("*ConnectException: Connection refused", C::ServiceError),
        finding("*UnknownHostException: {name}", C::Network).transient("dns"),
        finding("*BindException: Address already in use", C::ResourceBusy),
        finding("*Could not create the Java Virtual Machine", C::BadArguments),
    ],
};

/// How a build ends, whatever failed inside.
pub(super) const RESULT: ToolTable = ToolTable {
    name: "gradle",
    scope: RowScope::Runs(JVM, Reach::Task),
    usual: C::CompileError,
    rows: &[
        finding("Execution failed for task '{object}:test'", C::TestFailure).kind(ObjectKind::Target),
        finding("Execution failed for task '*detekt*", C::LintError),
        finding("Execution failed for task '{object}'", C::CompileError).kind(ObjectKind::Target),
        finding("[ERROR] No plugin found for prefix '{object}'", C::DependencyMissing),
        finding("[ERROR] Failed to execute goal *surefire*", C::TestFailure),
        finding("[ERROR] Failed to execute goal *checkstyle*", C::LintError),
        finding("[ERROR] Failed to execute goal {word}", C::CompileError).kind(ObjectKind::Target),
        failed("BUILD FAILED", C::CompileError),
        failed("*BUILD FAILURE", C::CompileError),
        failed("[ERROR] For more information about the errors and possible solutions", C::CompileError),
        passed("BUILD SUCCESSFUL in"),
        test_passed("* > * PASSED$"),
        test_skipped("* > {object} SKIPPED$"),
        // A task of the build with no tests to run, or that was left out.
        test_skipped("> Task *:test* NO-SOURCE$"),
        test_skipped("> Task *:test* SKIPPED$"),
        test_skipped("> Task *Test NO-SOURCE$"),
        test_skipped("> Task *Test SKIPPED$"),
        passed("*BUILD SUCCESS$"),
    ],
};

pub(super) const DOTNET: ToolTable = ToolTable {
    name: "dotnet",
    scope: RowScope::Runs(&["dotnet", "msbuild", "csc"], Reach::Task),
    usual: C::CompileError,
    rows: &[
        finding("*error NU1101: Unable to find package {word}", C::DependencyMissing),
        finding("*error NETSDK1045: {msg}", C::ConfigOrState),
        finding("MSBUILD : error MSB1009: Project file does not exist", C::PathNotFound),
        finding("MSBUILD : error MSB1003: {msg}", C::PathNotFound),
        finding("*A compatible .NET SDK was not found", C::ConfigOrState),
        finding("*Could not execute because the specified command or file was not found", C::BadArguments),
        finding("*error WHITESPACE: {msg}", C::LintError),
        // Behind `using `: the namespace of a package.
        finding("{path}(#,7): error CS0246: *name '{object}'", C::DependencyMissing),
        finding("*error NU#: {msg}", C::DependencyMissing),
        finding("{path}(#,#): error {word}: {msg}", C::CompileError),
        finding("Failed {word} [#*s]$", C::TestFailure),
        finding("[xUnit.net #:#:#.#] {object} [FAIL]", C::TestFailure),
        failed("Failed! - Failed: %, Passed: #", C::TestFailure),
        failed("Test Run Failed.", C::TestFailure),
        finding("*error WHITESPACE: {msg}", C::LintError),
        weak("Unhandled exception. {msg}", C::RuntimeError),
        finding("*Exception (0x*): {msg}", C::RuntimeError),
        failed("Build FAILED.", C::CompileError),
        failed("% Error(s)", C::CompileError),
        idle("No test matches the given testcase filter"),
        idle("Skipped! - Failed: 0, Passed: 0"),
        passed("Passed! - Failed: 0, Passed: #"),
        passed("Build succeeded."),
    ],
};
