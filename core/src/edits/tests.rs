use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::model::{Difference as D, Unit};

fn said(text: &str, given: &str) -> Option<(u64, u64, Vec<D>)> {
    let misfit = misfit(text, given)?;
    if !misfit.differences.is_empty() {
        assert!(text.contains(&misfit.applied(given)), "{misfit:?}");
    }
    Some((misfit.first, misfit.last, misfit.differences))
}

fn deeper(unit: Unit, count: usize, except: &[u64]) -> D {
    D::Deeper { unit, count, except: except.to_vec() }
}

const TABS: &str = "package a\n\nfunc b() {\n\tif c {\n\t\td()\n\n\t\te()\n\t}\n}\n";

#[test]
fn indentation_that_is_off_by_so_much_on_each_line() {
    let given = "if c {\n\td()\n\n\te()\n}";
    assert_eq!(said(TABS, given), Some((4, 8, vec![deeper(Unit::Tab, 1, &[])])));
    assert_eq!(
        said(TABS, "\t\t\td()\n\n\t\t\te()\n"),
        Some((5, 7, vec![D::Shallower { unit: Unit::Tab, count: 1, except: vec![] }]))
    );
    let spaces = "class A:\n    def b(self):\n        return 1\n";
    assert_eq!(said(spaces, "  def b(self):\n      return 1\n"), Some((2, 3, vec![deeper(Unit::Space, 2, &[])])));
    assert_eq!(said(spaces, "\tdef b(self):\n\t\treturn 1"), Some((2, 3, vec![D::SpacesForTab { spaces: 4 }])));
    assert_eq!(said(TABS, "    if c {\n        d()"), Some((4, 5, vec![D::TabForSpaces { spaces: 4 }])));
    assert_eq!(
        said(TABS, "if c {\n  d()\n"),
        Some((4, 5, vec![D::TabForSpaces { spaces: 2 }, deeper(Unit::Tab, 1, &[])]))
    );
}

#[test]
fn lines_that_begin_as_given_are_named() {
    let text = "\t\ta()\n\t\tb()\n\t}\n}\nc\n";
    assert_eq!(said(text, "\ta()\n\tb()\n}\n}\nc"), Some((1, 5, vec![deeper(Unit::Tab, 1, &[4, 5])])));
    assert_eq!(
        said("x = [\n\t\ta,\n\t\tb,\n\t]\n", "= [\n\ta,\n\tb,\n]"),
        Some((1, 4, vec![deeper(Unit::Tab, 1, &[1])]))
    );
}

#[test]
fn ends_of_lines() {
    assert_eq!(said("a\r\nb\r\nc\r\n", "a\nb\n"), Some((1, 2, vec![D::Crlf])));
    assert_eq!(said("a\nb\nc\n", "b\r\nc\r\n"), Some((2, 3, vec![D::Lf])));
    let trailing = D::Trailing { line: 2, unit: Unit::Space, count: 2 };
    assert_eq!(said("a\nb  \nc\n", "b\nc"), Some((2, 3, vec![trailing])));
    assert_eq!(said("a\n\t\nc\n", "a\n\nc"), Some((1, 3, vec![D::Trailing { line: 2, unit: Unit::Tab, count: 1 }])));
    assert_eq!(said("a\n\nc\n", "a\n  \nc "), Some((1, 3, vec![D::NoTrailing])));
    let all = "\tif a {\r\n\t\tb\r\n\t}\r\n";
    assert_eq!(said(all, "if a {\n\tb\n}"), Some((1, 3, vec![deeper(Unit::Tab, 1, &[]), D::Crlf])));
}

#[test]
fn typographic_characters() {
    let sign = |file, given, lines: &[u64]| D::Sign { file, given, lines: lines.to_vec() };
    assert_eq!(said("x\nit’s so\n", "it's so"), Some((2, 2, vec![sign('’', '\'', &[2])])));
    assert_eq!(said("a\u{a0}b\n", "a b"), Some((1, 1, vec![sign('\u{a0}', ' ', &[1])])));
    assert_eq!(said("a = 'b'\n", "a = ‘b’"), Some((1, 1, vec![sign('\'', '‘', &[1]), sign('\'', '’', &[1])])));
    // One of several on a line: it cannot be said which.
    let found = misfit("'a' ’b’ – c\n", "'a' 'b' - c").unwrap();
    assert_eq!((found.first, found.differences.len(), found.has_signs), (1, 0, true));
}

#[test]
fn what_takes_more_words_is_told_by_its_place() {
    assert_eq!(said("a\nx  =  1;\ny = 2;\n", "x = 1;\ny = 2;"), Some((2, 3, vec![])));
    assert_eq!(said("f(\n  a,\n  b\n)\n", "f( a, b )"), Some((1, 4, vec![])));
    assert_eq!(said("a\n\n\nb\n", "a\nb"), Some((1, 4, vec![])));
    assert!(!misfit("a  b\n", "a b").unwrap().has_signs);
}

#[test]
fn near_misses_are_silent() {
    for (text, given) in [
        ("\ta()\n\ta()\n", "  a()"),
        ("  a\n a\n", "\ta"),
        ("\tab()\n", "  a()"),
        ("a b", "a b"),
        ("x a b", "y  b"),
        ("x a b", "  a  b"),
        ("a b", ""),
        ("a b", " \n"),
        ("", "a"),
        ("ab", "a b"),
        ("aa  b\n", "a b"),
        ("a  bc\n", "a b"),
        ("f(a  b)", " a b"),
        ("a  a  a", "a a"),
    ] {
        assert_eq!(misfit(text, given), None, "{text:?} {given:?}");
    }
    let large = "x\n".repeat(MOST_TEXT / 2) + "\ta b\n";
    assert_eq!(misfit(&large, "  a b"), None);
}

#[test]
fn several_edits_of_one_call() {
    let edit = |old: &str, new: &str| TextEdit { old: old.to_owned(), new: new.to_owned(), everywhere: false };
    let text = "a\nb\n\tc\n\td\n";
    let place = |edits: &[TextEdit]| misfit_in(text, edits).map(|misfit| (misfit.first, misfit.last));
    assert_eq!(place(&[edit("a", "a\na2"), edit("c\nd", "e")]), Some((3, 4)), "lines of the file as it is");
    assert_eq!(place(&[edit("a", "c\nd"), edit("c\n  d", "e")]), None, "the edit before it makes a second place");
    assert_eq!(place(&[edit("\tc", "\tx"), edit("  c", "e")]), None, "the edit before it takes the place");
    assert_eq!(place(&[edit("a", "x"), edit("b", "y")]), None, "nothing fails");
    assert_eq!(place(&[edit("", "x")]), None);
    let all = TextEdit { old: "a".to_owned(), new: "x".repeat(MOST_TEXT), everywhere: true };
    assert_eq!(all.applied(&"a".repeat(100)), None, "no edit grows beyond all bounds");
}

/// A program of so many lines, each another one, in blocks.
fn program(depths: &[u8], unit: &str) -> Vec<String> {
    let line = |(number, depth): (usize, &u8)| match depth {
        5.. => String::new(),
        depth => format!("{}call{number}(a, \"b\")", unit.repeat(usize::from(*depth))),
    };
    depths.iter().enumerate().map(line).collect()
}

fn numbered(lines: &[String], end: &str) -> String {
    lines.iter().fold(String::new(), |mut text, line| {
        let _ = write!(text, "{line}{end}");
        text
    })
}

proptest! {
    /// Any lines of a text, with white space changed in one way: the place is told, and what is told makes the text found.
    #[test]
    fn changed_white_space_is_told_and_undone(
        depths in proptest::collection::vec(0_u8..7, 4..30),
        tabs in any::<bool>(), crlf in any::<bool>(), change in 0..6, from in 0_usize..20, count in 1_usize..12,
    ) {
        let lines = program(&depths, if tabs { "\t" } else { "    " });
        let text = numbered(&lines, if crlf { "\r\n" } else { "\n" });
        let from = from % lines.len();
        let to = (from + count).min(lines.len());
        let chosen = &lines[from..to];
        let filled: Vec<usize> = (from..to).filter(|at| !lines[*at].is_empty()).collect();
        prop_assume!(!filled.is_empty());
        let least = chosen.iter().filter(|line| !line.is_empty()).map(|line| line.len() - line.trim_start().len()).min().unwrap();
        let changed = |line: &String| match change {
            _ if line.is_empty() => line.clone(),
            0 => line[least.min(if tabs { 1 } else { 4 })..].to_owned(),
            1 => format!("{}{line}", if tabs { "\t" } else { "  " }),
            2 => line.replace(if tabs { "\t" } else { "    " }, if tabs { "  " } else { "\t" }),
            3 => format!("{line}  "),
            4 => line.replace('"', "”"),
            _ => line.replace("(a, ", "(a,   "),
        };
        let given = chosen.iter().map(changed).collect::<Vec<_>>().join("\n");
        let Some(found) = misfit(&text, &given) else {
            prop_assert!(text.contains(&given), "{given:?} in {text:?}");
            return Ok(());
        };
        prop_assert_eq!((found.first, found.last), (filled[0] as u64 + 1, filled[filled.len() - 1] as u64 + 1));
        if change < 5 {
            prop_assert!(!found.differences.is_empty(), "{:?} in {:?}", given, text);
        }
        if !found.differences.is_empty() {
            prop_assert_eq!(text.matches(&found.applied(&given)).count(), 1, "{:?}", found);
        }
        // The same text twice, and another word in it, are silent.
        prop_assert_eq!(misfit(&(text.clone() + &text), &given), None);
        let number = format!("call{}(", filled[0]);
        prop_assert_eq!(misfit(&text, &given.replacen(&number, "other(", 1)), None);
    }

    /// A place is told exactly where a plain search of the whole folded text finds one.
    #[test]
    fn places_are_those_of_a_plain_search(text in "[abé\t \n’'–-]{0,60}", given in "[abé \n’'-]{1,5}") {
        let wanted = folded(given.trim());
        let whole = folded(&text);
        let starts = whole.char_indices().filter(|(at, _)| whole[*at..].starts_with(&wanted)).count();
        let has_part = wanted.chars().any(char::is_alphabetic);
        let place = only_place(&text, &wanted);
        prop_assert_eq!(place.is_some(), starts == 1 && has_part);
        if let Some(place) = place {
            prop_assert_eq!(folded(&text[place]), wanted);
        }
    }

    /// Any two texts: what is found has the same words, once.
    #[test]
    fn what_is_found_has_the_same_words(text in "[ab\t \n\r’'\u{a0}]{0,40}", given in "[ab\t \n\r’'\u{a0}]{0,8}") {
        if let Some(found) = misfit(&text, &given) {
            let lines = (1..).zip(text.split('\n')).filter(|(number, _)| (found.first..=found.last).contains(number));
            let place = lines.map(|(_, line)| line).collect::<Vec<_>>().join("\n");
            prop_assert!(folded(&place).contains(&folded(given.trim())));
            prop_assert_eq!(folded(&text).matches(&folded(given.trim())).count(), 1);
            if !found.differences.is_empty() {
                prop_assert!(text.contains(&found.applied(&given)));
            }
        }
    }
}
