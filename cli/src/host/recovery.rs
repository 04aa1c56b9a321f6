//! What a recovery plan is asked for: a hook payload or failure event with all of the call's arguments, the inherited
//! contract's `{toolCall, error}`, or a verdict.

use serde_json::{Map, Value, json};

use super::payload::{self, PayloadError, PayloadKind};
use super::wire;
use crate::model::{Category, Status, Tool, ToolCall, ToolKind, Verdict};
use crate::recover::{AskedCall, COMMAND_KEYS};

/// The largest input that is read, in bytes.
pub const MAX_BYTES: usize = 1024 * 1024;

/// What was given.
#[derive(Debug, Clone)]
pub enum Asked {
    /// Calls of which one failed.
    Calls(Vec<AskedCall>),
    /// A verdict: its call is in the history.
    Verdict(Box<Verdict>),
}

/// Reads what a plan is asked for.
///
/// # Errors
/// When it is larger than [`MAX_BYTES`], no JSON object, or of no shape that tells of a call.
pub fn read(input: &[u8]) -> Result<Asked, PayloadError> {
    if input.len() > MAX_BYTES {
        return Err(PayloadError::NotJson(format!("it has more than {MAX_BYTES} bytes")));
    }
    let input = input.strip_prefix(b"\xef\xbb\xbf").unwrap_or(input);
    if input.iter().all(u8::is_ascii_whitespace) {
        return Err(PayloadError::Empty);
    }
    let value: Value = match serde_json::from_slice(input) {
        Ok(value) => value,
        Err(error) => match wire::repaired(input) {
            Some(text) => serde_json::from_str(&text)?,
            None => return Err(error.into()),
        },
    };
    let Value::Object(object) = &value else { return Err(PayloadError::NotJson("it is no object".to_owned())) };
    if object.contains_key("toolCall") || object.contains_key("tool_call") {
        return contract(object).map(|call| Asked::Calls(vec![call]));
    }
    if object.contains_key("class")
        && object.contains_key("signature")
        && let Ok(verdict) = serde_json::from_value(value.clone())
    {
        return Ok(Asked::Verdict(Box::new(verdict)));
    }
    let payload = payload::parse(input)?.into_owned();
    let asked = |call: ToolCall<'static>, given: &Value| {
        let tool = ["tool_name", "tool"]
            .iter()
            .find_map(|key| given.get(*key)?.as_str())
            .unwrap_or(&call.tool.name)
            .to_owned();
        let args = arguments(given.get("tool_input")).unwrap_or_else(|| arguments_of(&call));
        AskedCall {
            tool,
            args,
            code: None,
            says: None,
            is_contract: false,
            iteration: whole(object.get("iteration")),
            tools: tool_names(object.get("availableTools")),
            tried: tool_names(object.get("tried")).unwrap_or_default(),
            call,
        }
    };
    match payload.kind {
        PayloadKind::Call(call) | PayloadKind::Report(call) | PayloadKind::ApiError(call) => {
            Ok(Asked::Calls(vec![asked(call, &value)]))
        }
        PayloadKind::Background { call, .. } => Ok(Asked::Calls(vec![asked(call, &json!({}))])),
        PayloadKind::Batch(calls) => {
            let given = object.get("tool_calls").and_then(Value::as_array).cloned().unwrap_or_default();
            Ok(Asked::Calls(calls.into_iter().zip(&given).map(|(call, given)| asked(call, given)).collect()))
        }
        _ => Err(PayloadError::NoEvent),
    }
}

/// Reads the call of a page's case.
///
/// # Errors
/// When it is no call, in words for who writes the page.
pub fn read_call(input: &[u8]) -> Result<AskedCall, String> {
    match read(input).map_err(|error| error.to_string())? {
        Asked::Calls(calls) => calls.into_iter().next().ok_or_else(|| "a case tells of a call".to_owned()),
        Asked::Verdict(_) => Err("a case tells of a call".to_owned()),
    }
}

/// The arguments of a call, given as an object or as JSON text.
fn arguments(given: Option<&Value>) -> Option<Map<String, Value>> {
    match given? {
        Value::Object(args) => Some(args.clone()),
        Value::String(text) => serde_json::from_str(text).ok(),
        _ => None,
    }
}

/// The arguments that a call is known to have had.
fn arguments_of(call: &ToolCall<'_>) -> Map<String, Value> {
    let made = match (call.command(), call.file()) {
        (Some(command), _) => json!({ "command": command }),
        (None, Some(file)) => json!({ "file_path": file }),
        (None, None) => json!({}),
    };
    if let Value::Object(args) = made { args } else { Map::new() }
}

fn tool_names(value: Option<&Value>) -> Option<Vec<String>> {
    let list = value?.as_array()?;
    Some(list.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

fn whole(value: Option<&Value>) -> Option<u32> {
    value?.as_u64().and_then(|number| u32::try_from(number).ok())
}

/// The contract's shape.
fn contract(object: &Map<String, Value>) -> Result<AskedCall, PayloadError> {
    let call = object.get("toolCall").or_else(|| object.get("tool_call")).ok_or(PayloadError::NoEvent)?;
    let function = call.get("function").unwrap_or(call);
    let tool =
        function.get("name").and_then(Value::as_str).filter(|name| !name.is_empty()).ok_or(PayloadError::NoEvent)?;
    let error = object.get("error").unwrap_or(&Value::Null);
    let text_of = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default();
    let message = error.as_str().unwrap_or_else(|| text_of("message"));
    let kind = kind_of(tool);
    let mut args = arguments(function.get("arguments").or_else(|| function.get("input"))).unwrap_or_default();
    let own = |args: &Map<String, Value>, keys: &[&str]| {
        keys.iter().find_map(|key| args.get(*key)?.as_str()).map(str::to_owned)
    };
    let command =
        own(&args, COMMAND_KEYS).or_else(|| Some(text_of("command").to_owned()).filter(|command| !command.is_empty()));
    if kind == ToolKind::Shell
        && own(&args, COMMAND_KEYS).is_none()
        && let Some(command) = &command
    {
        args.insert(if tool == "run_bash" { "script" } else { "command" }.to_owned(), Value::String(command.clone()));
    }
    let code = error.get("code");
    let exit = code.and_then(Value::as_i64);
    let errno = code.and_then(Value::as_str).map(str::to_owned);
    let printed: Vec<&str> =
        [text_of("stderr"), text_of("stdout")].into_iter().filter(|text| !text.is_empty()).collect();
    let body = if printed.is_empty() { without_frame(message).to_owned() } else { printed.join("\n") };
    let told = exit.map_or_else(|| body.clone(), |exit| format!("Exit code {exit}\n{body}"));
    let file = own(&args, &["file", "file_path", "path", "filename"]);
    let input = match kind {
        ToolKind::Shell => json!({ "command": command.unwrap_or_default() }),
        ToolKind::Read | ToolKind::Write | ToolKind::Edit => json!({ "file_path": file.unwrap_or_default() }),
        _ => Value::Object(args.clone()),
    };
    let name = match kind {
        ToolKind::Search if tool == "read_dir" => "LS",
        _ => tool,
    };
    let payload = json!({
        "hook_event_name": "PostToolUseFailure", "session_id": object.get("sessionId"), "cwd": object.get("cwd"),
        "tool_name": name, "tool_input": input, "error": told,
    });
    let bytes = serde_json::to_vec(&payload)?;
    let PayloadKind::Call(mut call) = payload::parse(&bytes)?.into_owned().kind else {
        return Err(PayloadError::NoEvent);
    };
    let refused =
        errno.as_deref().is_some_and(|code| matches!(code, "APPROVAL_REJECTED" | "USER_REJECTED" | "EREJECTED"));
    if refused {
        call.status = Status::Denied;
    }
    let signal = text_of("signal");
    let says = category_of(tool, errno.as_deref(), exit, signal, message, text_of("stderr"));
    Ok(AskedCall {
        call,
        tool: tool.to_owned(),
        args,
        code: errno,
        says,
        is_contract: true,
        iteration: whole(object.get("iteration")),
        tools: tool_names(object.get("availableTools")),
        tried: tool_names(object.get("tried")).unwrap_or_default(),
    })
}

fn kind_of(tool: &str) -> ToolKind {
    if tool == "read_dir" { ToolKind::Search } else { Tool::named(tool).kind }
}

/// The message without the frame that the contract's shell puts around it: `bash error (exit 127): `.
fn without_frame(message: &str) -> &str {
    message.strip_prefix("bash error (exit ").and_then(|rest| rest.split_once("): ")).map_or(message, |(_, text)| text)
}

/// What the system's words for errors mean.
const CODES: &[(&str, Category)] = &[
    ("EACCES", Category::PermissionDenied),
    ("EPERM", Category::PermissionDenied),
    ("EROFS", Category::PermissionDenied),
    ("ENOENT", Category::PathNotFound),
    ("ENOTDIR", Category::PathNotFound),
    ("EISDIR", Category::BadArguments),
    ("ETIMEDOUT", Category::Timeout),
    ("ENOTFOUND", Category::Network),
    ("EAI_AGAIN", Category::Network),
    ("ECONNREFUSED", Category::Network),
    ("ECONNRESET", Category::Network),
    ("EPIPE", Category::Network),
    ("ENOSPC", Category::ResourceExhausted),
    ("EDQUOT", Category::ResourceExhausted),
    ("EMFILE", Category::ResourceExhausted),
    ("ENOMEM", Category::ResourceExhausted),
    ("EADDRINUSE", Category::ResourceBusy),
    ("EBUSY", Category::ResourceBusy),
    ("ETXTBSY", Category::ResourceBusy),
];

/// The words by which the contract tells its categories, each in small letters.
const WORDS: &[(Category, &[&str])] = &[
    (Category::ToolUnavailable, &["unknown tool", "tool not found", "not in allowlist"]),
    (Category::CommandNotFound, &["command not found", ": not found"]),
    (Category::PermissionDenied, &["permission denied", "access denied", "operation not permitted"]),
    (Category::PathNotFound, &["no such file", "no such directory"]),
    (Category::Timeout, &["timeout", "timed out"]),
    (Category::BadArguments, &["missing required parameter", "invalid argument", "failed to parse", " should be "]),
    (Category::ShellSyntax, &["syntax error", "unexpected token"]),
    (Category::RateLimit, &["rate limit", "too many requests"]),
    (Category::ResourceExhausted, &["no space left", "disk full"]),
    (Category::Network, &["connection refused", "network error", "could not resolve host"]),
];

/// Whether a message tells of a program that could not be started: `spawn rg ENOENT`, `spawnSync rg ENOENT`.
fn starts_nothing(message: &str) -> bool {
    let words: Vec<&str> = message.split_whitespace().collect();
    words.windows(3).any(|three| {
        matches!(three, [call, _, code] if call.trim_start_matches("Error:").starts_with("spawn") && code.trim_end_matches([',', '.', ':']) == "ENOENT")
    })
}

/// The category that an error of the contract's shape tells, and how sure it is: 0.85 by the first thing that tells it
/// (the code before the words), and 0.05 more for each other that says the same. A single decisive code is worth more than
/// all synonyms of a category, of which one text never holds most.
fn category_of(
    tool: &str,
    errno: Option<&str>,
    exit: Option<i64>,
    signal: &str,
    message: &str,
    stderr: &str,
) -> Option<(Category, f64)> {
    let of_code = errno
        .and_then(|code| CODES.iter().find(|(word, _)| word.eq_ignore_ascii_case(code)).map(|(_, category)| *category));
    // Node says ENOENT of a program that it cannot start, too: `spawn rg ENOENT`.
    let is_program = of_code == Some(Category::PathNotFound) && starts_nothing(message);
    let of_code = of_code.map(|category| if is_program { Category::CommandNotFound } else { category });
    let of_exit = (exit == Some(127)).then_some(Category::CommandNotFound);
    let of_signal = (exit.is_none() && matches!(signal, "SIGTERM" | "SIGKILL")).then_some(Category::Timeout);
    let shell = kind_of(tool) == ToolKind::Shell;
    let in_words = |text: &str| {
        let text = text.to_ascii_lowercase();
        let holds = |(category, words): &&(Category, &[&str])| {
            (shell || *category != Category::CommandNotFound) && words.iter().any(|word| text.contains(word))
        };
        WORDS.iter().find(holds).map(|(category, _)| *category)
    };
    let code = of_code.or(of_exit).or(of_signal);
    // What a shell ran is read by its own words elsewhere; its errors of the tool itself are not.
    let words = [in_words(message), in_words(stderr)];
    let category = code.or_else(|| {
        words[0].filter(|category| !shell || matches!(category, Category::ToolUnavailable | Category::Timeout))
    })?;
    let others = usize::from(code.is_some()) + words.iter().filter(|said| **said == Some(category)).count();
    let percent = (80 + 5 * u32::try_from(others).unwrap_or(1)).min(95);
    Some((category, f64::from(percent) / 100.0))
}
