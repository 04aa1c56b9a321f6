//! Places that differ from machine to machine and run to run: the working directory, home, temporary names.

use super::cursor::{Cursor, is_digit, is_name, is_word};
use super::{Context, Masked};

/// Whether a path may begin here: behind a blank, a sign or a URL's scheme, not within another path.
fn is_root(at: Cursor<'_>) -> bool {
    let url = at.before().ends_with(b"://");
    let inside = at.back(1).is_some_and(|byte| is_name(byte) || matches!(byte, b'/' | b'\\'));
    url || !(inside || at.is_behind_mask())
}

fn is_separator(byte: u8) -> bool {
    byte == b'/' || byte == b'\\'
}

/// A path below the working directory becomes relative to it, the directory itself a dot.
pub(super) fn below_cwd(at: Cursor<'_>, context: &Context<'_>) -> Option<Masked> {
    let cwd = context.cwd?.trim_end_matches(['/', '\\']).as_bytes();
    let cwd = cwd.strip_prefix(b"/private").unwrap_or(cwd);
    let start = if at.goes_on(b"/private/") { at.moved_to(at.at + b"/private".len()) } else { at };
    if cwd.len() < 2 || !start.goes_on(cwd) || !is_root(at) {
        return None;
    }
    let rest = at.moved_to(start.at + cwd.len());
    let inside = rest.moved_to(rest.run(is_separator));
    match (inside.at > rest.at, inside.byte().is_some_and(is_name)) {
        (true, true) if !inside.byte().is_some_and(is_digit) => Some(Masked::new(inside.at, "")),
        (true, _) => Some(Masked::new(inside.at, "./")),
        (false, true) => None,
        (false, false) => Some(Masked::new(rest.at, ".")),
    }
}

/// [`below_cwd`] of a directory that begins with a drive's letter.
pub(super) fn below_cwd_on_drive(at: Cursor<'_>, context: &Context<'_>) -> Option<Masked> {
    if at.ahead(1) == Some(b':') { below_cwd(at, context) } else { None }
}

/// `./a` is `a`.
pub(super) fn here(at: Cursor<'_>) -> Option<Masked> {
    let name = at.moved_to(at.at + 2);
    let named = name.byte().is_some_and(|byte| is_name(byte) && !is_digit(byte));
    if at.goes_on(b"./") && named && is_root(at) { Some(Masked::new(name.at, "")) } else { None }
}

/// Directories that a project has at its top, or a little below.
const SOURCES: &[&[u8]] = &[
    b"src",
    b"packages",
    b"apps",
    b"crates",
    b"tests",
    b"test",
    b"cmd",
    b"internal",
    b"pkg",
    b"spec",
    b"e2e",
    b"node_modules",
    b"site-packages",
];

/// Directories that hold no checkouts.
const SYSTEM: &[&[u8]] = &[b"/usr/", b"/etc/", b"/proc/", b"/sys/", b"/dev/", b"/lib/", b"/bin/"];

/// Another checkout's path up to the project's own directories: where a project lies says nothing of a failure.
pub(super) fn checkout(at: Cursor<'_>) -> Option<Masked> {
    let named = at.ahead(1).is_some_and(|byte| if at.byte() == Some(b'~') { byte == b'/' } else { is_name(byte) });
    if !named || !is_root(at) || SYSTEM.iter().any(|system| at.goes_on(system)) {
        return None;
    }
    let path = at.to(at.run(|byte| is_name(byte) || byte == b'/'));
    let mut start = 0;
    for name in path.split(|byte| *byte == b'/') {
        let inside = path.get(start + name.len()) == Some(&b'/');
        if start > 1 && inside && SOURCES.contains(&name) {
            return Some(Masked::new(at.at + start, ""));
        }
        start += name.len() + 1;
    }
    None
}

/// Directories of users on the systems that have them.
const HOMES: &[&[u8]] = &[b"/home/", b"/Users/"];
/// The superuser's own folder, at the top.
const SUPERUSER: &[u8] = b"root";

/// A user's own directory.
pub(super) fn home(at: Cursor<'_>) -> Option<Masked> {
    if !is_root(at) {
        return None;
    }
    let superuser = at.moved_to(at.at + 1);
    if superuser.goes_on(SUPERUSER) && superuser.ahead(SUPERUSER.len()) == Some(b'/') {
        return Some(Masked::new(superuser.at + SUPERUSER.len(), "~"));
    }
    let home = HOMES.iter().find(|home| at.goes_on(home))?;
    let user = at.moved_to(at.at + home.len());
    let end = user.run(is_name);
    if end > user.at { Some(Masked::new(end, "~")) } else { None }
}

/// `C:\Users\u`, its separators single or doubled.
pub(super) fn home_on_drive(at: Cursor<'_>) -> Option<Masked> {
    if at.ahead(1) != Some(b':') || !at.ahead(2).is_some_and(is_separator) || !at.is_start() {
        return None;
    }
    let users = at.moved_to(at.moved_to(at.at + 2).run(is_separator));
    let name = users.moved_to(users.at + b"Users".len());
    let user = name.moved_to(name.run(is_separator));
    let end = user.run(is_name);
    let home = users.goes_on(b"Users") && user.at > name.at && end > user.at;
    if home { temporary_on_drive(at.moved_to(end)).or_else(|| Some(Masked::new(end, "~"))) } else { None }
}

/// `\AppData\Local\Temp\NAME` below a home.
fn temporary_on_drive(home: Cursor<'_>) -> Option<Masked> {
    let mut at = home;
    for part in [&b"AppData"[..], b"Local", b"Temp"] {
        at = at.moved_to(at.run(is_separator));
        at = if at.goes_on(part) { at.moved_to(at.at + part.len()) } else { return None };
    }
    let name = at.moved_to(at.run(is_separator));
    Some(Masked::new(if name.at > at.at { temporary_end(name).unwrap_or(at.at) } else { at.at }, "<tmp>"))
}

/// Where systems keep temporary files.
const TEMPORARY: &[&[u8]] = &[b"/private/tmp/", b"/tmp/", b"/var/tmp/", b"/dev/shm/"];
const FOLDERS: &[&[u8]] = &[b"/private/var/folders/", b"/var/folders/"];

/// A temporary directory or file. A name that a person would choose is kept.
pub(super) fn temporary(at: Cursor<'_>) -> Option<Masked> {
    if !is_root(at) {
        return None;
    }
    if let Some(folder) = FOLDERS.iter().find(|folder| at.goes_on(folder)) {
        return Some(below_folders(at.moved_to(at.at + folder.len())));
    }
    let root = TEMPORARY.iter().find(|root| at.goes_on(root))?;
    temporary_end(at.moved_to(at.at + root.len())).map(|end| Masked::new(end, "<tmp>"))
}

/// Two names made by the system and a letter are above a temporary directory.
fn below_folders(at: Cursor<'_>) -> Masked {
    let mut at = at;
    for _ in 0..3 {
        let end = at.run(is_name);
        if at.moved_to(end).byte() != Some(b'/') {
            return Masked::new(end, "<tmp>");
        }
        at = at.moved_to(end + 1);
    }
    Masked::new(temporary_end(at).unwrap_or(at.at - 1), "<tmp>")
}

/// Where the made-up part of a temporary path ends, a file's ending not included; none when no part is made up.
fn temporary_end(name: Cursor<'_>) -> Option<usize> {
    let end = name.run(is_name);
    let text = name.to(end);
    if !is_made_up(text) {
        return None;
    }
    if name.moved_to(end).byte().is_some_and(is_separator) {
        return Some(numbered_end(name.moved_to(end)));
    }
    let dot = text
        .iter()
        .rposition(|byte| *byte == b'.')
        .filter(|dot| *dot > 0 && is_ending(text.get(dot + 1..).unwrap_or_default()));
    Some(dot.map_or(end, |dot| name.at + dot))
}

/// Past the numbered directories below a made-up one: `/001`, `/pytest-3`.
fn numbered_end(at: Cursor<'_>) -> usize {
    let mut at = at;
    while at.byte().is_some_and(is_separator) {
        let name = at.moved_to(at.at + 1);
        let end = name.run(is_name);
        let number = name.to(end).strip_prefix(b"pytest-").unwrap_or_else(|| name.to(end));
        if number.is_empty() || !number.iter().all(u8::is_ascii_digit) {
            break;
        }
        at = at.moved_to(end);
    }
    at.at
}

/// Digits, capitals within, or a beginning that libraries use: no person chose this name.
fn is_made_up(name: &[u8]) -> bool {
    let begins = [&b"tmp."[..], b".tmp", b"pytest-of-"].iter().any(|known| name.starts_with(known));
    let python = name.starts_with(b"tmp") && name.len() == 11;
    let capital = name.iter().skip(1).any(u8::is_ascii_uppercase);
    begins || python || capital || name.iter().any(u8::is_ascii_digit)
}

/// A file's ending: one to four letters.
fn is_ending(letters: &[u8]) -> bool {
    (1..=4).contains(&letters.len()) && letters.iter().all(u8::is_ascii_lowercase)
}

/// `T/TestName123456/001`: a test's own directory, however the path before it was cut.
pub(super) fn test_directory(at: Cursor<'_>) -> Option<Masked> {
    if !at.goes_on(b"T/Test") {
        return None;
    }
    let name = at.moved_to(at.at + 2);
    let end = name.run(is_word);
    let digits = name.to(end).iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let made = at.is_start() && digits >= 4;
    if made { Some(Masked::new(numbered_end(name.moved_to(end)), "<tmp>")) } else { None }
}

/// The most letters, digits and signs that programs put behind `.tmp`.
const LONGEST_SUFFIX: usize = 64;

/// `.tmp.PID.HEX` behind a file's name.
pub(super) fn temporary_suffix(at: Cursor<'_>) -> Option<Masked> {
    let suffix = at.moved_to(at.at + b".tmp.".len());
    if !at.goes_on(b".tmp.") && !at.goes_on(b".tmp-") {
        return None;
    }
    let end =
        suffix.run_within(LONGEST_SUFFIX, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
    let made = suffix.to(end).iter().any(u8::is_ascii_digit);
    let dots = suffix.to(end).iter().rev().take_while(|byte| **byte == b'.').count();
    if made { Some(Masked::new(end - dots, ".<tmp>")) } else { None }
}
