//! Text without what varies between two runs of the same failure (fine), or between two failures of a kind (coarse).
//!
//! First the text is cleaned (escape sequences, overwritten progress, white space), then read once from left to right.
//! At each word or sign the rows of [`FINE`] are asked in order; the first that knows what begins there replaces it.

mod clean;
mod coarse;
mod cursor;
mod name;
mod number;
mod place;
mod time;

#[cfg(test)]
mod tests;

use cursor::Cursor;

pub use coarse::coarse;
pub(super) use coarse::{is_error_code, template_of};

/// The most bytes that a normalised text has.
pub const LONGEST: usize = 4096;

/// What is known of the place where a text came from.
#[derive(Debug, Clone, Copy, Default)]
pub struct Context<'a> {
    /// The working directory: paths below it are written relative to it.
    pub cwd: Option<&'a str>,
}

/// The text for "the same failure": paths, symbols, tests, modules and error codes stay; lines, times, sizes, hashes,
/// ids, ports and temporary names become `<n>`, `<time>`, `<dur>`, `<size>`, `<hex>`, `<uuid>`, `<ip>`, `<tmp>`.
/// One line of at most [`LONGEST`] bytes; normalising it again changes nothing.
pub fn fine(text: &str) -> String {
    fine_in(text, &Context::default())
}

/// [`fine`] of a text whose working directory is known, so that absolute and relative paths of a project are equal.
pub fn fine_in(text: &str, context: &Context<'_>) -> String {
    settled(clean::clean(text), context)
}

/// A mask is another neighbour than what it stands for: what was beside it may be told apart only now.
fn settled(text: String, context: &Context<'_>) -> String {
    let mut text = text;
    for _ in 0..ROUNDS {
        let next = masked_once(&text, context);
        if next == text {
            return next;
        }
        text = next;
    }
    UNSETTLED.to_owned()
}

/// What stands for a text that goes on changing: such texts are made up.
const UNSETTLED: &str = "<long>";

/// Texts of tools settle in the first round, and the second shows it.
const ROUNDS: usize = 6;

/// What replaces a part of the text: the part's end, and the words in its place.
struct Masked {
    end: usize,
    words: &'static str,
}

impl Masked {
    fn new(end: usize, words: &'static str) -> Self {
        Self { end, words }
    }
}

/// Says what begins at the cursor, if it knows it.
type Mask = fn(Cursor<'_>, &Context<'_>) -> Option<Masked>;

/// The bytes that a row is asked for.
#[derive(Clone, Copy)]
enum Begins {
    Digit,
    Hex,
    Letter,
    Capital,
    Word,
    Path,
    Quote,
    Sign(u8),
}

impl Begins {
    const fn with(self, byte: u8) -> bool {
        match self {
            Self::Digit => byte.is_ascii_digit(),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Letter => byte.is_ascii_alphabetic(),
            Self::Capital => byte.is_ascii_uppercase(),
            Self::Word => byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80,
            Self::Path => {
                Self::Word.with(byte) || matches!(byte, b'/' | b'\\' | b'.' | b'-' | b'+' | b'@' | b'%' | b'#' | b'~')
            }
            Self::Quote => matches!(byte, b'"' | b'\'' | b'`'),
            Self::Sign(sign) => byte == sign,
        }
    }
}

/// What is replaced, and where it may begin.
struct MaskTable<const N: usize> {
    masks: [(Begins, Mask); N],
    /// For each byte, the rows that are asked: the lowest bit is the first row.
    rows: [u32; 256],
}

impl<const N: usize> MaskTable<N> {
    const fn new(masks: [(Begins, Mask); N]) -> Self {
        let mut rows = [0; 256];
        let mut byte = 0_u8;
        loop {
            let mut row = 0;
            while row < N {
                if masks[row].0.with(byte) {
                    rows[byte as usize] |= 1 << row;
                }
                row += 1;
            }
            if byte == u8::MAX {
                return Self { masks, rows };
            }
            byte += 1;
        }
    }

    /// The first row that knows what begins here decides.
    fn mask_at(&self, at: Cursor<'_>, byte: u8, context: &Context<'_>) -> Option<Masked> {
        let mut rows = self.rows[usize::from(byte)];
        while rows != 0 {
            let (_, mask) = self.masks.get(rows.trailing_zeros() as usize)?;
            if let Some(masked) = mask(at, context) {
                return Some(masked);
            }
            rows &= rows - 1;
        }
        None
    }
}

#[rustfmt::skip]
static FINE: MaskTable<32> = MaskTable::new([
    (Begins::Sign(b'<'), |at, _| at.mask_word()),
    (Begins::Sign(b'.'), |at, _| clean::truncation_mark(at)),
    (Begins::Sign(b'/'), place::below_cwd),
    (Begins::Sign(b'/'), |at, _| place::checkout(at)),
    (Begins::Sign(b'~'), |at, _| place::checkout(at)),
    (Begins::Sign(b'/'), |at, _| place::temporary(at)),
    (Begins::Sign(b'/'), |at, _| place::home(at)),
    (Begins::Letter,     place::below_cwd_on_drive),
    (Begins::Letter,     |at, _| place::home_on_drive(at)),
    (Begins::Sign(b'T'),     |at, _| place::test_directory(at)),
    (Begins::Sign(b'.'), |at, _| place::here(at)),
    (Begins::Sign(b'.'), |at, _| place::temporary_suffix(at)),
    (Begins::Hex,        |at, _| number::uuid(at)),
    (Begins::Hex,        |at, _| number::hardware_address(at)),
    (Begins::Digit,      |at, _| time::date(at)),
    (Begins::Digit,      |at, _| time::clock(at)),
    (Begins::Capital,    |at, _| time::named_date(at)),
    (Begins::Capital,    |at, _| time::level_and_date(at)),
    (Begins::Digit,      |at, _| number::address(at)),
    (Begins::Sign(b':'), |at, _| number::long_address(at)),
    (Begins::Hex,        |at, _| number::grouped_address(at)),
    (Begins::Digit,      |at, _| number::hex_literal(at)),
    (Begins::Hex,        |at, _| number::hash(at)),
    (Begins::Digit,      |at, _| time::duration(at)),
    (Begins::Digit,      |at, _| number::size(at)),
    (Begins::Digit,      |at, _| number::share(at)),
    (Begins::Digit,      |at, _| number::counted(at)),
    (Begins::Sign(b':'), |at, _| number::position(at)),
    (Begins::Sign(b'#'), |at, _| number::line_anchor(at)),
    (Begins::Sign(b'('), |at, _| number::in_brackets(at)),
    (Begins::Sign(b'['), |at, _| number::in_brackets(at)),
    (Begins::Digit,      |at, _| number::long_tail(at)),
]);

/// The text after one pass.
fn masked_once(text: &str, context: &Context<'_>) -> String {
    let mut out = String::with_capacity(text.len().min(LONGEST));
    let mut at = Cursor::new(text);
    while let Some(byte) = at.byte() {
        let mask = FINE.mask_at(at, byte, context);
        let (end, piece) = mask.as_ref().map_or_else(|| kept_word(at), |mask| (mask.end, mask.words));
        if out.len() + piece.len() > LONGEST {
            return cut_at_blank(out);
        }
        out.push_str(piece);
        at = at.moved_to(end);
    }
    out
}

/// The word or sign that no row knew; a long one may be made up as a whole.
fn kept_word(at: Cursor<'_>) -> (usize, &str) {
    let (end, piece) = at.piece();
    if piece.len() >= number::LONG_WORD && number::is_made_up(piece) { (end, "<hex>") } else { (end, piece) }
}

/// Ends before the last blank, so that no word is cut into something else.
fn cut_at_blank(mut out: String) -> String {
    match out.rfind(' ') {
        Some(blank) => out.truncate(blank),
        None => return "<long>".to_owned(),
    }
    out
}
