//! A line without what names people and places: home folders and other whole paths, and the users in addresses.

/// What ends a word of a line.
const ENDS: &[char] =
    &[' ', '\t', '\n', '"', '\'', '`', '(', ')', '<', '>', '[', ']', '{', '}', ',', ';', '|', '=', '&'];

/// The line with `~` for the home folder of anybody, only the last name of other whole paths, and `…` for the user of an address.
pub(super) fn unnamed(line: &str) -> String {
    let pieces = line.split_inclusive(ENDS).map(|piece| {
        let word = piece.trim_end_matches(ENDS);
        let end = piece.get(word.len()..).unwrap_or_default();
        [without_place(&without_user(word)).as_str(), end].concat()
    });
    pieces.collect()
}

/// `…@host` of `user@host`, and of `https://user:key@host/path`.
fn without_user(word: &str) -> String {
    let Some((before, after)) = word.rsplit_once('@') else { return word.to_owned() };
    let (scheme, user) = before.rsplit_once("://").map_or(("", before), |(scheme, user)| (scheme, user));
    let is_host = after.starts_with(|sign: char| sign.is_ascii_alphabetic());
    // `actions/checkout@v4` is a version of a thing, and no user.
    if user.is_empty() || !is_host || scheme.is_empty() && user.contains('/') {
        return word.to_owned();
    }
    let scheme = if scheme.is_empty() { String::new() } else { format!("{scheme}://") };
    format!("{scheme}…@{after}")
}

fn without_place(word: &str) -> String {
    let word = word.strip_prefix("file://").unwrap_or(word);
    if word.contains("://") {
        return word.to_owned();
    }
    // A path begins a word, or follows a colon, as in `PATH` and in `host:/path`.
    let begins = |at: usize| at == 0 || word.get(..at).is_some_and(|before| before.ends_with([':', '@']));
    if let [drive, b':', b'\\' | b'/', ..] = word.as_bytes()
        && drive.is_ascii_alphabetic()
    {
        return shortened(word.get(2..).unwrap_or_default());
    }
    let Some(at) = word.match_indices('/').map(|(at, _)| at).find(|at| begins(*at)) else { return word.to_owned() };
    let (before, rest) = word.split_at(at);
    // What follows another colon is a place in the file, or another path.
    let (path, after) = rest.split_once(':').map_or((rest, None), |(path, after)| (path, Some(after)));
    let after = after.map(|after| format!(":{}", without_place(after))).unwrap_or_default();
    [before, &shortened(path), &after].concat()
}

/// A whole path: `~/…` below a home folder, else `…/` and its last name.
fn shortened(path: &str) -> String {
    let names: Vec<&str> = path.split(['/', '\\']).filter(|name| !name.is_empty()).collect();
    match names.as_slice() {
        ["home" | "Users", _, rest @ ..] | ["root", rest @ ..] => {
            std::iter::once("~").chain(rest.iter().copied()).collect::<Vec<_>>().join("/")
        }
        [] | [_] => path.to_owned(),
        [.., last] => format!("…/{last}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn homes_paths_and_users_are_not_named() {
        for (line, wanted) in [
            ("cat /home/ann/shop/cart.py", "cat ~/shop/cart.py"),
            ("open '/Users/Ben Li/x'", "open '~ Li/x'"),
            (r"dir C:\Users\carla\src\a.rs:3", "dir ~/src/a.rs:3"),
            ("ls D:/code/acme/x", "ls …/x"),
            ("cat /etc/passwd 2>/dev/null", "cat …/passwd 2>…/null"),
            ("PATH=/home/ann/bin:/usr/local/bin make", "PATH=~/bin:…/bin make"),
            ("scp a.txt dora@build.example:/srv/www/a.txt", "scp a.txt …@build.example:…/a.txt"),
            ("git clone https://eve:k3y@host.example/acme/x", "git clone https://…@host.example/acme/x"),
            ("Author: F <fred@host.example>", "Author: F <…@host.example>"),
            ("file:///home/ann/x.html", "~/x.html"),
            (
                "npx cowsay@1.2 @types/node actions/checkout@v4 a/b /x / //",
                "npx cowsay@1.2 @types/node actions/checkout@v4 a/b /x / //",
            ),
            ("", ""),
        ] {
            assert_eq!(unnamed(line), wanted, "{line}");
        }
    }
}
