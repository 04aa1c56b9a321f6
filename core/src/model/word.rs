//! Closed lists of words, as files and answers hold them.

/// Defines an enum of which each value is one word. A row says value and word once; the list of all, the word of a value,
/// the value of a word and the forms of serde follow from it. Words of older versions are aliases for serde alone.
#[macro_export]
macro_rules! words {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$about:meta])* $value:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        $vis enum $name { $($(#[$about])* #[serde(rename = $word)] $value,)+ }

        #[allow(dead_code, reason = "not every list is asked for all of it")]
        impl $name {
            /// Every value, in the order of the documentation.
            $vis const ALL: [Self; [$($word),+].len()] = [$(Self::$value),+];

            /// The word in files and answers.
            $vis const fn as_str(self) -> &'static str {
                match self { $(Self::$value => $word,)+ }
            }

            /// The value that a word stands for.
            $vis fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$value),)+ _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

pub use words;
