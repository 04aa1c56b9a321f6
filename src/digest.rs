//! Shortened SHA-256: the one hash that ids, signatures and file names are made from.

use std::fmt::Write;

use sha2::{Digest, Sha256};

/// The first 16 hexadecimal digits of SHA-256 over the parts, each closed by a NUL so that no two lists of parts
/// collide by their joints.
pub fn hex16(parts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.as_bytes());
        hasher.update([0]);
    }
    let digest = hasher.finalize();
    let mut hex = String::with_capacity(16);
    for byte in digest.iter().take(8) {
        // Writing into a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

#[cfg(test)]
mod tests {
    use super::hex16;

    #[test]
    fn joints_matter() {
        assert_ne!(hex16(&["ab", "c"]), hex16(&["a", "bc"]));
        assert_eq!(hex16(&["ab", "c"]).len(), 16);
    }
}
