//! The pages under `rules/modes`, which `failwise` carries.

/// Every page, by number.
pub const PAGES: &[ModePage] = include!(concat!(env!("OUT_DIR"), "/modes.rs"));

/// The page of a mode.
#[derive(Debug, Clone, Copy)]
pub struct ModePage {
    /// The mode's number.
    pub id: u8,
    /// The file's name without its ending.
    pub name: &'static str,
    /// The whole text.
    pub text: &'static str,
}

/// The page of a mode.
pub fn page(id: u8) -> Option<&'static ModePage> {
    PAGES.iter().find(|page| page.id == id)
}

impl ModePage {
    /// What stands under a heading of the second level.
    pub fn section(&self, heading: &str) -> &'static str {
        let mark = format!("\n## {heading}\n");
        let Some(from) = self.text.find(&mark) else { return "" };
        let rest = self.text.get(from + mark.len()..).unwrap_or_default();
        rest.split("\n## ").next().unwrap_or_default().trim()
    }
}
