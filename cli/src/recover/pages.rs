//! The pages under `rules/strategies`, which `failwise` carries.

/// Every page, by name.
pub const PAGES: &[StrategyPage] = include!(concat!(env!("OUT_DIR"), "/strategies.rs"));

/// The page of a strategy.
#[derive(Debug, Clone, Copy)]
pub struct StrategyPage {
    /// The file's name without its ending: the strategy's.
    pub name: &'static str,
    /// The whole text.
    pub text: &'static str,
}
