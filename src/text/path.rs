//! Paths as they stand in commands and outputs: text that need not name a file here.

/// What stands behind the last slash of a path: nothing where it ends in one, all of it where it holds none. A name of a
/// program is read by [`base_name`](crate::programs::base_name).
pub fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_stands_behind_the_last_slash() {
        for (path, wanted) in [("a/b/cart.go", "cart.go"), ("cart.go", "cart.go"), ("/srv/", ""), ("", ""), ("/a", "a")]
        {
            assert_eq!(file_name(path), wanted, "{path}");
        }
    }
}
