//! Where a slice of a text stands in it.

/// Where a slice of a text begins in it, in bytes; None for a slice of another text.
pub fn offset_in(part: &str, text: &str) -> Option<usize> {
    let start = (part.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    (start + part.len() <= text.len()).then_some(start)
}

/// What stands before a slice of a text; nothing for a slice of another text.
pub fn before<'t>(part: &str, text: &'t str) -> &'t str {
    offset_in(part, text).and_then(|start| text.get(..start)).unwrap_or_default()
}

/// Whether a text begins with these letters in any case.
pub fn begins_in_any_case(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start))
}

/// The text behind a byte order mark.
pub fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_is_known_in_any_case() {
        assert!(begins_in_any_case("Error: x", "error") && begins_in_any_case("FAILED", "failed"));
        assert!(!["err", "x error", "erroé"].iter().any(|text| begins_in_any_case(text, "error")));
    }

    #[test]
    fn a_slice_is_found_where_it_stands() {
        let text = "one two two";
        assert_eq!(offset_in(&text[8..], text), Some(8));
        assert_eq!(before(&text[8..], text), "one two ");
        assert_eq!(offset_in(&text[11..], text), Some(11), "an empty slice at the end");
        let other = "two".to_owned();
        assert_eq!((offset_in(&other, text), before(&other, text)), (None, ""));
    }
}
