//! Patterns of paths, as shells and `.gitignore` have them.

use fast_glob::{glob_match, validate};

/// The longest pattern that is looked at; a longer one matches nothing.
const LONGEST_PATTERN: usize = 512;
/// The longest path that is looked at.
const LONGEST_PATH: usize = 1024;
/// The most names of a path that are looked at.
const MOST_NAMES: usize = 256;
/// The most spellings that the braces of a pattern may have together. The matcher tries each of them, and ten pairs of
/// braces, which fit into one line of somebody's repository, have millions.
const MOST_SPELLINGS: usize = 32;

/// Whether `path` is what `pattern` names, or is below it.
///
/// `*` matches any part of one name, `**` for any number of folders, `?` for one character, `[ab]` for one of these,
/// `[!ab]` for any other one, `{a,b}` for either, and a character behind `\` for itself. A pattern without a slash
/// (`*.lock`, `dist`) names a file or folder at any depth; one with a slash (`src/legacy`, `/Makefile`) starts at the
/// project's root, so the caller passes paths relative to it. Absolute paths are matched by patterns that are absolute,
/// that begin with `**`, or that hold no slash. `.` and `..` in the path are resolved first.
///
/// A pattern that has a [`pattern_problem`] matches no more than the path that is spelt like it.
pub fn path_matches(pattern: &str, path: &str) -> bool {
    let Some(pattern) = Pattern::of(pattern) else { return false };
    if path.len() > LONGEST_PATH || (is_absolute(path) && !pattern.floats() && !is_absolute(pattern.text)) {
        return false;
    }
    pattern.covers(&names_of(path))
}

/// Why a pattern cannot be used, as the end of a sentence.
pub fn pattern_problem(pattern: &str) -> Option<String> {
    let Some(pattern) = Pattern::of(pattern) else {
        return Some(format!("is empty or longer than {LONGEST_PATTERN} bytes"));
    };
    if pattern.is_negated() {
        return Some("begins with `!`, but a pattern takes nothing back; write `\\!` for the sign itself".to_owned());
    }
    if spellings(pattern.text) > MOST_SPELLINGS {
        return Some(format!("has braces with more than {MOST_SPELLINGS} spellings; write several patterns"));
    }
    validate(pattern.text).err().map(|error| format!("cannot be read: {error}"))
}

/// A pattern that is neither empty nor too long.
struct Pattern<'a> {
    text: &'a str,
    /// Its names; none where it means the project itself.
    names: Vec<&'a str>,
}

impl<'a> Pattern<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let text = text.trim().trim_start_matches("./").trim_end_matches('/');
        let names = text.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
        (1..=LONGEST_PATTERN).contains(&text.len()).then_some(Self { text, names })
    }

    /// Whether it may begin at any depth.
    fn floats(&self) -> bool {
        !self.text.contains('/') || self.text.starts_with("**/")
    }

    /// Whether the matcher would take it for "all but".
    fn is_negated(&self) -> bool {
        self.names.first().is_some_and(|name| name.starts_with('!'))
    }

    fn is_tried(&self) -> bool {
        !self.is_negated() && spellings(self.text) <= MOST_SPELLINGS
    }

    /// Whether it names a path, or a folder above it. A path that is spelt like the pattern is meant in any case: names
    /// with brackets are common, such as `app/[id]/page.tsx`.
    fn covers(&self, path: &[&str]) -> bool {
        match self.names.as_slice() {
            _ if path.is_empty() => false,
            [] => self.floats(),
            [name] if self.floats() => {
                path.contains(name) || (self.is_tried() && path.iter().any(|one| glob_match(name, one)))
            }
            names => path.starts_with(names) || (self.is_tried() && glob_match(self.below(), path.join("/") + "/")),
        }
    }

    /// The pattern of what it names and of all below it, for paths that end with a slash. A `**` at the end asks for one
    /// name at least: `dist/**` is what is in `dist`, not `dist` itself.
    fn below(&self) -> String {
        let names = self.names.join("/");
        names.strip_suffix("/**").map_or_else(|| format!("{names}/**"), |above| format!("{above}/*/**"))
    }
}

/// How many spellings a pattern with so many braces and commas can have: most where each pair of braces holds the same
/// number.
fn spellings(pattern: &str) -> usize {
    let count = |sign| pattern.bytes().filter(|byte| *byte == sign).count();
    let (braces, commas) = (count(b'{'), count(b','));
    let most_in_one = (braces + commas).div_ceil(braces.max(1));
    most_in_one.saturating_pow(u32::try_from(braces).unwrap_or(u32::MAX))
}

fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '\\'])
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{path_matches, pattern_problem};

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
        ("src/{a,b}.rs",     "src/b.rs",                   true),
        ("src/{a,b}.rs",     "src/c.rs",                   false),
        ("{src,lib}/gen",    "lib/gen/deep/x.rs",          true),
        ("{src/a,lib}/gen",  "src/a/gen/x.rs",             true),
        ("{src/a,lib}/gen",  "x/lib/gen/x.rs",             false),
        ("*.{js,ts{,x}}",    "web/app.tsx",                true),
        ("*.{js,ts{,x}}",    "web/app.jsx",                false),
        ("**/{gen,out}/*.c", "a/b/out/x.c",                true),
        ("v[12]",            "api/v2/client.rs",           true),
        ("v[12]",            "api/v3/client.rs",           false),
        ("v[!12]",           "api/v3/client.rs",           true),
        ("v[!12]",           "api/v1/client.rs",           false),
        ("v[0-9].rs",        "v7.rs",                      true),
        ("src/[!a]/x",       "src//x",                     false),
        ("a?c",              "abc",                        true),
        ("a?c",              "ac",                         false),
        ("a?c",              "a/c",                        false),
        ("src/a?c/*",        "src/abc/d",                  true),
        ("app/[id]/page",    "app/[id]/page/x.tsx",        true),
        ("[id]",             "app/[id]/page.tsx",          true),
        ("app/[id",          "app/[id/x",                  true),
        ("app/\\[id\\]",     "app/i/x",                    false),
        ("a/\\*",            "a/*",                        true),
        ("a/\\*",            "a/b",                        false),
        ("src/.*",           "src/.env",                   true),
        ("src/*",            "src/.env",                   true),
        ("!a",               "b",                          false),
        ("/!a",              "b",                          false),
        ("./!a/b",           "b/b",                        false),
        ("\\!a",             "!a",                         true),
        ("a//b/./c",         "a/b/c",                      true),
        (".",                "any/thing",                  true),
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

    #[test]
    fn a_pattern_that_cannot_be_used_says_why() {
        for pattern in ["*.lock", "src/**", "{a,b}/[!c]?", "*.{js,jsx,ts,tsx,mjs,cjs}", "{a,b}{c,d}{e,f}{g,h}{i,j}"] {
            assert_eq!(pattern_problem(pattern), None, "{pattern}");
        }
        let long = "a".repeat(600);
        let many = "{a,b}".repeat(6);
        for (pattern, why) in [
            ("!a", "begins with `!`"),
            ("./!a", "begins with `!`"),
            ("/!a", "begins with `!`"),
            ("src/{a,b", "unclosed brace"),
            ("src/[ab", "unclosed character class"),
            ("a\\", "trailing backslash"),
            (&many, "more than 32 spellings"),
            (&long, "longer than 512"),
            ("/", "is empty"),
        ] {
            let problem = pattern_problem(pattern).unwrap_or_default();
            assert!(problem.contains(why), "{pattern}: {problem}");
        }
    }

    #[test]
    fn hostile_patterns_stay_cheap() {
        let deep = "a/".repeat(500);
        let long = "a".repeat(1_000) + "b";
        for pattern in [
            "*a".repeat(250),
            "**/a/".repeat(80) + "z",
            "**/*a".repeat(80) + "/z",
            "**/".to_owned() + &"*/*a*".repeat(60) + "z",
            "{a,aa,aaa,*}".repeat(30) + "z",
            "{,a,*,**/}".repeat(10) + "z",
            "{".repeat(500),
            "{a,".repeat(100) + &"}".repeat(100),
            "**/{*a,*}/{*a,*}/{*a,*}/{*a,*}/{*a,*}/z".to_owned(),
            "*{a,*}*{a,*}*{a,*}*{a,*}*{a,*}z".to_owned(),
            format!("{{{}z}}", "*a*z,".repeat(30)),
            "[".repeat(500),
            "[a-".repeat(100),
        ] {
            for path in [&deep, &long] {
                assert!(!path_matches(&pattern, path), "{pattern}");
            }
        }
        assert!(!path_matches("*", &"a".repeat(10_000)), "longer than any that is looked at");
    }

    /// Every spelling of a pattern whose braces are not nested.
    fn spelt(pattern: &str) -> Vec<String> {
        let Some((before, rest)) = pattern.split_once('{') else { return vec![pattern.to_owned()] };
        let (either, after) = rest.split_once('}').unwrap();
        either.split(',').flat_map(|one| spelt(&format!("{before}{one}{after}"))).collect()
    }

    /// A second matcher, slow and obvious, for names without slashes and braces.
    fn slow(pattern: &str, name: &str) -> bool {
        let Some(sign) = pattern.chars().next() else { return name.is_empty() };
        let (first, rest) = name.split_at(name.len().min(1));
        let behind = &pattern[1..];
        match sign {
            '*' => slow(behind, name) || (!first.is_empty() && slow(pattern, rest)),
            '?' => !first.is_empty() && slow(behind, rest),
            '[' => {
                let (set, behind) = behind.split_once(']').unwrap();
                let is_in = set.trim_start_matches('!').contains(first);
                !first.is_empty() && is_in != set.starts_with('!') && slow(behind, rest)
            }
            sign => first == sign.to_string() && slow(behind, rest),
        }
    }

    proptest! {
        #[test]
        fn names_match_as_the_obvious_matcher_says(
            pattern in "([ab*?]|\\[!?[abc]\\]|\\{[ab*]{0,2}(,[ab?]{0,2}){1,2}\\}){1,5}",
            name in "[abc]{1,8}",
        ) {
            prop_assume!(pattern_problem(&pattern).is_none());
            let spelt = spelt(&pattern);
            // Two stars in a row match folders and are not this matcher's matter.
            prop_assume!(!spelt.iter().any(|one| one.contains("**")));
            let expected = spelt.iter().any(|one| slow(one, &name));
            prop_assert_eq!(path_matches(&pattern, &name), expected);
            prop_assert_eq!(path_matches(&format!("x/{pattern}"), &format!("x/{name}/y")), expected);
        }

        #[test]
        fn a_plain_path_matches_itself_and_what_is_below(path in "[a-z]{1,4}(/[a-z]{1,4}){1,5}", below in "[a-z]{1,4}") {
            prop_assert!(path_matches(&path, &path));
            let deeper = format!("{path}/{below}");
            prop_assert!(path_matches(&path, &deeper));
        }

        #[test]
        fn nothing_panics(pattern in "([a*?/{},!^\\[\\]\\\\-]|\\PC){0,40}", path in "\\PC{0,40}") {
            path_matches(&pattern, &path);
            pattern_problem(&pattern);
        }
    }
}
