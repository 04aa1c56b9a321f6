//! Forms of calls that work where nobody sits at a terminal: one row a program, subcommand and failure mode.
//!
//! Every option and variable in the table stands in the program's own help text or manual page: `tests/reading/forms.rs` holds each
//! row to the texts recorded in `tests/forms_help/`.

mod call;
mod table;

pub use table::FORMS;

use crate::programs::stand_ins::SAME;
use call::Call;

use crate::programs::{self, own_words};

/// What has to change in a call so that it works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Options are added.
    Flag,
    /// Variables are set for this call.
    Variable,
    /// Another subcommand, another order of words or another program.
    Form,
    /// Standard input comes from a file, from a pipe or from nowhere.
    Input,
}

/// How the working form is made from the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Make {
    /// The text goes behind the subcommand, or behind the program where the row names none.
    Behind,
    /// The text goes before the program.
    Before,
    /// The call is written anew: `{program}` is the program as it was written, `{rest}` all words behind it, `{head}` the
    /// words from the program to the subcommand, `{args}` those behind that.
    Anew(&'static str),
    /// Only who knows what the call is for can write it.
    Never,
}

/// A row: what works for a program in a failure mode.
#[derive(Debug, PartialEq, Eq)]
pub struct Form {
    /// The program's name without folder and version: `python` for `/usr/bin/python3.11`.
    pub program: &'static str,
    /// The subcommand's words with blanks between them; empty where the row is about every call of the program.
    pub subcommand: &'static str,
    /// The failure mode's number.
    pub mode: u8,
    /// What changes.
    pub change: Change,
    /// The change as a person would type it: options, variables, or the whole other form. Words in capitals and `...` stand
    /// for what only the caller knows.
    pub text: &'static str,
    /// What the change does, in one sentence.
    pub note: &'static str,
    make: Make,
    /// Words that the working form leaves out.
    without: &'static [&'static str],
}

const fn row(
    (program, subcommand): (&'static str, &'static str),
    mode: u8,
    (change, make): (Change, Make),
    text: &'static str,
    note: &'static str,
) -> Form {
    Form { program, subcommand, mode, change, text, note, make, without: &[] }
}

const fn flag(call: (&'static str, &'static str), mode: u8, text: &'static str, note: &'static str) -> Form {
    row(call, mode, (Change::Flag, Make::Behind), text, note)
}

const fn variable(call: (&'static str, &'static str), mode: u8, text: &'static str, note: &'static str) -> Form {
    row(call, mode, (Change::Variable, Make::Before), text, note)
}

const fn form(call: (&'static str, &'static str), mode: u8, text: &'static str, note: &'static str) -> Form {
    row(call, mode, (Change::Form, Make::Never), text, note)
}

const fn input(call: (&'static str, &'static str), mode: u8, text: &'static str, note: &'static str) -> Form {
    row(call, mode, (Change::Input, Make::Never), text, note)
}

impl Form {
    const fn anew(mut self, template: &'static str) -> Self {
        self.make = Make::Anew(template);
        self
    }

    const fn never(mut self) -> Self {
        self.make = Make::Never;
        self
    }

    const fn without(mut self, words: &'static [&'static str]) -> Self {
        self.without = words;
        self
    }

    /// Whether the form only makes the call end where it would wait: no help to one that ended by itself. The notes of such
    /// rows say it in their first words.
    pub fn only_ends(&self) -> bool {
        ["Fails ", "Refuses ", "Gives up", "Gives a request up", "Turns all questions off"]
            .iter()
            .any(|start| self.note.starts_with(start))
    }

    /// Whether a command line has the form already: its first option, or its first variable.
    pub fn is_in(&self, line: &str) -> bool {
        let name = |word: &str| word.split_once('=').map_or(word, |(name, _)| name).to_owned();
        match self.change {
            Change::Flag | Change::Variable => {
                let first = self.text.split_ascii_whitespace().next().map(name);
                line.split_ascii_whitespace().any(|word| first == Some(name(word)))
            }
            Change::Form | Change::Input => line.contains(self.text) || self.working(line).as_deref() == Some(line),
        }
    }

    /// The command line with this row's call in its working form, what stands around the call as it was. None where the
    /// line does not hold the call, and where the form cannot be made from the call alone: no word of a call is ever lost,
    /// save those that the row leaves out.
    ///
    /// Quotes stay as they were written. Words in capitals and `...` in the row's text are left for the caller to fill in.
    pub fn working(&self, line: &str) -> Option<String> {
        let call = Call::find(line, self.program, self.subcommand)?;
        // What is said to the script of an interpreter stays as it is.
        let own = own_words(programs::find(self.program), &[&*call.head, &*call.args].concat());
        let kept = |(at, word): (usize, &&str)| if at < own { self.kept(word) } else { Some((*word).to_owned()) };
        let head: Vec<String> = call.head.iter().enumerate().filter_map(kept).collect();
        let behind = call.args.iter().enumerate().map(|(at, word)| (call.head.len() + at, word));
        let args: Vec<String> = behind.filter_map(kept).collect();
        let (all_head, all_args) = (head.join(" "), args.join(" "));
        let whole = joined(&[call.program, &all_head]);
        let made = match self.make {
            Make::Behind => joined(&[&whole, self.text, &all_args]),
            Make::Before => joined(&[self.text, &whole, &all_args]),
            Make::Anew(template) if self.holds_all(template, &head, &args) => filled(
                template,
                &[
                    ("program", call.program),
                    ("rest", &joined(&[&all_head, &all_args])),
                    ("head", &whole),
                    ("args", &all_args),
                ],
            ),
            // A call that a word of its own made wait works without that word.
            Make::Anew(_) if is_shorter(&call, &head, &args) => joined(&[&whole, &all_args]),
            Make::Anew(_) | Make::Never => return None,
        };
        Some(format!("{}{made}{}", call.before, call.behind))
    }

    /// Whether the template has a place for every word, and one where it means what it meant.
    fn holds_all(&self, template: &str, head: &[String], args: &[String]) -> bool {
        let has = |hole: &str| template.contains(hole);
        let mut words = head.iter().chain(args);
        let has_all_args = args.is_empty() || has("{args}") || has("{rest}");
        let has_all_head = head.join(" ") == self.subcommand || has("{head}") || has("{rest}");
        // Options of one program are not another's.
        let fits_program = has("{program}") || has("{head}") || !words.clone().any(|word| word.starts_with(['-', '+']));
        // What stands behind `--` is no option of this program.
        let ends_open = template.ends_with("{rest}") || template.ends_with("{args}") || !words.any(|word| word == "--");
        has_all_args && has_all_head && fits_program && ends_open
    }

    /// What stays of a word: nothing of one that the row leaves out or that it adds itself, and of letters that share a dash
    /// those that the row does not leave out.
    fn kept(&self, word: &str) -> Option<String> {
        let is_option = |word: &str| word.starts_with('-');
        // `--follow=name` goes with `--follow`.
        let name = word.split_once('=').filter(|_| word.starts_with("--")).map_or(word, |(name, _)| name);
        let stays = if self.without.contains(&name) { String::new() } else { self.fewer_letters(word) };
        let is_added = is_option(&stays) && stays == self.text;
        (!stays.is_empty() && !is_added).then_some(stays)
    }

    /// A word of letters that share a dash without those that the row leaves out; any other word as it is.
    fn fewer_letters(&self, word: &str) -> String {
        let is_letters = |rest: &&str| rest.len() > 1 && rest.bytes().all(|byte| byte.is_ascii_alphabetic());
        let Some(letters) = word.strip_prefix('-').filter(is_letters) else { return word.to_owned() };
        let goes = |letter: char| {
            self.without.iter().any(|out| out.strip_prefix('-').is_some_and(|own| own.chars().eq([letter])))
        };
        let stays: String = letters.chars().filter(|letter| !goes(*letter)).collect();
        if stays.is_empty() { stays } else { format!("-{stays}") }
    }
}

/// Whether something of the call was left out.
fn is_shorter(call: &Call<'_>, head: &[String], args: &[String]) -> bool {
    !call.head.iter().chain(&call.args).copied().eq(head.iter().chain(args).map(String::as_str))
}

/// The row that speaks of a call most closely: of its subcommand before of its program.
///
/// `program` is the last part of the program's path, `subcommands` the words behind it that are no options.
pub fn find(program: &str, subcommands: &[&str], mode: u8) -> Option<&'static Form> {
    let speaks = |form: &&Form| {
        let mut words = form.subcommand.split_ascii_whitespace().enumerate();
        form.mode == mode && words.all(|(at, word)| subcommands.get(at) == Some(&word))
    };
    let found = of_program(program).iter().filter(speaks).max_by_key(|form| form.subcommand.len());
    // `python manage.py migrate`: the script is the program.
    found.or_else(|| match subcommands {
        [script, rest @ ..] if name_of(script) == "django-admin" => find(script, rest, mode),
        _ => None,
    })
}

/// All rows of a program, by subcommand and mode.
pub fn of_program(program: &str) -> &'static [Form] {
    let name = name_of(program);
    let start = FORMS.partition_point(|form| form.program < name);
    let count = FORMS[start..].partition_point(|form| form.program == name);
    &FORMS[start..start + count]
}

/// The name under which the table has a program: without its folder and its version, and not by another name of it.
fn name_of(program: &str) -> &str {
    let is_known = |name: &str| FORMS.binary_search_by(|form| form.program.cmp(name)).is_ok();
    let own = program.rsplit('/').next().unwrap_or(program);
    // `create-vite@latest`
    let own = own.split_once('@').map_or(own, |(name, _)| name);
    if is_known(own) {
        return own;
    }
    let bare = own.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    SAME.iter().find(|(other, _)| *other == bare).map_or(bare, |(_, name)| name)
}

fn joined(parts: &[&str]) -> String {
    parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(" ")
}

/// The template with its holes filled; a hole that nothing goes into takes its blank along.
fn filled(template: &str, holes: &[(&str, &str)]) -> String {
    let words = template.split(' ').map(|word| {
        let name = word.strip_prefix('{').and_then(|word| word.strip_suffix('}'));
        let hole = name.and_then(|name| holes.iter().find(|(own, _)| *own == name));
        hole.map_or(word, |(_, value)| value)
    });
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn working(program: &str, subcommands: &[&str], mode: u8, line: &str) -> Option<String> {
        find(program, subcommands, mode)?.working(line)
    }

    #[test]
    fn rows_are_in_order_and_none_stands_twice() {
        let key = |form: &Form| (form.program, form.subcommand, form.mode);
        for pair in FORMS.windows(2) {
            assert!(key(&pair[0]) < key(&pair[1]), "{:?} stands before {:?}", key(&pair[0]), key(&pair[1]));
        }
    }

    #[test]
    fn every_row_is_found_by_its_own_call() {
        for form in FORMS {
            let words: Vec<&str> = form.subcommand.split_ascii_whitespace().collect();
            assert_eq!(find(form.program, &words, form.mode), Some(form));
        }
    }

    #[test]
    fn every_row_says_what_it_does_in_one_line() {
        for form in FORMS {
            let (text, note) = (form.text, form.note);
            assert!(!text.is_empty() && text.trim() == text && !text.contains('\n'), "{form:?}");
            assert!(
                note.starts_with(|c: char| c.is_ascii_uppercase()) && note.ends_with('.') && note.len() <= 120,
                "{note}"
            );
        }
    }

    #[test]
    fn every_template_renders() {
        for form in FORMS {
            let call = joined(&[form.program, form.subcommand, &form.without.join(" ")]);
            let made = form.working(&call);
            assert_eq!(made.is_none(), form.make == Make::Never, "{form:?}");
            let made = made.unwrap_or_default();
            assert!(!made.contains(['{', '}']) && !made.contains("  ") && made.trim() == made, "{made}");
            assert_ne!(made, call, "{form:?} changes nothing");
        }
    }

    #[test]
    fn a_form_that_only_ends_the_wait_is_known_by_its_note() {
        for (program, subcommands, mode, wanted) in [
            ("git", &[][..], 45, true),
            ("ssh", &[], 10, true),
            ("curl", &[], 11, true),
            ("apt", &["update"], 11, true),
            ("gh", &[], 10, true),
            ("git", &["commit"], 62, false),
            ("tail", &[], 11, false),
            ("apt-get", &["install"], 10, false),
        ] {
            assert_eq!(find(program, subcommands, mode).map(Form::only_ends), Some(wanted), "{program} §{mode}");
        }
    }

    #[test]
    fn a_form_may_be_in_the_call_already() {
        for (program, subcommands, mode, line, wanted) in [
            ("tail", &[][..], 11, "tail -n 50 log", true),
            ("tail", &[], 11, "tail -f log", false),
            ("docker", &["logs"], 11, "docker logs --tail=5 till", true),
            ("git", &["rebase"], 62, "GIT_EDITOR=true git rebase -i", true),
            ("git", &["rebase"], 62, "git rebase -i", false),
            ("vitest", &[], 11, "vitest run", true),
            ("vitest", &[], 11, "vitest", false),
        ] {
            assert_eq!(find(program, subcommands, mode).map(|form| form.is_in(line)), Some(wanted), "{line}");
        }
    }

    #[test]
    fn the_nearest_row_speaks() {
        assert_eq!(find("git", &["commit"], 62).map(|form| form.text), Some("-m \"...\""));
        assert_eq!(find("git", &["bundle"], 62).map(|form| form.text), Some("GIT_EDITOR=true"));
        assert_eq!(find("git", &[], 62), find("git", &["bundle"], 62));
        assert_eq!(find("git", &["commit"], 76), None);
        assert_eq!(find("git", &["stash"], 8), None);
        assert_eq!(find("gut", &["commit"], 62), None);
        assert_eq!(find("python3.11", &[], 37), find("python", &[], 37));
        assert_eq!(find("vi", &["file"], 62), find("vim", &[], 62));
        assert_eq!(find("sqlite3", &[], 37).map(|form| form.program), Some("sqlite3"));
        assert_eq!(find("python3", &["manage.py", "migrate"], 10), find("django-admin", &["migrate"], 10));
        assert!(of_program("nothing-like-it").is_empty() && of_program("").is_empty());
    }

    #[test]
    fn calls_are_made_to_work() {
        let cases: &[(&str, &[&str], u8, &str, &str)] = &[
            ("git", &["commit"], 62, "git commit", "git commit -m \"...\""),
            ("git", &["commit"], 62, "git -C a commit -a", "git -C a commit -m \"...\" -a"),
            ("git", &["log"], 10, "git log --stat", "git --no-pager log --stat"),
            (
                "git",
                &["rebase"],
                62,
                "git rebase -i main",
                "GIT_EDITOR=true GIT_SEQUENCE_EDITOR=true git rebase -i main",
            ),
            (
                "apt-get",
                &["install"],
                10,
                "sudo apt-get install jq",
                "sudo DEBIAN_FRONTEND=noninteractive apt-get install -y jq",
            ),
            ("psql", &[], 37, "psql mydb", "psql mydb -c \"...\""),
            ("ssh", &[], 10, "ssh host", "ssh -o BatchMode=yes host"),
            ("docker", &["run"], 10, "docker run -it --rm alpine sh", "docker run -i --rm alpine sh"),
            ("journalctl", &[], 11, "journalctl -fu nginx", "journalctl --no-pager -n 100 -u nginx"),
            ("tail", &[], 11, "cd logs && tail -f 'a b' 2>&1 | grep x", "cd logs && tail -n 50 'a b' 2>&1 | grep x"),
            ("tail", &[], 11, "tail --follow=name log", "tail -n 50 log"),
            ("python", &[], 37, "python3 -i", "python3 -c \"...\""),
            ("python", &[], 37, "python3 -i train.py", "python3 train.py"),
            ("python", &[], 37, "python3 -i train.py -i a.csv", "python3 train.py -i a.csv"),
            ("cargo", &["build"], 8, "cargo +nightly build", "cargo +nightly build --color never"),
            ("less", &[], 10, "less README", "head -n 200 README"),
            (
                "django-admin",
                &["migrate"],
                10,
                "python manage.py migrate app",
                "python manage.py migrate --noinput app",
            ),
            ("vitest", &[], 11, "npx vitest src", "npx vitest run src"),
        ];
        for (program, subcommands, mode, line, expected) in cases {
            assert_eq!(working(program, subcommands, *mode, line).as_deref(), Some(*expected), "{line}");
        }
    }

    #[test]
    fn a_form_that_would_lose_a_word_is_not_made() {
        assert_eq!(working("less", &[], 10, "less -R README"), None, "-R is not an option of head");
        assert_eq!(working("vite", &[], 11, "vite --port 3000"), None, "--port is not an option of vite build");
        assert_eq!(working("jest", &[], 11, "jest -- pattern"), None, "what stands behind -- is no option");
        assert_eq!(working("git", &["commit"], 62, "git status"), None, "another subcommand");
        assert_eq!(working("git", &["commit"], 62, ""), None);
    }
}
