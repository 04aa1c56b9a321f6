//! The project's own pages, tables and files: each page is true, and each table that repeats another agrees with it.

#[path = "../sandbox/feeding.rs"]
mod feeding;
#[path = "../sandbox/learning.rs"]
mod learning;
#[path = "../sandbox/page_cases.rs"]
mod page_cases;
#[path = "../sandbox/rule_page.rs"]
mod rule_page;
#[path = "../sandbox/tracking.rs"]
mod tracking;
#[path = "../sandbox/trusting.rs"]
mod trusting;

mod advice_pages;
mod arbitration_policy;
mod argus_pages;
mod ci_page;
mod claims;
mod client_words;
mod english;
mod knowledge_pages;
mod mode_pages;
mod plugin_files;
mod ratchets;
mod reading_pages;
mod rule_pages;
mod schemas;
mod strategy_pages;
mod structure;
mod workflow_pages;
