//! `failwise rules show`: one page under `rules/`.

use std::io::Write;

use failwise::error::Error;
use failwise::exit::Exit;
use failwise::score::pages::named;

/// Print one page under `rules/`: modes/10, classes/transient, readings/git, `strategies/fix_syntax`
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 printed, 64 unknown page name.")]
pub(super) struct RulesShowArgs {
    /// Folder and name of the page; for a failure mode, its number
    #[arg(value_name = "PAGE")]
    page: String,
}

pub(super) fn run(args: &RulesShowArgs) -> crate::CommandOutcome {
    let Some(page) = named(args.page.trim_end_matches(".md")) else {
        let error = Error::usage(format!("no page is called `{}`", crate::style::shown(&args.page, 80)));
        return Err(error.hint("`failwise rules test` lists all of them").into());
    };
    write!(std::io::stdout().lock(), "{}", page.text)?;
    Ok(Exit::Ok)
}
