//! The cases of the pages that the executable carries, played all at once.

use failwise::host::recovery::read_call;
use failwise::score::pages::{PageKind, all};

/// Every case of the pages of a kind is answered as its page says.
pub(crate) fn check(is_of: impl Fn(PageKind) -> bool) {
    let checked = all().filter(|page| is_of(page.kind)).map(|page| page.check(read_call));
    let faults: Vec<String> = checked
        .flat_map(|page| page.faults.into_iter().map(move |f| format!("{}, {}: {}", page.page, f.case, f.difference)))
        .collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}
