//! A workflow's file: its inputs, and its steps in order.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;
use serde_json::Value;

use super::output::OutputKind;
use crate::time::typed;

/// A workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workflow {
    /// Its name.
    pub name: String,
    /// The names of its inputs, each with what stands in where none is given.
    pub inputs: Vec<(String, Option<String>)>,
    /// Its steps, in order.
    pub steps: Vec<StepDefinition>,
}

/// A step of a workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepDefinition {
    /// Its name.
    pub name: String,
    /// Its command file, or one for each output of an earlier step.
    pub command: CommandChoice,
    /// What is put into the command file; `{key}`, `{step}` and `{step.json.field}` stand for values.
    pub arguments: Vec<String>,
    /// What its output must be.
    pub output: OutputKind,
    /// The output that says that nothing was found.
    pub not_found: Option<String>,
    /// What is said then.
    pub if_not_found: Option<String>,
    /// What is said where the output cannot be used; `{output}` stands for it.
    pub if_rejected: Option<String>,
    /// How long the step may take, in milliseconds.
    pub timeout_ms: Option<u64>,
}

/// Which command file a step runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandChoice {
    /// Always this one.
    One(String),
    /// One by the output of an earlier step.
    By {
        /// The step that decides.
        step: String,
        /// The file of each of its outputs.
        files: BTreeMap<String, String>,
    },
}

/// What is wrong with a workflow's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinitionError(pub String);

impl fmt::Display for DefinitionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawWorkflow {
    name: String,
    #[serde(default)]
    inputs: RawInputs,
    #[serde(default)]
    step: Vec<RawStep>,
}

/// Names alone, or names with what stands in for them.
#[derive(Deserialize)]
#[serde(untagged)]
enum RawInputs {
    Names(Vec<String>),
    Defaults(BTreeMap<String, String>),
}

impl Default for RawInputs {
    fn default() -> Self {
        Self::Names(Vec::new())
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawStep {
    name: String,
    command: Option<String>,
    choose: Option<String>,
    #[serde(default)]
    commands: BTreeMap<String, String>,
    #[serde(default)]
    arguments: Vec<String>,
    output: Option<String>,
    not_found: Option<String>,
    if_not_found: Option<String>,
    if_rejected: Option<String>,
    timeout: Option<RawSpan>,
}

/// A span with its unit, or in seconds.
#[derive(Deserialize)]
#[serde(untagged)]
enum RawSpan {
    Seconds(u32),
    Typed(String),
}

impl RawSpan {
    fn milliseconds(&self) -> Option<u64> {
        match self {
            Self::Seconds(seconds) => Some(u64::from(*seconds) * 1000),
            Self::Typed(text) => typed(text, "smh"),
        }
    }
}

impl Workflow {
    /// Reads a workflow's file.
    ///
    /// # Errors
    /// When it is no TOML, lacks something, or names something that is not there.
    pub fn parse(text: &str) -> Result<Self, DefinitionError> {
        let raw: RawWorkflow = toml::from_str(text).map_err(|error| DefinitionError(error.to_string()))?;
        let inputs = match raw.inputs {
            RawInputs::Names(names) => names.into_iter().map(|name| (name, None)).collect(),
            RawInputs::Defaults(values) => values.into_iter().map(|(name, value)| (name, Some(value))).collect(),
        };
        let mut workflow = Self { name: raw.name, inputs, steps: Vec::new() };
        if workflow.name.trim().is_empty() || raw.step.is_empty() {
            return wrong("a workflow has a name and at least one [[step]]");
        }
        let mut known = BTreeSet::new();
        for (name, _) in &workflow.inputs {
            if !is_name(name) || !known.insert(name.clone()) {
                return wrong(format!("the input `{name}` is given twice, or is not made of letters, digits, - and _"));
            }
        }
        for raw in raw.step {
            let step = StepDefinition::of(raw, &known, &workflow)?;
            known.insert(step.name.clone());
            workflow.steps.push(step);
        }
        Ok(workflow)
    }

    /// The steps whose outputs later steps need as they are.
    pub fn needed_from(&self, first: usize) -> BTreeSet<&str> {
        let mut needed = BTreeSet::new();
        for step in self.steps.iter().skip(first) {
            if let CommandChoice::By { step, .. } = &step.command {
                needed.insert(step.as_str());
            }
            for argument in &step.arguments {
                needed.extend(argument_parts(argument).into_iter().flatten().filter_map(|part| match part {
                    ArgumentPart::Value(path) => path.split('.').next(),
                    ArgumentPart::Text(_) => None,
                }));
            }
        }
        needed
    }
}

impl StepDefinition {
    fn of(raw: RawStep, known: &BTreeSet<String>, workflow: &Workflow) -> Result<Self, DefinitionError> {
        let name = raw.name.clone();
        let name = &name;
        if !is_name(name) || known.contains(name) {
            return wrong(format!(
                "the step `{name}` has the name of another step or input, or one not made of letters, digits, - and _"
            ));
        }
        let is_step = |word: &str| workflow.steps.iter().any(|step| step.name == word);
        let command = match (raw.command, raw.choose) {
            (Some(file), None) if raw.commands.is_empty() => CommandChoice::One(file),
            (None, Some(step)) if is_step(&step) && !raw.commands.is_empty() => {
                CommandChoice::By { step, files: raw.commands }
            }
            _ => {
                return wrong(format!(
                    "the step `{name}` needs `command`, or `choose` with an earlier step and `commands` for its outputs"
                ));
            }
        };
        for argument in &raw.arguments {
            let Some(parts) = argument_parts(argument) else {
                return wrong(format!(
                    "an argument of the step `{name}` has a brace that is not closed: write {{{{ for {{"
                ));
            };
            let unknown = parts.iter().find_map(|part| match part {
                ArgumentPart::Value(path) => is_unknown(path, known, &is_step).then_some(*path),
                ArgumentPart::Text(_) => None,
            });
            if let Some(path) = unknown {
                return wrong(format!("the step `{name}` asks for {{{path}}}, which is no input and no earlier step"));
            }
        }
        let output = raw.output.as_deref().map_or(Some(OutputKind::Any), OutputKind::parse);
        let Some(output) = output else {
            return wrong(format!(
                "the output of the step `{name}` is none of text, json, path, branch, url, one_of:a,b"
            ));
        };
        let timeout_ms = raw.timeout.as_ref().map(RawSpan::milliseconds);
        if timeout_ms == Some(None) {
            return wrong(format!("the timeout of the step `{name}` is no span: write 90s, 20m, 2h, or seconds"));
        }
        Ok(Self {
            name: raw.name,
            command,
            arguments: raw.arguments,
            output,
            not_found: raw.not_found,
            if_not_found: raw.if_not_found,
            if_rejected: raw.if_rejected,
            timeout_ms: timeout_ms.flatten(),
        })
    }

    /// The command file, by the outputs of earlier steps. None where none belongs to the output that decides.
    pub fn command_file(&self, output_of: impl Fn(&str) -> Option<String>) -> Option<String> {
        match &self.command {
            CommandChoice::One(file) => Some(file.clone()),
            CommandChoice::By { step, files } => files.get(&output_of(step)?).cloned(),
        }
    }

    /// The step whose output decides which command file is run, where one does.
    pub fn deciding_step(&self) -> Option<&str> {
        match &self.command {
            CommandChoice::One(_) => None,
            CommandChoice::By { step, .. } => Some(step),
        }
    }

    /// Every command file that the step may run.
    pub fn command_files(&self) -> Vec<&str> {
        match &self.command {
            CommandChoice::One(file) => vec![file],
            CommandChoice::By { files, .. } => files.values().map(String::as_str).collect(),
        }
    }

    /// The arguments, with values put in by one pass. `value_of` knows inputs and the outputs of earlier steps.
    ///
    /// # Errors
    /// When a value, or a field of one, is not there.
    pub fn filled(&self, value_of: impl Fn(&str) -> Option<String>) -> Result<Vec<String>, DefinitionError> {
        self.arguments.iter().map(|argument| filled(argument, &value_of)).collect()
    }
}

fn filled(argument: &str, value_of: &impl Fn(&str) -> Option<String>) -> Result<String, DefinitionError> {
    let mut out = String::new();
    for part in argument_parts(argument).unwrap_or_default() {
        match part {
            ArgumentPart::Text(text) => out.push_str(text),
            ArgumentPart::Value(path) => match value_at(path, value_of) {
                Some(value) => out.push_str(&value),
                None => return wrong(format!("{{{path}}} has no value")),
            },
        }
    }
    Ok(out)
}

/// A value by its name, or a field of the JSON that it is.
fn value_at(path: &str, value_of: &impl Fn(&str) -> Option<String>) -> Option<String> {
    let Some((name, fields)) = path.split_once(".json.") else { return value_of(path) };
    let value: Value = serde_json::from_str(&value_of(name)?).ok()?;
    let pointer: String = fields.split('.').flat_map(|field| ["/", field]).collect();
    let field = value.pointer(&pointer)?;
    Some(field.as_str().map_or_else(|| field.to_string(), str::to_owned))
}

/// A part of an argument.
#[derive(Debug, PartialEq, Eq)]
enum ArgumentPart<'t> {
    Text(&'t str),
    Value(&'t str),
}

/// An argument's parts; `{{` and `}}` stand for braces. None where a brace is not closed.
fn argument_parts(argument: &str) -> Option<Vec<ArgumentPart<'_>>> {
    let mut parts = Vec::new();
    let mut rest = argument;
    while let Some(at) = rest.find(['{', '}']) {
        let (text, behind) = rest.split_at_checked(at)?;
        parts.push(ArgumentPart::Text(text));
        if behind.starts_with("{{") || behind.starts_with("}}") {
            parts.push(ArgumentPart::Text(behind.get(..1)?));
            rest = behind.get(2..)?;
        } else {
            let (path, behind) = behind.strip_prefix('{')?.split_once('}')?;
            parts.push(ArgumentPart::Value(path));
            rest = behind;
        }
    }
    parts.push(ArgumentPart::Text(rest));
    Some(parts)
}

fn is_unknown(path: &str, known: &BTreeSet<String>, is_step: &impl Fn(&str) -> bool) -> bool {
    match path.split_once('.') {
        None => !known.contains(path),
        Some((name, field)) => !is_step(name) || field.strip_prefix("json.").is_none_or(str::is_empty),
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

fn wrong<T>(what: impl Into<String>) -> Result<T, DefinitionError> {
    Err(DefinitionError(what.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workflow::{WORK_ORDER, command_of, workflow_of};

    fn step(more: &str) -> Result<Workflow, DefinitionError> {
        Workflow::parse(&format!(
            "name = \"w\"\ninputs = [\"a\"]\n[[step]]\nname = \"one\"\ncommand = \"c.md\"\noutput = \"json\"\n[[step]]\n{more}"
        ))
    }

    #[test]
    fn the_work_order_is_whole() {
        let workflow = Workflow::parse(workflow_of(WORK_ORDER).unwrap()).unwrap();
        let names: Vec<&str> = workflow.steps.iter().map(|step| step.name.as_str()).collect();
        assert_eq!(names, ["classify", "plan", "find_plan", "implement", "generate_branch", "commit", "create_pr"]);
        for file in workflow.steps.iter().flat_map(StepDefinition::command_files) {
            assert!(command_of(file).is_some_and(|text| text.contains("dialect: adw")), "{file}");
        }
        assert_eq!(workflow.steps[1].command_file(|_| Some("/other".to_owned())), None);
        assert!(!workflow.needed_from(0).contains("implement"));
        assert_eq!(
            workflow.needed_from(6).into_iter().collect::<Vec<_>>(),
            ["find_plan", "generate_branch", "issue", "order"]
        );
    }

    #[test]
    fn arguments_are_filled_in_one_pass() {
        let workflow = step(
            "name = \"two\"\ncommand = \"d.md\"\narguments = [\"{a}-{one.json.x.0}\", \"{{{a}}}\", \"{one.json.y}\"]",
        )
        .unwrap();
        let value = |name: &str| match name {
            "a" => Some("{one}".to_owned()),
            _ => Some("{\"x\": [\"v\"], \"y\": {\"z\": 1.0}}".to_owned()),
        };
        assert_eq!(workflow.steps[1].filled(value).unwrap(), ["{one}-v", "{{one}}", "{\"z\":1.0}"]);
        assert!(workflow.steps[1].filled(|_| Some("no JSON".to_owned())).is_err());
    }

    #[test]
    fn a_file_that_cannot_run_is_refused() {
        for (more, why) in [
            ("name = \"two\"", "needs `command`"),
            ("name = \"one\"\ncommand = \"c\"", "the name of another"),
            ("name = \"a\"\ncommand = \"c\"", "the name of another"),
            ("name = \"two\"\ncommand = \"c\"\narguments = [\"{three}\"]", "no input and no earlier step"),
            ("name = \"two\"\ncommand = \"c\"\narguments = [\"{two}\"]", "no input and no earlier step"),
            ("name = \"two\"\ncommand = \"c\"\narguments = [\"{a\"]", "not closed"),
            ("name = \"two\"\ncommand = \"c\"\noutput = \"number\"", "none of text"),
            ("name = \"two\"\ncommand = \"c\"\ntimeout = \"soon\"", "no span"),
            ("name = \"two\"\ncommand = \"c\"\ncolour = 1", "unknown field"),
            ("name = \"two\"\nchoose = \"a\"\ncommands = { x = \"c\" }", "needs `command`"),
        ] {
            let error = step(more).unwrap_err().to_string();
            assert!(error.contains(why), "{more}: {error}");
        }
        assert!(Workflow::parse("name = \"w\"").unwrap_err().to_string().contains("[[step]]"));
        assert!(Workflow::parse("name = ").is_err());
    }

    #[test]
    fn inputs_may_have_defaults() {
        let workflow =
            Workflow::parse("name = \"w\"\ninputs = { a = \"x\" }\n[[step]]\nname = \"one\"\ncommand = \"c\"").unwrap();
        assert_eq!(workflow.inputs, [("a".to_owned(), Some("x".to_owned()))]);
    }
}
