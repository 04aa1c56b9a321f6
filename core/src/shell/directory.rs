//! Where the commands of a line run.

use super::{At, Script};
use crate::programs::Trait;

impl Script {
    /// The words of the `cd`s that stand before a command, outermost first: `cd a && (cd b; make)`. What a subshell changed
    /// is gone after it.
    pub fn directories_before(&self, at: At) -> Vec<&str> {
        let mut places: Vec<At> = self.around(at).collect();
        places.reverse();
        places.into_iter().flat_map(|place| self.directories_in_list(place)).collect()
    }

    fn directories_in_list(&self, at: At) -> impl Iterator<Item = &str> {
        let list = self.pipelines.get(at.pipeline).map(|pipeline| pipeline.list);
        let before = self.pipelines.iter().take(at.pipeline).filter(move |pipeline| Some(pipeline.list) == list);
        before.filter_map(|pipeline| match pipeline.commands.as_slice() {
            [command] if command.is(Trait::Enters) => {
                Some(command.args.iter().find(|word| *word != "--").map_or("~", String::as_str))
            }
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directories(line: &str, program: &str) -> Vec<String> {
        let script = Script::parse(line);
        let at = script.programs().find(|(_, command)| command.program == program).map(|(at, _)| at).unwrap();
        script.directories_before(at).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn a_command_runs_where_the_line_went() {
        assert_eq!(directories("cd web && make", "make"), ["web"]);
        assert_eq!(directories("cd a && (cd b; make) | tail -3", "make"), ["a", "b"]);
        assert_eq!(directories("bash -c 'cd b && make'", "make"), ["b"]);
        assert_eq!(directories("(cd a && ls); make", "make"), [""; 0]);
        assert_eq!(directories("make && cd a", "make"), [""; 0]);
        assert_eq!(directories("cd && make", "make"), ["~"]);
    }
}
