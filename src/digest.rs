//! Shortened SHA-256: the one hash that ids, signatures and file names are made from.

use sha2::{Digest, Sha256};

/// The first 16 hexadecimal digits of SHA-256 over the parts, each closed by a NUL so that no two lists of parts
/// collide by their joints.
pub fn hex16(parts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.as_bytes());
        hasher.update([0]);
    }
    hex(&hasher.finalize(), 8)
}

/// The first bytes of a digest as hexadecimal digits.
pub fn hex(digest: &[u8], bytes: usize) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = digest.iter().take(bytes).flat_map(|byte| [byte >> 4, byte & 15]);
    let text: Vec<u8> = digits.map(|digit| DIGITS[usize::from(digit)]).collect();
    String::from_utf8(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{hex, hex16};

    #[test]
    fn digits_are_those_of_the_bytes() {
        assert_eq!(hex(&[0x00, 0xf1, 0x0a, 0xff], 3), "00f10a");
        assert_eq!(hex(&[0xab], 8), "ab");
        // The first digits of SHA-256 of "abc" and a NUL.
        assert_eq!(hex16(&["abc"]), "dc1114cd074914bd");
    }

    #[test]
    fn joints_matter() {
        assert_ne!(hex16(&["ab", "c"]), hex16(&["a", "bc"]));
        assert_eq!(hex16(&["ab", "c"]).len(), 16);
    }
}
