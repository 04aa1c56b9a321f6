//! `failwise rules show`: one page under `rules/`.

use std::io::Write;

use failwise::error::Error;
use failwise::exit::Exit;
use failwise::score::pages::text_of;

/// Print one page under `rules/`: modes/10, classes/transient-failure, readings/git, `strategies/fix_syntax`, advice/known
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 printed, 1 no such page.\n\nExamples:\n  failwise rules show classes/transient-failure\n  failwise rules show 10"
)]
pub(super) struct RulesShowArgs {
    /// Folder and name of the page; for a failure mode, its number
    #[arg(value_name = "PAGE")]
    page: String,
}

pub(super) fn run(args: &RulesShowArgs) -> crate::CommandOutcome {
    let name = args.page.trim_start_matches("rules/").trim_end_matches(".md");
    let Some(text) = text_of(name) else {
        let error = Error::refused(format!("no page is called `{}`", crate::style::shown(&args.page, 80)));
        let folders = "advice, argus, classes, knowledge, modes, readings, strategies and workflow";
        return Err(error.hint(format!("pages are in {folders}; `failwise rules test` lists those with cases")).into());
    };
    write!(std::io::stdout().lock(), "{text}")?;
    Ok(Exit::Ok)
}
