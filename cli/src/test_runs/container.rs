//! How a container ended, where a report says so: a property of a case or suite, or a line of its output.

use super::run::ContainerEnd;

/// What a property says: `oomKilled` of `true`, `container.exitCode` of 137, `containerStatus` of `exited`.
pub(super) fn of_property(name: &str, value: &str) -> Option<ContainerEnd> {
    let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let value = value.trim().to_ascii_lowercase();
    let is_of_container = name.contains("container") || name.contains("docker") || name.contains("pod");
    match value.as_str() {
        "true" | "1" if name.ends_with("oomkilled") => Some(ContainerEnd::OomKilled),
        "oomkilled" if is_of_container => Some(ContainerEnd::OomKilled),
        "137" if is_of_container && (name.ends_with("exitcode") || name.ends_with("exitstatus")) => {
            Some(ContainerEnd::OomKilled)
        }
        "exited" if is_of_container => Some(ContainerEnd::Exited),
        "dead" if is_of_container => Some(ContainerEnd::Dead),
        _ => None,
    }
}

/// What the output of a failed case says. Only lines about a container count: other programs exit, too.
pub(super) fn of_output(output: &str) -> Option<ContainerEnd> {
    let lines = output.lines().filter_map(of_line);
    lines.min()
}

fn of_line(line: &str) -> Option<ContainerEnd> {
    if let Some((_, after)) = line.split_once("OOMKilled") {
        let said: String = after.chars().skip_while(|c| !c.is_ascii_alphanumeric()).take(5).collect();
        return (!said.eq_ignore_ascii_case("false")).then_some(ContainerEnd::OomKilled);
    }
    let line = line.to_ascii_lowercase();
    if !line.contains("container") {
        return None;
    }
    let words: Vec<&str> = line.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let has = |word: &str| words.contains(&word);
    match () {
        () if has("137") && (has("exited") || has("exit")) => Some(ContainerEnd::OomKilled),
        () if has("exited") && !has("0") => Some(ContainerEnd::Exited),
        () if has("dead") => Some(ContainerEnd::Dead),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_and_output_say_how_a_container_ended() {
        for (name, value, end) in [
            ("oomKilled", "true", Some(ContainerEnd::OomKilled)),
            ("oomKilled", "false", None),
            ("container.state", "OOMKilled", Some(ContainerEnd::OomKilled)),
            ("container.exitCode", "137", Some(ContainerEnd::OomKilled)),
            ("exitCode", "137", None),
            ("containerStatus", "exited", Some(ContainerEnd::Exited)),
            ("docker_status", "dead", Some(ContainerEnd::Dead)),
            ("status", "exited", None),
        ] {
            assert_eq!(of_property(name, value), end, "{name}={value}");
        }
        for (output, end) in [
            ("\"OOMKilled\": true", Some(ContainerEnd::OomKilled)),
            ("\"OOMKilled\": false", None),
            ("container db exited with code 137", Some(ContainerEnd::OomKilled)),
            ("starting\ncontainer db exited with code 1\n", Some(ContainerEnd::Exited)),
            ("container db exited with code 0", None),
            ("container db is dead", Some(ContainerEnd::Dead)),
            ("the worker exited with code 137", None),
        ] {
            assert_eq!(of_output(output), end, "{output}");
        }
    }
}
