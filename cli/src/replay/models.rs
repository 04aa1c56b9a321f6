//! What each model wrote and cost.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::analysis::{Analysis, ModelSummary};
use crate::model::{Money, Turn, Usage};
use crate::prices::{ModelPrices, Prices};
use crate::text::{count, many};

/// The models that are named where a price is missing or was not checked.
const MOST_NAMED: usize = 4;

/// Counts the answers of models, and prices them. A model's prices are looked up once.
#[derive(Debug, Default)]
pub(super) struct ModelLedger {
    prices: Arc<Prices>,
    models: Vec<LedgerRow>,
    /// By their names, where they stand in `models`.
    places: BTreeMap<String, usize>,
    /// The model that answered last.
    last: usize,
}

#[derive(Debug)]
struct LedgerRow {
    prices: Option<ModelPrices>,
    summary: ModelSummary,
}

impl ModelLedger {
    /// What follows costs these prices.
    pub(super) fn price_by(&mut self, prices: Arc<Prices>) {
        for row in &mut self.models {
            row.prices = prices.of(&row.summary.model).cloned();
        }
        self.prices = prices;
    }

    /// Counts what a line adds to an answer, of which this was told before. None where no price is known.
    pub(super) fn turn(&mut self, turn: &Turn, before: Option<Usage>, ms: Option<i64>) -> Option<Money> {
        let tokens = turn.usage;
        let row = self.row(turn.model.as_deref().unwrap_or(UNKNOWN_MODEL))?;
        let known = before.unwrap_or_default();
        let money = row.prices.as_ref().map(|prices| prices.added(known, known.plus(tokens), ms));
        let summary = &mut row.summary;
        summary.turns += u64::from(before.is_none());
        summary.tokens = summary.tokens.plus(tokens);
        summary.money = summary.money.plus(money.unwrap_or_default());
        summary.priced &= money.is_some();
        summary.checked &= row.prices.as_ref().is_some_and(ModelPrices::are_checked);
        if money.is_none() {
            summary.unpriced_tokens = summary.unpriced_tokens.saturating_add(tokens.total());
        }
        money
    }

    /// The models, in no order.
    pub(super) fn settled(self) -> Vec<ModelSummary> {
        self.models.into_iter().map(|row| row.summary).collect()
    }

    fn row(&mut self, model: &str) -> Option<&mut LedgerRow> {
        if self.models.get(self.last).is_none_or(|row| row.summary.model != model) {
            self.last = self.places.get(model).copied().unwrap_or(self.models.len());
        }
        if self.last == self.models.len() {
            let summary =
                ModelSummary { model: model.to_owned(), priced: true, checked: true, ..ModelSummary::default() };
            self.models.push(LedgerRow { prices: self.prices.of(model).cloned(), summary });
            self.places.insert(model.to_owned(), self.last);
        }
        self.models.get_mut(self.last)
    }
}

/// A model that the data do not name.
pub(super) const UNKNOWN_MODEL: &str = "unknown";

impl Analysis {
    /// The words for people about tokens of which no price is known; nothing where there are none.
    pub fn unpriced(&self) -> Option<String> {
        let unpriced = || self.models.iter().filter(|it| it.unpriced_tokens > 0);
        let tokens = unpriced().fold(0_u64, |sum, it| sum.saturating_add(it.unpriced_tokens));
        let kept = self.totals.unpriced_tokens.saturating_sub(tokens);
        let parts = [(model_names(unpriced()), tokens), ((kept > 0).then(|| "older sessions".to_owned()), kept)];
        let known = parts.into_iter().filter_map(|(what, tokens)| Some((what?, many(tokens, "token", "tokens"))));
        let parts: Vec<String> = known.map(|(what, tokens)| format!("for {what}: {tokens}")).collect();
        let parts = Some(parts.join(", and ")).filter(|parts| !parts.is_empty())?;
        Some(format!("no price is known {parts} are left out of the money"))
    }

    /// The words for people about prices that could not be checked; nothing where there are none.
    pub fn unchecked(&self) -> Option<String> {
        let names = model_names(self.models.iter().filter(|it| it.priced && !it.checked))?;
        Some(format!("the price of {names} could not be checked"))
    }
}

fn model_names<'m>(models: impl Iterator<Item = &'m ModelSummary>) -> Option<String> {
    let all: Vec<&str> = models.map(|it| it.model.as_str()).collect();
    let (named, rest) = all.split_at(all.len().min(MOST_NAMED));
    let more = (!rest.is_empty()).then(|| format!(" and {} more", count(rest.len() as u64)));
    (!named.is_empty()).then(|| named.join(", ") + &more.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(model: &str, input: u64) -> Turn {
        let model = Some(model.to_owned()).filter(|model| !model.is_empty());
        Turn { message: "m".to_owned(), model, usage: Usage { input, ..Usage::default() } }
    }

    #[test]
    fn every_model_is_counted_by_itself_and_what_has_no_price_is_named() {
        let mut ledger = ModelLedger::default();
        ledger.price_by(Prices::known());
        let money = |money: Option<Money>| money.map(|money| money.to_string());
        assert_eq!(money(ledger.turn(&turn("claude-opus-5", 1_000_000), None, None)).as_deref(), Some("$5.00"));
        assert_eq!(ledger.turn(&turn("tide-1", 1_234), None, None), None);
        assert_eq!(ledger.turn(&turn("", 6), None, None), None);
        assert_eq!(money(ledger.turn(&turn("claude-fable-5-2", 1_000), None, None)).as_deref(), Some("$0.008"));
        // The same answer goes on.
        let more = ledger.turn(&turn("claude-opus-5", 1_000_000), Some(turn("", 1_000_000).usage), None);
        assert_eq!(money(more).as_deref(), Some("$5.00"));
        let analysis = Analysis::join([Analysis { models: ledger.settled(), ..Analysis::default() }]);
        let told: Vec<(&str, u64, bool, bool)> =
            analysis.models.iter().map(|it| (it.model.as_str(), it.turns, it.priced, it.checked)).collect();
        let wanted = [
            ("claude-opus-5", 1, true, true),
            ("claude-fable-5-2", 1, true, false),
            ("tide-1", 1, false, false),
            ("unknown", 1, false, false),
        ];
        assert_eq!(told, wanted);
        let unpriced = "no price is known for tide-1, unknown: 1,240 tokens are left out of the money";
        assert_eq!(analysis.unpriced().as_deref(), Some(unpriced));
        let mut kept = analysis.clone();
        kept.totals.unpriced_tokens = 1_250;
        let more = "1,240 tokens, and for older sessions: 10 tokens are left out of the money";
        assert!(kept.unpriced().is_some_and(|told| told.ends_with(more)), "{:?}", kept.unpriced());
        assert_eq!(analysis.unchecked().as_deref(), Some("the price of claude-fable-5-2 could not be checked"));
        let both = Analysis::join([analysis.clone(), analysis.clone()]);
        assert_eq!(both.models[0].money, analysis.models[0].money.plus(analysis.models[0].money));
    }

    #[test]
    fn few_of_many_models_are_named() {
        let mut ledger = ModelLedger::default();
        for n in 0..9 {
            ledger.turn(&turn(&format!("m{n}"), 1), None, None);
        }
        let analysis = Analysis { models: ledger.settled(), ..Analysis::default() };
        let told = analysis.unpriced().unwrap_or_default();
        assert!(told.starts_with("no price is known for m0, m1, m2, m3 and 5 more: 9 tokens"), "{told}");
        assert_eq!(analysis.unchecked(), None);
    }
}
