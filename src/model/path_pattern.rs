//! Patterns of paths: `*` inside a name, `**` across folders.

/// The longest pattern that is looked at; a longer one matches nothing.
const LONGEST_PATTERN: usize = 512;
/// The most names of a path that are looked at.
const MOST_NAMES: usize = 256;

/// Whether `path` is what `pattern` names, or lies below it.
///
/// `*` stands for any part of one name, `**` for any number of folders. A pattern without a slash (`*.lock`, `dist`)
/// names a file or folder at any depth; one with a slash (`src/legacy`, `/Makefile`) starts at the project's root, so
/// the caller passes paths relative to it. Absolute paths are matched by patterns that are absolute, that begin with
/// `**`, or that hold no slash. `.` and `..` in the path are resolved first.
pub fn path_matches(pattern: &str, path: &str) -> bool {
    let pattern = pattern.trim().trim_start_matches("./").trim_end_matches('/');
    if pattern.is_empty() || pattern.len() > LONGEST_PATTERN {
        return false;
    }
    let floats = !pattern.contains('/') || pattern.starts_with("**/");
    if is_absolute(path) && !floats && !pattern.starts_with('/') {
        return false;
    }
    let names = names_of(path);
    let wanted: Vec<&str> = names_of_pattern(pattern, floats);
    !wanted.is_empty() && begins_with(&wanted, &names)
}

fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '\\'])
}

fn names_of_pattern(pattern: &str, floats: bool) -> Vec<&str> {
    let lead = floats.then_some("**");
    lead.into_iter().chain(pattern.split('/').filter(|name| !matches!(*name, "" | "."))).collect()
}

fn names_of(path: &str) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for name in path.split(['/', '\\']).take(MOST_NAMES) {
        match name {
            "" | "." => {}
            ".." if names.last().is_some_and(|last| *last != "..") => {
                names.pop();
            }
            _ => names.push(name),
        }
    }
    names
}

/// Whether the first names of `names` match all of `wanted`. One step back to the latest `**` is enough, because
/// whatever an earlier one could take, the latest can take too.
fn begins_with(wanted: &[&str], names: &[&str]) -> bool {
    let (mut w, mut n) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while let Some(want) = wanted.get(w) {
        // A `**` at the end asks for one name at least: `dist/**` is what is in `dist`, not `dist` itself.
        if *want == "**" && w + 1 < wanted.len() {
            w += 1;
            retry = Some((w, n));
            continue;
        }
        let Some(name) = names.get(n) else { return false };
        if name_matches(want, name) {
            (w, n) = (w + 1, n + 1);
        } else if let Some((after, taken)) = retry {
            retry = Some((after, taken + 1));
            (w, n) = (after, taken + 1);
        } else {
            return false;
        }
    }
    true
}

/// Whether one name matches one part of a pattern, in time proportional to their product at worst.
fn name_matches(want: &str, name: &str) -> bool {
    let (want, name) = (want.as_bytes(), name.as_bytes());
    let (mut w, mut n) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while let Some(byte) = name.get(n) {
        match want.get(w) {
            Some(b'*') => {
                w += 1;
                retry = Some((w, n));
            }
            Some(wanted) if wanted == byte => (w, n) = (w + 1, n + 1),
            _ => {
                let Some((after, taken)) = retry else { return false };
                retry = Some((after, taken + 1));
                (w, n) = (after, taken + 1);
            }
        }
    }
    want.get(w..).is_some_and(|rest| rest.iter().all(|byte| *byte == b'*'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::path_matches;

    #[rustfmt::skip]
    const CASES: &[(&str, &str, bool)] = &[
        // pattern           path                          matches
        ("Cargo.lock",       "Cargo.lock",                 true),
        ("Cargo.lock",       "crates/core/Cargo.lock",     true),
        ("Cargo.lock",       "Cargo.lock.bak",             false),
        ("/Cargo.lock",      "crates/core/Cargo.lock",     false),
        ("/Cargo.lock",      "Cargo.lock",                 true),
        ("*.lock",           "deep/er/yarn.lock",          true),
        ("*.lock",           "lock",                       false),
        ("dist",             "web/dist/app.js",            true),
        ("dist/",            "dist/app.js",                true),
        ("dist",             "web/distinct/app.js",        false),
        ("src/billing",      "src/billing/tax.rs",         true),
        ("src/billing",      "src/billing",                true),
        ("src/billing",      "src/billing2/tax.rs",        false),
        ("src/billing",      "other/src/billing/tax.rs",   false),
        ("./src/billing",    "src/billing/tax.rs",         true),
        ("src/billing",      "./src/x/../billing/tax.rs",  true),
        ("src/billing",      "src/billing/../open.rs",     false),
        ("src/*.rs",         "src/lib.rs",                 true),
        ("src/*.rs",         "src/a/lib.rs",               false),
        ("src/**/*.rs",      "src/lib.rs",                 true),
        ("src/**/*.rs",      "src/a/b/lib.rs",             true),
        ("src/**/*.rs",      "src/a/b/lib.py",             false),
        ("src/**",           "src/a",                      true),
        ("src/**",           "src",                        false),
        ("**/gen/**",        "a/b/gen/c/d.ts",             true),
        ("**/gen/**",        "gen/d.ts",                   true),
        ("**/gen/**",        "a/b/gen",                    false),
        ("**",               "anything/at/all",            true),
        ("a/**/b/**/c",      "a/b/x/b/y/c",                true),
        ("a/**/b/**/c",      "a/b/x/d",                    false),
        ("src\u{e9}/*",      "src\u{e9}/\u{4e2d}",         true),
        ("src/*",            "/home/me/src/x",             false),
        ("/etc/*",           "/etc/hosts",                 true),
        ("*.pem",            "/etc/ssl/a.pem",             true),
        ("src/billing",      "src\\billing\\tax.rs",       true),
        ("",                 "a",                          false),
        ("/",                "a",                          false),
        ("a",                "",                           false),
    ];

    #[test]
    fn patterns_match_what_they_name() {
        for (pattern, path, matches) in CASES {
            assert_eq!(path_matches(pattern, path), *matches, "{pattern} against {path}");
        }
    }

    /// A second matcher, slow and obvious, for names without slashes.
    fn slow(want: &[u8], name: &[u8]) -> bool {
        match (want.split_first(), name.split_first()) {
            (None, None) => true,
            (Some((b'*', rest)), _) if slow(rest, name) => true,
            (Some((b'*', _)), Some((_, rest))) => slow(want, rest),
            (Some((a, want)), Some((b, name))) if a == b => slow(want, name),
            _ => false,
        }
    }

    #[test]
    fn many_stars_stay_cheap() {
        let pattern = "*a".repeat(250);
        let name = "a".repeat(20_000) + "b";
        assert!(!path_matches(&pattern, &name));
        let folders = "**/a/".repeat(80) + "z";
        assert!(!path_matches(&folders, &"a/".repeat(5_000)));
    }

    proptest! {
        #[test]
        fn names_match_as_the_obvious_matcher_says(want in "[ab*]{1,8}", name in "[ab]{1,10}") {
            // Two stars in a row stand for folders and are not this matcher's matter.
            prop_assume!(!want.contains("**"));
            prop_assert_eq!(super::name_matches(&want, &name), slow(want.as_bytes(), name.as_bytes()));
        }

        #[test]
        fn a_plain_path_matches_itself_and_what_is_below(path in "[a-z]{1,4}(/[a-z]{1,4}){1,5}", below in "[a-z]{1,4}") {
            prop_assert!(path_matches(&path, &path));
            let deeper = format!("{path}/{below}");
            prop_assert!(path_matches(&path, &deeper));
        }

        #[test]
        fn nothing_panics(pattern in "\\PC{0,40}", path in "\\PC{0,40}") {
            path_matches(&pattern, &path);
        }
    }
}
