//! What goes into the client and what comes out: command files made into prompts, streams read to their results.

mod cause;
mod execution;
mod extract;
mod json;
mod progress;
mod template;

pub use cause::{Cause, Code};
pub use execution::{CommandExecution, Ending, INLINE_STDOUT, OutsideCause, Stopped};
pub use extract::{ApiError, Extraction, Extractor};
pub use progress::{Note, Turns, notes};
pub use template::{Arguments, CommandFile, Rendered, TemplateDialect, is_var_name};
