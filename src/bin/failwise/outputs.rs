//! Files that a person asked for.

use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use failwise::client::in_path;
use failwise::error::Error;

use crate::style::shown_path;

/// Tries whether a file can be written there, and leaves it as it is: long work is not done for nothing.
///
/// # Errors
/// When it cannot be written.
pub(crate) fn try_path(path: &Path) -> std::io::Result<()> {
    match fs_err::OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(_) => fs_err::remove_file(path),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            fs_err::OpenOptions::new().append(true).open(path).map(drop)
        }
        Err(error) => Err(error),
    }
}

/// Shows a page in the person's browser, and does not wait for that.
///
/// # Errors
/// When there is no program for it.
pub(crate) fn open_page(page: &Path) -> Result<(), Error> {
    let own = crate::env("BROWSER").filter(|program| !program.is_empty());
    // Without a display this one ends well and opens nothing.
    let has_display =
        ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| crate::env(name).is_some_and(|it| !it.is_empty()));
    let known = ["xdg-open", "open", "explorer.exe"].into_iter().filter(|name| has_display || *name != "xdg-open");
    let known = known.map(Into::into);
    let path = crate::env("PATH").unwrap_or_default();
    let program = own.into_iter().chain(known).find_map(|name| in_path(&name, &path));
    let unable = || {
        Error::unavailable("no browser was found, or no display")
            .hint(format!("open it yourself: {}, or set BROWSER to a program", shown_path(page)))
    };
    let mut command = Command::new(program.ok_or_else(unable)?);
    command.arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop).map_err(|_| unable())
}

/// Writes beside a file and puts that in its place by one rename, so that it is there as a whole or as it was. A link stays,
/// and the file that it leads to is replaced; a device or a pipe is written into.
///
/// # Errors
/// When it cannot be written; then nothing is left beside it.
pub(crate) fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    replace_by(path, |file| file.write_all(text.as_bytes()))
}

/// The same, with the folder that it is in.
///
/// # Errors
/// When the folder cannot be made, or the file not be written.
pub(crate) fn put(path: &Path, text: &str) -> std::io::Result<()> {
    path.parent().map_or(Ok(()), fs_err::create_dir_all)?;
    replace(path, text)
}

/// The same with what a function writes, for what is too long to be put together first.
///
/// # Errors
/// When it cannot be written, or the function fails.
#[expect(clippy::disallowed_methods, reason = "a person asked for this file")]
pub(crate) fn replace_by<T, E: From<std::io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> Result<T, E> {
    if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        // Opened twice: the first one fails at once where nobody reads a FIFO, and with the second a full one is waited for.
        let mut options = fs_err::OpenOptions::new();
        #[cfg(unix)]
        fs_err::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
        let _reader = options.write(true).open(path)?;
        return write(&mut fs_err::OpenOptions::new().write(true).open(path)?);
    }
    let path = &fs_err::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}", std::process::id()));
    let beside = path.with_file_name(name);
    // What a killed process of the same number left.
    let _ = fs_err::remove_file(&beside);
    let written = fs_err::OpenOptions::new().write(true).create_new(true).open(&beside).map_err(E::from);
    let written = written.and_then(|mut file| {
        // A file that its owner made private stays so.
        if let Ok(meta) = std::fs::metadata(path) {
            file.set_permissions(meta.permissions())?;
        }
        let value = write(&mut file)?;
        Ok(file.sync_all().map(|()| value)?)
    });
    let put = written.and_then(|value| Ok(fs_err::rename(&beside, path).map(|()| value)?));
    if put.is_err() {
        let _ = fs_err::remove_file(&beside);
    }
    put
}
