//! Bytes as text, for records that keep whole files (RFC 4648, with padding).

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const PAD: char = '=';

/// Bytes as letters.
pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for part in bytes.chunks(3) {
        let byte = |at: usize| u32::from(part.get(at).copied().unwrap_or_default());
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for (at, shift) in [18, 12, 6, 0].into_iter().enumerate() {
            let letter = ALPHABET.get((word >> shift & 63) as usize).copied().map_or(PAD, char::from);
            text.push(if at <= part.len() { letter } else { PAD });
        }
    }
    text
}

/// The bytes that letters stand for; None where they are no such text. Line ends are stepped over.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let letters: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let padded = letters.iter().rev().take_while(|byte| **byte == PAD as u8).count();
    let letters = letters.get(..letters.len() - padded)?;
    if padded > 2 || !(letters.len() + padded).is_multiple_of(4) {
        return None;
    }
    let mut bytes = Vec::with_capacity(letters.len() / 4 * 3 + 2);
    for part in letters.chunks(4) {
        let mut word = 0;
        for letter in part {
            word = word << 6 | value(*letter)?;
        }
        word <<= 6 * (4 - part.len());
        let [_, first, second, third] = u32::to_be_bytes(word);
        bytes.extend([first, second, third].into_iter().take(part.len() - 1));
    }
    Some(bytes)
}

fn value(letter: u8) -> Option<u32> {
    let value = match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{decode, encode};

    #[test]
    fn the_examples_of_the_standard_hold() {
        for (plain, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")] {
            assert_eq!(encode(plain.as_bytes()), text);
            assert_eq!(decode(text).as_deref(), Some(plain.as_bytes()));
        }
        assert_eq!(decode("Zm9v\nYg==\n").as_deref(), Some(&b"foob"[..]));
        for wrong in ["Z", "Zg", "Zg=", "====", "Zm9v!g==", "=Zg="] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn bytes_come_back(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert_eq!(decode(&encode(&bytes)), Some(bytes));
        }
    }
}
