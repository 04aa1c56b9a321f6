//! What the tokens of a model cost: the table of `rules/prices.md`, and the prices that settings put in its place.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use toml::de::{DeTable, DeValue};

use crate::model::{Money, Turn, Usage};
use crate::time::millis;

/// The longest name of a model.
const LONGEST_MODEL: usize = 128;
/// The keys of a price in settings, in the order of [`Price::of_parts`].
const KEYS: [&str; 5] = ["input", "output", "cache_write", "cache_write_1h", "cache_read"];

/// What one token costs, by kind, in nano-dollars: as many thousandths of a dollar as a million of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// Read, and not from the cache.
    pub input: u64,
    /// Written by the model.
    pub output: u64,
    /// Written to the cache for five minutes.
    pub cache_write: u64,
    /// Written to the cache for an hour.
    pub cache_write_1h: u64,
    /// Read from the cache.
    pub cache_read: u64,
}

impl Price {
    fn of_parts([input, output, cache_write, cache_write_1h, cache_read]: [u64; 5]) -> Self {
        Self { input, output, cache_write, cache_write_1h, cache_read }
    }

    /// What these tokens cost.
    pub fn of(&self, tokens: Usage) -> Money {
        let for_an_hour = tokens.cache_write_1h.min(tokens.cache_write);
        let parts = [
            (tokens.input, self.input),
            (tokens.output, self.output),
            (tokens.cache_write - for_an_hour, self.cache_write),
            (for_an_hour, self.cache_write_1h),
            (tokens.cache_read, self.cache_read),
        ];
        let sum = parts.iter().fold(0_u64, |sum, (tokens, price)| sum.saturating_add(tokens.saturating_mul(*price)));
        Money::of_nano_dollars(sum)
    }
}

/// A model's price, as settings write it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenPrice {
    /// The model as transcripts name it.
    pub model: String,
    /// Its price at all times, however long the prompt is.
    pub price: Price,
}

impl WrittenPrice {
    /// The price that settings write under the name of a model.
    ///
    /// # Errors
    /// In words: what is wrong, and what to write.
    pub fn read(model: &str, table: &DeTable<'_>) -> Result<Self, String> {
        if !is_model(model) {
            return Err("this is no name of a model; write it as transcripts do".to_owned());
        }
        if table.keys().any(|key| !KEYS.contains(&key.get_ref().as_ref())) {
            return Err(format!("there are no keys but `{}`", KEYS.join("`, `")));
        }
        let mut parts = [0; 5];
        for (part, key) in parts.iter_mut().zip(KEYS) {
            let Some(value) = table.get(key) else { return Err(format!("`{key}` is missing")) };
            let written = match value.get_ref() {
                DeValue::Integer(whole) => thousandths(whole.as_str()),
                DeValue::Float(decimal) => thousandths(decimal.as_str()),
                _ => None,
            };
            let wrong = || format!("`{key}` is no price; write dollars for a million tokens, to a thousandth: `0.125`");
            *part = written.ok_or_else(wrong)?;
        }
        Ok(Self { model: model.to_owned(), price: Price::of_parts(parts) })
    }
}

/// Whether this can be the name of a model.
fn is_model(name: &str) -> bool {
    let name = name.strip_suffix(Turn::FAST).unwrap_or(name);
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._:/@-".contains(&byte);
    (1..=LONGEST_MODEL).contains(&name.len()) && name.bytes().all(plain)
}

/// Thousandths of a dollar, below a million dollars.
fn thousandths(dollars: &str) -> Option<u64> {
    let (whole, part) = dollars.split_once('.').unwrap_or((dollars, "0"));
    let is_number = |text: &str, longest: usize| {
        (1..=longest).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    if !is_number(whole, 6) || !is_number(part, 3) {
        return None;
    }
    format!("{whole}{part:0<3}").parse().ok()
}

/// The price of a model from a day on, and for prompts of a length.
#[derive(Debug, Clone, PartialEq, Eq)]
struct DatedPrice {
    /// From when, in milliseconds since 1970.
    from: i64,
    /// For prompts of more tokens than this; 0 for all.
    prompt_over: u64,
    price: Price,
    is_checked: bool,
}

/// The prices of one model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelPrices {
    /// By their days, and in a day by the length of the prompt.
    rows: Vec<DatedPrice>,
}

impl ModelPrices {
    /// What was added to the cost of an answer whose tokens were `before` and are `now`. Without a time the latest prices hold.
    pub fn added(&self, before: Usage, now: Usage, ms: Option<i64>) -> Money {
        let cost = |tokens: Usage| self.at(ms, tokens.prompt()).map(|price| price.of(tokens)).unwrap_or_default();
        cost(now).since(cost(before))
    }

    /// Whether each of them stands in the maker's own pages.
    pub fn are_checked(&self) -> bool {
        self.rows.iter().all(|row| row.is_checked)
    }

    fn at(&self, ms: Option<i64>, prompt: u64) -> Option<&Price> {
        let begun = |row: &&DatedPrice| ms.is_none_or(|ms| row.from <= ms);
        let from = self.rows.iter().rfind(begun)?.from;
        let fits = |row: &&DatedPrice| row.from == from && (row.prompt_over == 0 || prompt > row.prompt_over);
        self.rows.iter().rfind(fits).map(|row| &row.price)
    }
}

/// The prices of models.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prices {
    models: BTreeMap<String, ModelPrices>,
}

impl Prices {
    /// The prices of `rules/prices.md`.
    pub fn known() -> Arc<Self> {
        static KNOWN: LazyLock<Arc<Prices>> = LazyLock::new(|| Arc::new(Prices::read(PAGE).unwrap_or_default()));
        Arc::clone(&KNOWN)
    }

    /// The same, with what settings put in the place of a model's prices.
    #[must_use]
    pub fn with(mut self, written: &[WrittenPrice]) -> Self {
        for WrittenPrice { model, price } in written {
            let row = DatedPrice { from: i64::MIN, prompt_over: 0, price: *price, is_checked: true };
            self.models.insert(model.clone(), ModelPrices { rows: vec![row] });
        }
        self
    }

    /// The prices of a model as a transcript names it, with or without the date of its version.
    pub fn of(&self, model: &str) -> Option<&ModelPrices> {
        self.models.get(model).or_else(|| self.models.get(&undated(model)?))
    }

    /// Reads the table of a page. Every row counts, so that a wrong one is an error.
    fn read(page: &str) -> Result<Self, String> {
        let mut prices = Self::default();
        for (number, line) in (1..).zip(page.lines()).filter(|(_, line)| line.starts_with("| `")) {
            let (model, row) = dated_price(line).ok_or_else(|| format!("line {number} is no price: {line}"))?;
            let rows = &mut prices.models.entry(model).or_default().rows;
            let place = |row: &DatedPrice| (row.from, row.prompt_over);
            let follows = rows.last().map_or((i64::MIN, 0) == place(&row), |last| place(last) < place(&row));
            let opens_its_day = row.prompt_over == 0 || rows.last().is_some_and(|last| last.from == row.from);
            if !follows || !opens_its_day {
                return Err(format!("line {number} does not follow the rows of its model: {line}"));
            }
            rows.push(row);
        }
        Ok(prices)
    }
}

/// The page with the table.
const PAGE: &str = include_str!("../../rules/prices.md");

/// A model's name without the date of its version; None where it has none.
fn undated(model: &str) -> Option<String> {
    let (name, mode) = match model.strip_suffix(Turn::FAST) {
        Some(name) => (name, Turn::FAST),
        None => (model, ""),
    };
    let (name, date) = name.rsplit_once('-')?;
    let is_date = date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit());
    is_date.then(|| [name, mode].concat())
}

/// A row of the page: the model, and its price.
fn dated_price(line: &str) -> Option<(String, DatedPrice)> {
    let cells: Vec<&str> = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ").collect();
    let [model, from, over, input, output, write, write_1h, read, checked, date, source] = cells.try_into().ok()?;
    let day = |day: &str| millis(&format!("{day}T00:00:00Z")).filter(|_| day.len() == 10);
    let model = model.strip_prefix('`')?.strip_suffix('`').filter(|model| is_model(model))?;
    let price = [input, output, write, write_1h, read].map(thousandths);
    let [Some(input), Some(output), Some(write), Some(write_1h), Some(read)] = price else { return None };
    day(date).filter(|_| !source.is_empty())?;
    let row = DatedPrice {
        from: if from == "-" { i64::MIN } else { day(from)? },
        prompt_over: if over == "-" { 0 } else { over.replace(',', "").parse().ok().filter(|over| *over > 0)? },
        price: Price::of_parts([input, output, write, write_1h, read]),
        is_checked: match checked {
            "yes" => true,
            "no" => false,
            _ => return None,
        },
    };
    Some((model.to_owned(), row))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{PAGE, Prices, WrittenPrice, thousandths};
    use crate::model::{Money, Usage};
    use crate::time::millis;

    fn million(kind: &str) -> Usage {
        let of = |name: &str| if name == kind { 1_000_000 } else { 0 };
        let cache_write_1h = of("cache_write_1h");
        let cache_write = of("cache_write") + cache_write_1h;
        Usage { input: of("input"), output: of("output"), cache_read: of("cache_read"), cache_write, cache_write_1h }
    }

    fn cost(model: &str, tokens: Usage, at: &str) -> Option<String> {
        Some(Prices::known().of(model)?.added(Usage::default(), tokens, millis(at)).to_string())
    }

    const TODAY: &str = "2026-11-25T00:00:00Z";

    #[test]
    fn every_row_of_the_page_can_be_used() {
        let prices = Prices::read(PAGE).unwrap();
        assert_eq!(*Prices::known(), prices);
        assert!(prices.models.len() > 25, "{}", prices.models.len());
        let unchecked: Vec<&str> =
            prices.models.iter().filter(|(_, rows)| !rows.are_checked()).map(|(model, _)| model.as_str()).collect();
        assert_eq!(unchecked, ["claude-fable-5-2", "claude-fable-5-2 fast"]);
    }

    #[test]
    fn each_kind_of_token_has_its_price() {
        let kinds = ["input", "output", "cache_write", "cache_write_1h", "cache_read"];
        let told = kinds.map(|kind| cost("claude-opus-4-6", million(kind), TODAY).unwrap());
        assert_eq!(told, ["$5.00", "$25.00", "$6.25", "$10.00", "$0.50"]);
    }

    #[test]
    fn a_date_behind_the_name_is_the_same_model_and_nothing_else_is() {
        let input = |model: &str| cost(model, million("input"), TODAY);
        assert_eq!(input("claude-opus-4-5-20251101"), input("claude-opus-4-5"));
        assert_eq!(input("claude-opus-4-20250514").as_deref(), Some("$15.00"));
        assert_eq!(input("claude-opus-5-20260724 fast").as_deref(), Some("$10.00"));
        for unknown in ["claude-opus-5-7", "claude-opus-4-5-2025110", "claude-opus", "claude-haiku-4-5 fast", "x", ""] {
            assert_eq!(input(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn a_price_holds_from_its_day_on_and_a_long_prompt_has_its_own() {
        let read = |at: &str| cost("claude-sonnet-5-5", million("cache_read"), at).unwrap();
        assert_eq!([read("2026-10-06T23:59:59Z"), read("2026-10-07T00:00:00Z")], ["$0.20", "$0.10"]);
        assert_eq!(read("no time"), "$0.10");
        let of = |input| Usage { input, output: 1_000_000, ..Usage::default() };
        assert_eq!(cost("claude-haiku-5-5", of(100_000), TODAY).unwrap(), "$0.51");
        assert_eq!(cost("claude-haiku-5-5", of(100_001), TODAY).unwrap(), "$2.55");
        assert_eq!(cost("claude-opus-4-6", of(200_001), "2026-03-12T00:00:00Z").unwrap(), "$39.50");
        assert_eq!(cost("claude-opus-4-6", of(200_001), "2026-03-13T00:00:00Z").unwrap(), "$26.00");
    }

    #[test]
    fn settings_put_a_price_in_the_place_of_all_of_a_models_rows() {
        let table = toml::de::DeTable::parse(
            "input = 3\noutput = 0.125\ncache_write = 0\ncache_write_1h = 0.0\ncache_read = 1.5",
        );
        let table = table.unwrap().into_inner();
        let written = WrittenPrice::read("claude-haiku-5-5", &table).unwrap();
        let prices = Prices::read(PAGE).unwrap().with(&[written]);
        let haiku = prices.of("claude-haiku-5-5-20261007").unwrap();
        assert_eq!(haiku.added(Usage::default(), million("input"), None).to_string(), "$3.00");
        assert_eq!(haiku.added(Usage::default(), million("output"), None).to_string(), "$0.13");
        for wrong in ["", "two words", "m\u{7}", &"m".repeat(200)] {
            assert!(WrittenPrice::read(wrong, &table).is_err(), "{wrong}");
        }
        for (text, why) in [
            ("input = 3", "`output` is missing"),
            ("input = 0.0001\noutput = 1", "`input` is no price"),
            ("input = -1", "`input` is no price"),
            ("input = inf", "`input` is no price"),
            ("input = 'x'", "`input` is no price"),
            ("inputs = 1", "there are no keys but"),
        ] {
            let table = toml::de::DeTable::parse(text).unwrap().into_inner();
            let told = WrittenPrice::read("m", &table).unwrap_err();
            assert!(told.starts_with(why), "{told}");
        }
    }

    #[test]
    fn a_row_that_is_wrong_spoils_the_page() {
        let rest = "| 1 | 1 | 1 | 1 | 1 | yes | 2026-01-01 | x |";
        let read = |rows: &[&str]| Prices::read(&rows.join("\n")).map(|prices| prices.models.len());
        let row = |head: &str| format!("{head} {rest}");
        assert_eq!(read(&[&row("| `a` | - | -"), &row("| `a` | - | 100"), &row("| `b` | - | -")]), Ok(2));
        for head in ["| `a` | 2026-01-01 | -", "| `a` | - | 5", "| `a b` | - | -", "| `a` | - | 0", "| `a` | soon | -"]
        {
            assert!(read(&[&row(head)]).is_err(), "{head}");
        }
        assert!(read(&[&row("| `a` | - | -"), &row("| `a` | - | -")]).is_err(), "twice");
        assert!(
            read(&[&row("| `a` | - | -"), &row("| `a` | 2026-01-01 | 5")]).is_err(),
            "a day with long prompts only"
        );
        for (from, to) in [("yes", "perhaps"), ("2026-01-01", "today"), (" 1 |", " 0.0001 |"), ("| x", "| x | y")] {
            assert!(read(&[&row("| `a` | - | -").replacen(from, to, 1)]).is_err(), "{to}");
        }
    }

    proptest! {
        #[test]
        fn lines_of_an_answer_add_up_to_its_last(first in 0_u64..300_000, more in 0_u64..300_000, output in 0_u64..9_000) {
            for model in ["claude-haiku-5-5", "claude-opus-4-6"] {
                let prices = Prices::known();
                let prices = prices.of(model).unwrap();
                let begun = Usage { input: first, output: 1, ..Usage::default() };
                let whole = Usage { input: first + more, output: output + 1, ..Usage::default() };
                let parts = prices.added(Usage::default(), begun, Some(0)).plus(prices.added(begun, whole, Some(0)));
                prop_assert_eq!(parts, prices.added(Usage::default(), whole, Some(0)));
            }
        }

        #[test]
        fn no_count_of_tokens_is_too_much(tokens in any::<[u64; 5]>()) {
            let [input, output, cache_read, cache_write, cache_write_1h] = tokens;
            let usage = Usage { input, output, cache_read, cache_write, cache_write_1h };
            let prices = Prices::known();
            prop_assert!(prices.of("claude-opus-5").unwrap().added(Usage::default(), usage, None) <= Money::of_nano_dollars(u64::MAX));
        }

        #[test]
        fn a_price_is_read_as_written(thousandth in 0_u64..1_000_000_000, other in "\\PC{0,12}") {
            let text = format!("{}.{:03}", thousandth / 1000, thousandth % 1000);
            prop_assert_eq!(thousandths(&text), Some(thousandth));
            thousandths(&other);
        }
    }
}
