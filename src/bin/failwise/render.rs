//! `failwise render`: the prompt that a command file makes of its arguments.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use failwise::error::Error;
use failwise::exit::Exit;
use failwise::stream::{Arguments, CommandFile, Rendered, TemplateDialect, is_var_name};

use crate::inputs::{read_bounded, read_named, warn};
use crate::result::without_line_end;
use crate::style::shown;

const AFTER_HELP: &str = "\
Dialects:
  claude  Claude Code's commands: $0 is the first argument, $ARGUMENTS[1] the second, $ARGUMENTS all of them with \
blanks between. $name is one named in the front matter, and \\$0 stays $0. Without a placeholder, all arguments are appended.
  adw     agent work orders: $1 is the first argument, $ARGUMENTS all of them with `, ` between, ${NAME} a value given \
by --var. A placeholder without an argument stays, and nothing is appended.

Arguments are data and are never expanded again. !`cmd` is not run, and ${CLAUDE_...} stays, because only the client \
knows it.

Exit codes: 0 rendered, 1 a placeholder or an argument is left over (--check), 64 wrong command line, 65 the file is \
not UTF-8, 74 the file could not be read.

Examples:
  failwise render .claude/commands/fix.md 42 \"the parser\" | claude -p
  gh issue view 42 | failwise render --dialect adw classify.md -
  failwise render --check commands/plan.md 42 wo-1";

/// Print the prompt of a command file, with its arguments inserted
///
/// The text of FILE.md goes to stdout byte for byte, without its front matter. Each placeholder is replaced, in one pass
/// from left to right.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct RenderArgs {
    #[command(flatten)]
    template: TemplateArgs,
    /// Print only placeholders without an argument and arguments without a placeholder; exit 1 if any
    #[arg(long)]
    check: bool,
}

/// A command file and what is put into it.
#[derive(Debug, clap::Args)]
pub(crate) struct TemplateArgs {
    /// The command file; - reads it from stdin
    #[arg(value_name = "FILE.md")]
    pub(crate) file: PathBuf,
    /// The arguments, one each; - reads one from stdin, without its final line end
    #[arg(value_name = "ARG")]
    pub(crate) args: Vec<String>,
    /// The arguments as typed after the command's name; split as by Claude Code (dialect claude)
    #[arg(long, value_name = "TEXT", conflicts_with = "args", allow_hyphen_values = true)]
    arguments: Option<String>,
    /// A value for ${NAME} (dialect adw); may be repeated
    #[arg(long = "var", value_name = "NAME=VALUE", value_parser = var)]
    vars: Vec<(String, String)>,
    /// Style of placeholders, instead of the one in the file's front matter
    #[arg(long, value_enum)]
    dialect: Option<DialectWord>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DialectWord {
    /// As Claude Code's commands: $0, $ARGUMENTS, names
    Claude,
    /// As agent work orders: $1, $ARGUMENTS, ${NAME}
    Adw,
}

impl From<DialectWord> for TemplateDialect {
    fn from(dialect: DialectWord) -> Self {
        match dialect {
            DialectWord::Claude => Self::Claude,
            DialectWord::Adw => Self::Adw,
        }
    }
}

pub(crate) fn run(args: &RenderArgs) -> crate::CommandOutcome {
    let rendered = args.template.rendered()?;
    let mut out = std::io::stdout().lock();
    if args.check {
        for placeholder in &rendered.unfilled {
            writeln!(out, "{}: no argument for this placeholder", shown(placeholder, 80))?;
        }
        for argument in &rendered.unused {
            writeln!(out, "{}: no placeholder takes it", shown(argument, 80))?;
        }
        let is_whole = rendered.unfilled.is_empty() && rendered.unused.is_empty();
        return Ok(if is_whole { Exit::Ok } else { Exit::Differs });
    }
    tell_unused(&rendered);
    out.write_all(rendered.text.as_bytes())?;
    out.flush()?;
    Ok(Exit::Ok)
}

/// Names on stderr what no placeholder took, and what is therefore not in the prompt.
pub(crate) fn tell_unused(rendered: &Rendered) {
    if !rendered.appended && !rendered.unused.is_empty() {
        let list = rendered.unused.iter().map(|argument| shown(argument, 80)).collect::<Vec<_>>().join(", ");
        warn(&format!("no placeholder takes {list}: it is not in the prompt"));
    }
}

impl TemplateArgs {
    /// Reads the file and what is on stdin, and puts the arguments in.
    pub(crate) fn rendered(&self) -> Result<Rendered, Error> {
        let mut stdin = Stdin::default();
        let text = if is_stdin(&self.file) { stdin.text("the command file")? } else { read_text(&self.file)? };
        let words = self.args.iter().map(|word| if word == "-" { stdin.argument() } else { Ok(word.clone()) });
        let words = words.collect::<Result<Vec<_>, _>>()?;
        let file = CommandFile::parse(&text);
        let dialect = self.dialect_of(&file)?;
        let arguments = self.arguments.as_deref().map_or_else(|| Arguments::of_words(words), Arguments::typed);
        Ok(file.render(&arguments.with_vars(self.vars.clone()), dialect))
    }

    fn dialect_of(&self, file: &CommandFile<'_>) -> Result<TemplateDialect, Error> {
        let dialect = match self.dialect {
            Some(dialect) => dialect.into(),
            None => dialect_of(file)?,
        };
        let misplaced = match dialect {
            TemplateDialect::Claude if !self.vars.is_empty() => "--var belongs to the dialect adw",
            TemplateDialect::Adw if self.arguments.is_some() => "--arguments belongs to the dialect claude",
            _ => return Ok(dialect),
        };
        Err(Error::usage(misplaced).hint("give --dialect, or a line `dialect: adw` in the file's front matter"))
    }
}

/// The dialect that a file asks for; the client's where it asks for none.
///
/// # Errors
/// When it asks for one that is not known.
pub(crate) fn dialect_of(file: &CommandFile<'_>) -> Result<TemplateDialect, Error> {
    let Some(word) = file.dialect() else { return Ok(TemplateDialect::Claude) };
    TemplateDialect::parse(&word).ok_or_else(|| {
        let message = format!("the front matter asks for the dialect `{}`, which is not known", shown(&word, 40));
        Error::unreadable(message).hint("known are claude and adw")
    })
}

/// What stands on stdin, which can be read once.
#[derive(Default)]
pub(crate) struct Stdin {
    is_read: bool,
}

impl Stdin {
    /// All of it as text.
    ///
    /// # Errors
    /// When it was read before, cannot be read, or is no text.
    pub(crate) fn text(&mut self, what: &str) -> Result<String, Error> {
        if std::mem::replace(&mut self.is_read, true) {
            let error = Error::usage("- is stdin, and was given twice");
            return Err(error.hint("write what else comes from a pipe into a file"));
        }
        text_of(read_bounded(std::io::stdin().lock(), "stdin")?, what)
    }

    /// All of it as an argument: without the line end that programs print behind a text.
    ///
    /// # Errors
    /// As [`Stdin::text`].
    pub(crate) fn argument(&mut self) -> Result<String, Error> {
        self.text("the argument on stdin").map(without_line_end)
    }
}

/// Whether a path stands for stdin.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// A file of text.
///
/// # Errors
/// When it cannot be read, or is no text.
pub(crate) fn read_text(path: &Path) -> Result<String, Error> {
    text_of(read_named(path)?, &path.display().to_string())
}

/// The text that stdin holds.
///
/// # Errors
/// When it cannot be read, or is no text.
pub(crate) fn read_stdin() -> Result<String, Error> {
    text_of(read_bounded(std::io::stdin().lock(), "stdin")?, "stdin")
}

fn text_of(bytes: Vec<u8>, what: &str) -> Result<String, Error> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::unreadable(format!("{} is not UTF-8: byte {at} belongs to no character", shown(what, 200)))
            .hint("save it as UTF-8")
    })
}

fn var(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if is_var_name(name) => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write NAME=VALUE; a name is made of letters, digits and _".to_owned()),
    }
}
