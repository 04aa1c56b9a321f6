//! A command file and its argument, apart by a NUL, in both dialects; the file read as a workflow too.
#![no_main]

use failwise::stream::{Arguments, CommandFile, TemplateDialect};
use failwise::workflow::Workflow;
use libfuzzer_sys::fuzz_target;

/// A mark that no template holds.
const MARK: char = '\u{e000}';

fuzz_target!(|input: &str| {
    let (body, word) = input.split_once('\0').unwrap_or((input, "word"));
    if body.contains(MARK) || word.is_empty() {
        return;
    }
    let file = CommandFile::parse(body);
    for dialect in [TemplateDialect::Claude, TemplateDialect::Adw] {
        let with = |word: &str| file.render(&Arguments::of_words(vec![word.to_owned()]), dialect);
        let rendered = with(word);
        assert_eq!(rendered.text, with(&MARK.to_string()).text.replace(MARK, word), "what is put in is not looked at");
        let signs = |text: &str| text.replace(['\\', '\n'], "");
        assert_eq!(signs(&rendered.inert()), signs(&rendered.text));
    }
    let _ = file.render(&Arguments::typed(word), TemplateDialect::Claude);
    let _ = Workflow::parse(body);
});
