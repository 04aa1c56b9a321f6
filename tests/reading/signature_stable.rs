//! Signatures are compared across sessions and machines: `tests/pairs/stable.tsv` holds texts with the signatures that
//! they had, and their version. A change of any signature needs a new version.
//! `STABLE=accept cargo test --test reading signature_stable` writes the table anew; it refuses while the version is the same.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "the test reads its table; a broken one ends it")]

use std::fmt::Write;
use std::path::{Path, PathBuf};

use failwise::model::{Category, Object, ObjectKind, Reading, Signature};
use failwise::signature::{CallContext, sign};

/// A row: a category, an object or nothing, and the error line.
struct Row<'t> {
    category: &'t str,
    object: &'t str,
    line: &'t str,
    fine: &'t str,
    coarse: &'t str,
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pairs/stable.tsv")
}

fn row(line: &str) -> Row<'_> {
    let mut cells = line.split('\t');
    let mut next = || cells.next().unwrap();
    Row { fine: next(), coarse: next(), category: next(), object: next(), line: next() }
}

/// Signs a row; one without a category stands for output that nothing read.
fn signed(row: &Row<'_>) -> Signature {
    let origin =
        CallContext { operation: "rig all", program: Some("rig"), target: None, cwd: Some("/home/dev/project") };
    let mut reading = Reading::unrecognised();
    if row.category == "unread" {
        return sign(&origin, &reading, &row.line.replace("\\n", "\n"));
    }
    reading.category = Category::from_word(row.category).unwrap();
    reading.line = Some(row.line.to_owned());
    let kind = if row.category == "test_failure" { ObjectKind::Test } else { ObjectKind::Symbol };
    reading.objects.extend((!row.object.is_empty()).then(|| Object { kind, name: row.object.to_owned() }));
    sign(&origin, &reading, row.line)
}

#[test]
fn a_signature_changes_only_with_its_version() {
    let table = std::fs::read_to_string(path()).unwrap();
    let (head, rows) = table.split_once('\n').unwrap();
    let version: u32 = head.strip_prefix("version ").unwrap().parse().unwrap();
    let rows: Vec<Row<'_>> = rows.lines().map(row).collect();
    assert!(rows.len() >= 60, "{} rows", rows.len());
    let changed: Vec<&Row<'_>> = rows
        .iter()
        .filter(|row| {
            let now = signed(row);
            now.fine != row.fine || now.coarse != row.coarse
        })
        .collect();
    if std::env::var("STABLE").is_ok_and(|wish| wish == "accept") && version != Signature::VERSION {
        std::fs::write(path(), written(&rows)).unwrap();
        return;
    }
    assert_eq!(version, Signature::VERSION, "the table is of another version: write it anew");
    let lines: Vec<&str> = changed.iter().map(|row| row.line).collect();
    assert!(lines.is_empty(), "raise Signature::VERSION, or keep what these lines had: {lines:#?}");
}

fn written(rows: &[Row<'_>]) -> String {
    let mut out = format!("version {}\n", Signature::VERSION);
    for row in rows {
        let Row { category, object, line, .. } = row;
        let now = signed(row);
        writeln!(out, "{}\t{}\t{category}\t{object}\t{line}", now.fine, now.coarse).unwrap();
    }
    out
}
