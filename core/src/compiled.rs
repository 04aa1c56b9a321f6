//! Where the compiled readings and secrets of projects are kept: in the user's state directory, where no repository writes,
//! for each content of a settings file one file with its readings and one with its secrets. An edge.

use std::io;
use std::path::PathBuf;

use crate::digest::{checksum, hex};
use crate::journal::put_private;
use crate::journal::read_small_bytes;
use crate::own::{Form, FormKind, LARGEST_FORM};
use crate::place::{Env, state_root};
use crate::trust::Trusted;

/// Where in the state directory they are.
const FORMS: &str = "forms";
/// The most that are kept: of branches and projects that a person goes back and forth between.
const MOST_FORMS: usize = 64;

/// The compiled form of this content of a settings file, where there is one and the person trusts the content: `trusted` is
/// what they trust of the project, asked for only where there is a form.
pub fn form_of<'t>(env: Env<'_>, content: &str, kind: FormKind, trusted: impl FnOnce() -> &'t Trusted) -> Option<Form> {
    let form = Form::read(read_small_bytes(&file_of(env, content, kind)?, LARGEST_FORM)?, kind)?;
    (form.is_of(content) && is_trusted(&form, trusted())).then_some(form)
}

/// Whether a person trusts the content that a form was made from.
fn is_trusted(form: &Form, trusted: &Trusted) -> bool {
    trusted.settings.iter().any(|known| known == form.fingerprint())
}

/// The file of a content. The form itself says which content it is of, so that a name need only tell them apart.
fn file_of(env: Env<'_>, content: &str, kind: FormKind) -> Option<PathBuf> {
    let ending = match kind {
        FormKind::Readings => "readings",
        FormKind::Secrets => "secrets",
    };
    let mut file = state_root(env)?.join(FORMS);
    file.push(hex(&checksum(content.as_bytes()).to_be_bytes(), 8));
    file.set_extension(ending);
    Some(file)
}

/// Keeps the compiled form of a content, or that there is nothing to compile in it.
///
/// # Errors
/// When it cannot be written, or nothing names a home.
pub fn keep_form(env: Env<'_>, content: &str, kind: FormKind, form: Option<&Form>) -> io::Result<()> {
    let no_home = || io::Error::new(io::ErrorKind::NotFound, "no home folder is known: set HOME");
    let file = file_of(env, content, kind).ok_or_else(no_home)?;
    let Some(bytes) = form.map(Form::bytes) else {
        let _ = std::fs::remove_file(file);
        return Ok(());
    };
    if read_small_bytes(&file, LARGEST_FORM).as_deref() == Some(bytes) {
        return Ok(());
    }
    put_private(&file, bytes)?;
    let mut forms = forms(env);
    forms.sort_by_key(|file| std::cmp::Reverse(std::fs::symlink_metadata(file).and_then(|meta| meta.modified()).ok()));
    for old in forms.iter().skip(MOST_FORMS) {
        let _ = std::fs::remove_file(old);
    }
    Ok(())
}

/// Takes away the forms of what a person trusts no longer. Best effort: without trust none is used.
pub fn forget_forms(env: Env<'_>, no_longer: &Trusted) {
    for file in forms(env) {
        let bytes = read_small_bytes(&file, LARGEST_FORM).unwrap_or_default();
        let form = FormKind::ALL.iter().find_map(|kind| Form::read(bytes.clone(), *kind));
        if form.is_none_or(|form| is_trusted(&form, no_longer)) {
            let _ = std::fs::remove_file(file);
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "an edge: forms are files")]
fn forms(env: Env<'_>) -> Vec<PathBuf> {
    let folder = state_root(env).map(|root| root.join(FORMS));
    let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}
