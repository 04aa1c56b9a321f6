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

/// A checksum that tells a file that was written whole from a torn one. It costs next to nothing, and is no proof against
/// people.
pub fn checksum(bytes: &[u8]) -> u64 {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let with = |sum: u64, word: [u8; 8]| {
        let sum = (sum ^ u64::from_le_bytes(word)).wrapping_mul(ODD);
        sum ^ sum >> 29
    };
    let (words, rest) = bytes.as_chunks();
    let sum = words.iter().fold(bytes.len() as u64, |sum, word| with(sum, *word));
    if rest.is_empty() {
        return sum;
    }
    let mut last = [0; 8];
    last.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
    with(sum, last)
}

#[cfg(test)]
mod tests {
    use super::{checksum, hex, hex16};

    #[test]
    fn a_checksum_sees_each_byte_and_the_order() {
        let text = b"0123456789abcdefghijk";
        for at in 0..text.len() {
            let mut other = *text;
            other[at] ^= 1;
            assert_ne!(checksum(text), checksum(&other), "byte {at}");
            assert_ne!(checksum(text), checksum(&text[..at]), "cut at {at}");
        }
        assert_ne!(checksum(b"0123456789abcdef"), checksum(b"89abcdef01234567"));
        // States that were kept are compared with it.
        assert_eq!(
            [checksum(b""), checksum(b"abc"), checksum(text)],
            [0, 0xE091_D58C_3EAC_2653, 0x2843_F8F3_DC26_3656]
        );
    }

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
