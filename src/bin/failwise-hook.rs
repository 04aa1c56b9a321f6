//! The hook.
fn main() {}
