//! The recognisers, one file a family. The order below is the priority: of two lines that tell what failed, the one whose
//! recogniser stands higher is the cause, and within a recogniser the one whose row stands higher.
//!
//! Why this order: git's locks, signing and conflicts decide a commit whatever its hooks printed; a missing package explains
//! what compilers and tests say after it; code that does not compile explains failed tests; the runners come before version
//! control, network and system messages, because those often stand inside a test's output.

mod agent_tools;
mod bazel;
mod cloud;
mod general;
mod git;
mod github;
mod go;
mod javascript;
mod jvm;
mod languages;
mod native;
mod network;
mod other_linters;
mod other_tests;
mod packages;
mod programs;
mod python;
mod rust;
mod scripting;
mod services;
mod shells;
mod swift;

use super::row::ToolTable;

pub(super) const TOOLS: &[&ToolTable] = &[
    &agent_tools::EDIT,
    &agent_tools::SHELL_PATCH,
    &agent_tools::FILE,
    &agent_tools::MCP,
    &agent_tools::WEB,
    &agent_tools::MODEL_API,
    &agent_tools::REFUSALS,
    &git::DECISIVE,
    &git::HOOKS,
    &git::PATCH,
    &javascript::NODE_MODULES,
    &rust::PACKAGES,
    &go::GO_MODULES,
    &bazel::TARGETS,
    &rust::RUSTC,
    &rust::CLIPPY,
    &rust::RUSTFMT,
    &rust::BUILD_RESULT,
    &rust::BUILT,
    &go::GOLANGCI_LINT,
    &go::GO_VET,
    &go::GO_BUILD,
    &javascript::TSC,
    &javascript::NODE_CHECK,
    &python::COMPILE_ALL,
    &python::TYPE_CHECKERS,
    &swift::PODS,
    &swift::SWIFT,
    &swift::BUILT,
    &languages::HASKELL_RUN,
    &languages::HASKELL,
    &languages::OCAML,
    &jvm::COMPILERS,
    &native::COMPILERS,
    &scripting::PHP_SYNTAX,
    &shells::PARSED,
    &scripting::MIX_CHECKS,
    &scripting::ELIXIR,
    &scripting::DART,
    &jvm::DOTNET,
    &javascript::PLAYWRIGHT,
    &javascript::VITEST,
    &javascript::JEST,
    &javascript::BUN_TEST,
    &javascript::MOCHA,
    &rust::CARGO_TEST,
    &go::GO_TEST,
    &python::PYTEST,
    &python::ENVIRONMENTS,
    &python::UNITTEST,
    &python::DJANGO,
    &python::DOCTEST,
    &python::SCENARIOS,
    &jvm::TESTS,
    &native::CTEST,
    &native::TAP,
    &scripting::RSPEC,
    &scripting::PHPUNIT,
    &other_tests::COUNTING,
    &go::GO_RESULT,
    &javascript::ESLINT,
    &javascript::PRETTIER,
    &javascript::BIOME,
    &python::LINTERS,
    &python::CHECKERS,
    &python::BLACK,
    &python::RUFF_FORMAT,
    &go::GOFMT,
    &scripting::RUBOCOP,
    &scripting::PHP_LINTERS,
    &native::OTHER_LINTERS,
    &other_linters::LINTERS,
    &javascript::BUNDLERS,
    &languages::COMPILERS,
    &languages::INTERPRETERS,
    &native::NIX,
    &bazel::RESULT,
    &jvm::RESULT,
    &packages::NODE,
    &packages::PYTHON,
    &packages::SYSTEM,
    &native::MAKE,
    &rust::REST,
    &github::GH,
    &git::REFUSALS,
    &network::TRANSFER,
    &network::REMOTE_SHELLS,
    &cloud::AWS,
    &cloud::GOOGLE,
    &cloud::AZURE,
    &network::CLOUD,
    &services::DOCKER,
    &services::MANIFEST_CHECKS,
    &services::KUBERNETES,
    &services::TERRAFORM_FMT,
    &services::INFRASTRUCTURE,
    &services::TERRAFORM,
    &services::DATABASES,
    &shells::SYNTAX,
    &shells::JQ,
    &shells::TAR,
    &jvm::CAUSES,
    &general::CAUSES,
    &scripting::ELIXIR_TASKS,
    &rust::PANIC,
    &go::GO_PANIC,
    &scripting::PHP,
    &shells::MISSING,
    &programs::USAGE,
    &programs::FAULTS,
    &programs::TRANSPORT,
    &general::SHAPES,
    &programs::PYTHON,
    &programs::JVM,
    &programs::NODE,
    &programs::RUBY,
    &programs::STATUS,
    &programs::SYSTEM,
    &git::IN_SCRIPTS,
    &javascript::STACK,
];
