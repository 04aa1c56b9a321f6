//! A command on the first line and its output after it: the reading is bounded and plain, whatever is printed.
#![no_main]

use std::borrow::Cow;

use failwise::model::{Object, Reading, Status, Tool, ToolCall, ToolInput};
use failwise::reading::judge;
use libfuzzer_sys::fuzz_target;

const STATUSES: &[Status] = &[Status::Failed, Status::Succeeded, Status::Refused, Status::InBackground];
const TOOLS: &[&str] = &["Bash", "Edit", "mcp__a__b", "Read"];

fuzz_target!(|input: &[u8]| {
    let (first, rest) = input.split_first().unwrap_or((&0, &[]));
    let text = String::from_utf8_lossy(rest);
    let (command, output) = text.split_once('\n').unwrap_or((&text, ""));
    let choice = usize::from(*first);
    let status = STATUSES[choice % STATUSES.len()];
    let tool = Tool::named(TOOLS[choice / 4 % TOOLS.len()]);
    let input = ToolInput::Command { command: Cow::Borrowed(command), background: choice & 16 != 0 };
    let call = ToolCall {
        cwd: Some("/work".to_owned()),
        exit_code: (status == Status::Failed).then_some(i32::from(*first)),
        text: Cow::Borrowed(output),
        timed_out_after_ms: (choice & 32 != 0).then_some(1000),
        truncated: choice & 64 != 0,
        ..ToolCall::new(tool, input, status)
    };
    let judged = judge(&call, choice & 128 != 0);
    check(&judged.reading);
    assert!(judged.evidence.iter().map(String::len).sum::<usize>() < 64 * 1024);
});

fn check(reading: &Reading) {
    assert!(reading.objects.len() <= Reading::MAX_OBJECTS && reading.files.len() <= Reading::MAX_OBJECTS);
    assert!(reading.passed.len() <= Reading::MAX_PASSED);
    let plain = |text: &str, most: usize| text.chars().count() <= most && !text.contains(['\n', '\r', '\u{1b}', '\0']);
    assert!(reading.line.as_ref().is_none_or(|line| plain(line, 300)), "{:?}", reading.line);
    assert!(reading.objects.iter().all(|Object { name, .. }| plain(name, 200)), "{:?}", reading.objects);
    assert!(reading.files.iter().chain(&reading.passed).all(|name| plain(name, 1024)), "{:?}", reading.files);
}
