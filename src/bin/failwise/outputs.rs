//! Files that a person asked for.

use std::io::Write;
use std::path::Path;

/// Writes beside a file and puts that in its place by one rename, so that it is there as a whole or as it was.
///
/// # Errors
/// When it cannot be written; then nothing is left beside it.
#[expect(clippy::disallowed_methods, reason = "a person asked for this file")]
pub(crate) fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}", std::process::id()));
    let beside = path.with_file_name(name);
    // What a killed process of the same number left.
    let _ = fs_err::remove_file(&beside);
    let written = fs_err::OpenOptions::new().write(true).create_new(true).open(&beside).and_then(|mut file| {
        // A file that its owner made private stays so.
        if let Ok(meta) = std::fs::metadata(path) {
            file.set_permissions(meta.permissions())?;
        }
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all())
    });
    let put = written.and_then(|()| fs_err::rename(&beside, path));
    if put.is_err() {
        let _ = fs_err::remove_file(&beside);
    }
    put
}
