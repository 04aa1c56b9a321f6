//! A tree of coarse forms, which groups texts of one template that no recogniser knows: log lines.
//!
//! After Drain (He and others, 2017): forms of as many words and with the same first word share a leaf, and a form joins the
//! group there that it agrees with in most words. A word that differs within a group is none of the template's.

use std::collections::HashMap;

/// What stands for words that vary.
const ANY: &str = "<*>";

/// Forms agree where at least this share of the words does that are no masks in both.
const AGREED: f64 = 0.7;

/// The most groups of a leaf that a form is compared with: of made-up texts each is its own.
const MOST: usize = 512;

/// Groups forms as they come. The same forms in the same order give the same groups.
#[derive(Debug, Default)]
pub struct KindTree {
    /// The groups of forms by their number of words and first word.
    leaves: HashMap<(usize, String), Vec<usize>>,
    /// The words of each group's template.
    templates: Vec<Vec<String>>,
    /// The groups of forms that were met.
    known: HashMap<String, usize>,
}

impl KindTree {
    /// The number of the group of a form that [`super::coarse`] made: a new one, where it agrees with none.
    pub fn group_of(&mut self, form: &str) -> usize {
        if let Some(group) = self.known.get(form) {
            return *group;
        }
        let words: Vec<&str> = form.split(' ').collect();
        let first = words.first().filter(|word| !is_mask(word)).copied().unwrap_or(ANY);
        let leaf = self.leaves.entry((words.len(), first.to_owned())).or_default();
        let agreeing = leaf.iter().rev().take(MOST).filter_map(|group| {
            let share = agreement(self.templates.get(*group)?, &words);
            (share >= AGREED).then_some((*group, share))
        });
        let best = agreeing.reduce(|best, next| if next.1 >= best.1 { next } else { best });
        let group = if let Some((group, _)) = best {
            self.templates.get_mut(group).into_iter().for_each(|template| loosen(template, &words));
            group
        } else {
            leaf.push(self.templates.len());
            self.templates.push(words.iter().map(|word| (*word).to_owned()).collect());
            self.templates.len() - 1
        };
        self.known.insert(form.to_owned(), group);
        group
    }

    /// What the forms of a group share, with `<*>` for each word that differs.
    pub fn template(&self, group: usize) -> String {
        self.templates.get(group).map(|words| words.join(" ")).unwrap_or_default()
    }
}

/// Whether a word stands for what varies.
fn is_mask(word: &str) -> bool {
    word.contains('<') && word.contains('>')
}

/// The share of words that agree, of those that are no masks in both.
fn agreement(template: &[String], words: &[&str]) -> f64 {
    let pairs = || template.iter().map(String::as_str).zip(words.iter().copied());
    let told = pairs().filter(|(one, other)| !is_mask(one) || !is_mask(other)).count();
    let equal = pairs().filter(|(one, other)| one == other && !is_mask(one)).count();
    #[expect(clippy::cast_precision_loss, reason = "a form has at most some thousand words")]
    let share = equal as f64 / told as f64;
    if told == 0 { 1.0 } else { share }
}

fn loosen(template: &mut [String], words: &[&str]) {
    let differing = template.iter_mut().zip(words).filter(|(known, word)| known.as_str() != **word);
    differing.for_each(|(known, _)| ANY.clone_into(known));
}

#[cfg(test)]
mod tests {
    use super::KindTree;
    use crate::signature::coarse;

    fn groups(lines: &[&str]) -> (Vec<usize>, KindTree) {
        let mut tree = KindTree::default();
        (lines.iter().map(|line| tree.group_of(&coarse(line))).collect(), tree)
    }

    #[test]
    fn names_that_only_a_second_line_shows_are_none_of_the_template() {
        let (found, tree) = groups(&[
            "Rejected key for captain from 10.1.2.3 port 22 ssh2",
            "Rejected key for bosun from 10.9.8.7 port 51022 ssh2",
            "Rejected key for cook from quay.example port 9 ssh2",
        ]);
        assert_eq!(found, [0, 0, 0]);
        assert_eq!(tree.template(0), "Rejected key for <*> from <*> port <n> <name>");
    }

    #[test]
    fn another_verb_length_or_beginning_is_another_group() {
        let (found, _) = groups(&[
            "lampd startup succeeded",
            "lampd shutdown succeeded",
            "lampd shutdown succeeded at last",
            "Session opened for captain by harbour",
            "Channel opened for captain by harbour",
            "lampd shutdown succeeded",
        ]);
        assert_eq!(found, [0, 1, 2, 3, 4, 1]);
    }

    #[test]
    fn the_best_group_takes_a_form_and_masks_say_nothing() {
        let (found, _) = groups(&[
            "crane lifts crate onto deck of boat",
            "crane lifts barrel onto deck of ship",
            "crane lowers barrel into hold of ship",
            "crane lifts keg onto deck of raft",
            "10.1.2.3 77",
            "10.4.5.6 /a/b",
        ]);
        assert_eq!(found, [0, 0, 1, 0, 2, 2]);
    }

    #[test]
    fn nothing_and_made_up_texts_are_survived() {
        let mut tree = KindTree::default();
        assert_eq!((tree.group_of(""), tree.group_of(""), tree.template(9)), (0, 0, String::new()));
        for number in 0..3_u32 {
            let word = format!("{}", char::from_u32(u32::from('a') + number).unwrap()).repeat(9);
            assert_eq!(tree.group_of(&format!("x {word} {word} {word}")), number as usize + 1);
        }
    }
}
