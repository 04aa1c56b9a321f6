//! Calls that met a machine other than they needed: a missing program, another version, shell or folder, a full disk, a
//! setting that outranks the one that was asked for.

use crate::model::{Category, ObjectKind};
use crate::programs::Trait;
use crate::shell::Script;

use super::Mode as M;
use super::arguments::stream_of;
use super::facts::Facts;
use super::network::not_a_test;
use super::row::{Row, Seen, failed, means, passed, says};

/// The rows.
pub(super) const ROWS: &[Row] = &[
    // The version.
    says(M::VersionMismatch, 95, "*^(is not supported by the following package)"),
    says(M::VersionMismatch, 95, "*requires rustc "),
    says(M::VersionMismatch, 95, "*^(requires a different python)"),
    says(M::VersionMismatch, 95, "*^(requires python) "),
    says(M::VersionMismatch, 95, "*EBADENGINE").only(|facts| {
        facts.line_with(&["npm warn ebadengine"]).is_none()
            || facts.line_with(&["npm error code ebadengine", "npm err! code ebadengine"]).is_some()
    }),
    says(M::VersionMismatch, 95, "*^(unsupported engine)"),
    says(M::VersionMismatch, 95, "*Not compatible with your version of node"),
    says(M::VersionMismatch, 94, "*ERR_REQUIRE_ESM"),
    says(M::VersionMismatch, 94, "*Cannot use import statement outside a module"),
    says(M::VersionMismatch, 95, "*GLIBC_{name}' not found"),
    says(M::VersionMismatch, 95, "*UnsupportedClassVersionError"),
    says(M::VersionMismatch, 94, "*^(incompatible library version)"),
    says(M::VersionMismatch, 94, "*^(requires php) "),
    says(M::VersionMismatch, 94, "*^(your php version) "),
    says(M::VersionMismatch, 94, "*^(your ruby version is) "),
    says(M::VersionMismatch, 94, "*^(requires version)"),
    says(M::VersionMismatch, 93, "*^(requires) {word} ^(version) "),
    says(M::VersionMismatch, 93, "*release version # not supported"),
    says(M::VersionMismatch, 94, "*^(is older than the) "),
    says(M::VersionMismatch, 94, "*^(python version) {word} ^(is not supported)"),
    says(M::VersionMismatch, 94, "*^(no interpreter found for) "),
    says(M::VersionMismatch, 94, "*^(but project requires) "),
    says(M::VersionMismatch, 94, "*^(or higher is required)"),
    says(M::VersionMismatch, 97, "*^(version) {word} ^(is required but)"),
    says(M::VersionMismatch, 95, "*^(it supports only) "),
    failed(M::VersionMismatch, 95, other_standard_library),
    // The shell and the system.
    says(M::PlatformPortability, 95, "*[[: not found"),
    says(M::PlatformPortability, 95, "*^(bad substitution)"),
    says(M::PlatformPortability, 95, "*^(illegal option) -- ").only(|facts| {
        facts.is_program(&[
            "sh", "set", "read", "echo", "date", "sed", "readlink", "stat", "ls", "xargs", "grep", "dash",
        ])
    }),
    says(M::PlatformPortability, 95, "*\\$'\\\\r': command not found"),
    says(M::PlatformPortability, 95, "*^(bad interpreter)"),
    says(M::PlatformPortability, 95, "*^(exec format error)"),
    says(M::PlatformPortability, 95, "*^(cannot execute binary file)"),
    says(M::PlatformPortability, 95, "*: source: not found"),
    says(M::PlatformPortability, 95, "*: pushd: not found"),
    says(M::PlatformPortability, 94, "*Syntax error: \"(\" unexpected"),
    says(M::PlatformPortability, 94, "*EBADPLATFORM"),
    says(M::PlatformPortability, 94, "*^(unsupported platform)"),
    failed(M::PlatformPortability, 93, carriage_return),
    failed(M::PlatformPortability, 97, of_another_system),
    // What is missing.
    says(M::DependencyDiscovery, 94, "*: command not found").only(|facts| facts.line_with(&["[[:", "\\r'"]).is_none()),
    says(M::DependencyDiscovery, 93, "*: not found$")
        .only(|facts| facts.call.exit_code == Some(127) && facts.line_with(&["[[:", "display"]).is_none()),
    says(M::DependencyDiscovery, 93, "*No module named "),
    says(M::DependencyDiscovery, 93, "*ModuleNotFoundError"),
    says(M::DependencyDiscovery, 93, "*Cannot find module "),
    says(M::DependencyDiscovery, 93, "*Cannot find package "),
    says(M::DependencyDiscovery, 93, "*cannot find -l"),
    says(M::DependencyDiscovery, 93, "*linker `{word}` not found"),
    says(M::DependencyDiscovery, 92, "*^(was not found in the pkg-config search path)"),
    says(M::DependencyDiscovery, 92, "*^(cannot connect to the docker daemon)"),
    says(M::DependencyDiscovery, 92, "*^(is the docker daemon running)"),
    says(M::DependencyDiscovery, 96, "*^(has not been booted with systemd)"),
    says(M::DependencyDiscovery, 96, "*^(failed to connect to bus)"),
    says(M::DependencyDiscovery, 92, "*^(is not installed)").only(not_a_test),
    says(M::DependencyDiscovery, 92, "*error while loading shared libraries"),
    says(M::DependencyDiscovery, 92, "*^(missing dependenc)"),
    says(M::DependencyDiscovery, 92, "*Unable to locate package"),
    says(M::DependencyDiscovery, 92, "*cannot load such file -- "),
    says(M::DependencyDiscovery, 92, "*Could not find gem "),
    says(M::DependencyDiscovery, 92, "*ClassNotFoundException"),
    says(M::DependencyDiscovery, 91, "*^(environment variable) * ^(not set)"),
    says(M::DependencyDiscovery, 91, "*^(environment variable not found)"),
    says(M::DependencyDiscovery, 91, "*: unbound variable"),
    says(M::DependencyDiscovery, 91, "{setting} ^(is not set)"),
    says(M::DependencyDiscovery, 91, "*KeyError: '{setting}'").only(|facts| facts.line_with(&["environ"]).is_some()),
    means(M::DependencyDiscovery, 90, &[Category::CommandNotFound]),
    means(M::DependencyDiscovery, 88, &[Category::DependencyMissing]),
    failed(M::DependencyDiscovery, 86, lacks_setting).last(),
    failed(M::DependencyDiscovery, 84, silent_127).last(),
    // The folder.
    says(M::WorkingDirectory, 95, "*^(not a git repository)"),
    says(M::WorkingDirectory, 95, "*could not find `Cargo.toml`"),
    says(M::WorkingDirectory, 96, "*^(not inside of a) "),
    says(M::WorkingDirectory, 95, "*^(no repository found in) "),
    says(M::WorkingDirectory, 95, "*^(configuration file in this directory)"),
    says(M::WorkingDirectory, 95, "*^(found in current directory)"),
    says(M::WorkingDirectory, 95, "*^(no justfile found)"),
    says(M::WorkingDirectory, 95, "*^(does not contain main module)"),
    says(M::WorkingDirectory, 95, "*^(config file) '{name}' ^(does not exist)"),
    says(M::WorkingDirectory, 95, "*^(unable to locate config file)"),
    says(M::WorkingDirectory, 94, "*ENOENT*package.json"),
    says(M::WorkingDirectory, 94, "*Could not read package.json"),
    says(M::WorkingDirectory, 94, "*^(no package.json)"),
    says(M::WorkingDirectory, 94, "*ERR_PNPM_NO_IMPORTER_MANIFEST_FOUND"),
    says(M::WorkingDirectory, 93, "*No rule to make target "),
    says(M::WorkingDirectory, 93, "*^(no targets specified and no makefile found)"),
    says(M::WorkingDirectory, 94, "*cannot find main module"),
    says(M::WorkingDirectory, 94, "*does not appear to be a Python project"),
    says(M::WorkingDirectory, 94, "*^(neither) 'setup.py' ^(nor) 'pyproject.toml' ^(found)"),
    says(M::WorkingDirectory, 94, "*^(could not find a) pyproject.toml"),
    says(M::WorkingDirectory, 94, "*^(does not contain a) {word} ")
        .only(|facts| facts.line_with(&["project", "package", "workspace", "module"]).is_some()),
    says(M::WorkingDirectory, 94, "*there is no POM in this directory"),
    says(M::WorkingDirectory, 94, "*must be run in a work tree"),
    says(M::WorkingDirectory, 94, "*^(no configuration file provided): not found"),
    says(M::WorkingDirectory, 93, "*^(no configuration files)"),
    says(M::WorkingDirectory, 94, "*Could not locate Gemfile"),
    says(M::WorkingDirectory, 94, "*No Rakefile found"),
    says(M::WorkingDirectory, 93, "*MSB1003"),
    says(M::WorkingDirectory, 94, "*^(in a directory with a) "),
    failed(M::WorkingDirectory, 91, lacks_project_file),
    says(M::WorkingDirectory, 94, "*^(is not a working copy)"),
    says(M::WorkingDirectory, 93, "*does not appear to contain CMakeLists.txt"),
    says(M::WorkingDirectory, 92, "*package.json*^(no such file)"),
    says(M::WorkingDirectory, 92, "*Composer could not find a composer.json"),
    failed(M::WorkingDirectory, 82, missing_relative_path).last(),
    // Too little to be a match: worth a question.
    means(M::WorkingDirectory, 60, &[Category::PathNotFound]),
    means(M::ConfigShadowing, 55, &[Category::ConfigOrState]),
    means(M::DependencyDiscovery, 45, &[Category::ConfigOrState, Category::ToolUnavailable]),
    means(M::FilesystemSideEffects, 40, &[Category::PermissionDenied, Category::ResourceExhausted]),
    // The disk, and places that nobody declared.
    says(M::FilesystemSideEffects, 96, "*^(no space left on device)"),
    says(M::FilesystemSideEffects, 96, "*ENOSPC"),
    says(M::FilesystemSideEffects, 95, "*^(disk quota exceeded)"),
    says(M::FilesystemSideEffects, 95, "*^(read-only file system)"),
    says(M::FilesystemSideEffects, 95, "*EROFS"),
    failed(M::FilesystemSideEffects, 94, refused_cache),
    // Links that lead back.
    says(M::SymlinkLoop, 95, "*^(too many levels of symbolic links)"),
    says(M::SymlinkLoop, 95, "*^(cyclic symbolic link)"),
    says(M::SymlinkLoop, 95, "*ELOOP"),
    says(M::SymlinkLoop, 95, "*^(file system loop detected)"),
    // What outranks what was asked for.
    says(M::ConfigShadowing, 95, "*does not appear to be a git repository"),
    says(M::ConfigShadowing, 95, "*^(no configured push destination)"),
    failed(M::ConfigShadowing, 95, options_from_file),
    says(M::ConfigShadowing, 95, "*Config '{name}' from "),
    says(M::ConfigShadowing, 94, "*^(will not be loaded if) "),
    says(M::ConfigShadowing, 96, "*^(environment variable is being used) "),
    says(M::ConfigShadowing, 95, "*^(bad config) "),
    says(M::ConfigShadowing, 95, "*^(bad configuration option)"),
    says(M::ConfigShadowing, 95, "*^(bad config line) "),
    says(M::ConfigShadowing, 94, "*^(error parsing config)"),
    says(M::ConfigShadowing, 94, "*^(failed to load config)"),
    says(M::ConfigShadowing, 94, "*^(error loading config)"),
    says(M::ConfigShadowing, 94, "*^(invalid config)"),
    says(M::ConfigShadowing, 93, "*^(overridden by) "),
    says(M::ConfigShadowing, 92, "*^(invalid configuration)"),
    failed(M::ConfigShadowing, 86, refused_setting).last(),
    // The language.
    failed(M::LocaleErrors, 95, other_language),
    passed(M::GlobalConfig, 88, changes_everything),
];

/// Modules that came into Python's own library, or left it, with a version.
const BY_VERSION: &[&str] = &["tomllib", "distutils", "imp", "asyncore", "asynchat", "cgi", "telnetlib", "zoneinfo"];

/// A name or module that another version of the language's own library has.
fn other_standard_library(facts: &Facts<'_>) -> Option<Seen> {
    let name = |line: &str| {
        let own = line.contains("/lib/python") && !line.contains("-packages/");
        line.starts_with("ImportError: cannot import name ") && own
    };
    let module = |line: &str| {
        let missing = line.strip_prefix("ModuleNotFoundError: No module named ").map(|rest| rest.trim_matches('\''));
        missing.is_some_and(|missing| BY_VERSION.contains(&missing))
    };
    if facts.possible_words(&["importerror: cannot import name ", "no module named "]).is_empty() {
        return None;
    }
    let (stream, line) = facts.lines().find(|(_, line)| name(line) || module(line))?;
    Some(Seen::line(stream, line))
}

/// The file by which a program knows its project, which the call does not name: it is looked for where the call ran.
fn lacks_project_file(facts: &Facts<'_>) -> Option<Seen> {
    let command = facts.command()?;
    if !not_a_test(facts) || [Trait::Interpreter, Trait::Shell, Trait::TakesCode].into_iter().any(|w| command.is(w)) {
        return None;
    }
    let given = facts.call.command()?;
    let is_project_file = |word: &str| {
        let word = word.trim_matches(|c: char| "'\"`:;,()".contains(c));
        let stem = word.split_once('.');
        let named = stem.is_some_and(|(name, ending)| {
            matches!(name.to_ascii_lowercase().as_str(), "build" | "package" | "project" | "pom" | "makefile" | "meson")
                && (2..8).contains(&ending.len())
        });
        named && !given.contains(word)
    };
    let (stream, line) = facts.lines().find(|(_, line)| {
        line.ends_with("No such file or directory")
            && super::facts::begins_with_name(line, &command.program)
            && line.split_whitespace().any(is_project_file)
    })?;
    Some(Seen::line(stream, line))
}

/// A carriage return at the end of a script's line: the line is shown without what makes it fail.
fn carriage_return(facts: &Facts<'_>) -> Option<Seen> {
    let text = facts.call.output.merged();
    let found = text.contains("$'\\r'")
        || text.contains("\r': No such file")
        || text.contains("\\r’")
        || text.contains("^M: bad interpreter");
    found.then(|| Seen::words("the script's lines end with a carriage return"))
}

/// Options that only one family of systems knows, by program.
const OTHER_SYSTEMS: &[(&str, &str)] = &[
    ("date", "-v"),
    ("date", "-j"),
    ("base64", "-D"),
    ("xargs", "-J"),
    ("sed", "-l"),
    ("stat", "-f"),
    ("readlink", "-m"),
    ("ls", "-G@"),
    ("ps", "-G"),
    ("du", "-d1"),
    ("grep", "-P"),
    ("tar", "--no-mac-metadata"),
    ("mktemp", "-t"),
    ("sort", "-R"),
    ("cp", "-c"),
    ("find", "-E"),
    ("tail", "-r"),
    ("netstat", "-v"),
    ("top", "-l"),
    ("pgrep", "-q"),
    ("md5sum", "-r"),
];
/// Programs of one system.
const OTHER_PROGRAMS: &[&str] = &[
    "pbcopy",
    "pbpaste",
    "sw_vers",
    "launchctl",
    "defaults",
    "osascript",
    "say",
    "open",
    "networksetup",
    "scutil",
    "dscl",
    "softwareupdate",
    "gsed",
    "gdate",
    "greadlink",
    "gtimeout",
    "xcode-select",
    "xcrun",
    "ipconfig",
    "findstr",
    "cls",
    "dir",
    "tasklist",
    "taskkill",
    "powershell",
    "pwsh",
    "cmd",
    "wslpath",
    "reg",
];

/// An option or a program of another system.
fn of_another_system(facts: &Facts<'_>) -> Option<Seen> {
    let command = facts.command()?;
    let refused = facts.line_with(&["invalid option", "illegal option", "unknown option", "unrecognized option"]);
    if let Some((stream, line)) = refused
        && OTHER_SYSTEMS.iter().any(|(program, option)| {
            let named = command.name() == *program || super::facts::begins_with_name(line, program);
            named
                && facts.call.command().is_some_and(|line| line.split_whitespace().any(|word| word.starts_with(option)))
        })
    {
        return Some(Seen {
            words: Some("the option is one of another system's program".to_owned()),
            line: Some((stream, line.to_owned())),
        });
    }
    if let Some((stream, line)) = facts.line_with(&["command not found", ": not found"]) {
        let cmdlet = |name: &str| {
            name.split_once('-').is_some_and(|(verb, noun)| {
                verb.starts_with(|c: char| c.is_ascii_uppercase()) && noun.starts_with(|c: char| c.is_ascii_uppercase())
            })
        };
        let named = facts.script.into_iter().flat_map(Script::programs).find(|(_, c)| {
            line.contains(&c.program) && (OTHER_PROGRAMS.contains(&c.program.as_str()) || cmdlet(&c.program))
        });
        return named.map(|(_, c)| Seen {
            words: Some(format!("`{}` is a program of another system", crate::text::start(&c.program, 40))),
            line: Some((stream, line.to_owned())),
        });
    }
    let empty_suffix = command.name() == "sed"
        && command.args.windows(2).any(|pair| matches!(pair, [option, empty] if option == "-i" && empty.is_empty()));
    let (stream, line) = facts.line_with(&["can't read"]).filter(|_| empty_suffix)?;
    Some(Seen {
        words: Some("`-i ''` is how another system's sed is called".to_owned()),
        line: Some((stream, line.to_owned())),
    })
}

fn silent_127(facts: &Facts<'_>) -> Option<Seen> {
    (facts.call.exit_code == Some(127)).then(|| Seen::words("status 127 means that a program was not found"))
}

/// Options that a file adds to the call.
fn options_from_file(facts: &Facts<'_>) -> Option<Seen> {
    let (stream, line) = facts.line_with(&["inifile:", "configfile:"]).filter(|(_, line)| !line.ends_with("None"))?;
    facts.line_with(&["unrecognized arguments", "unknown option", "no such option"]).map(|_| Seen::line(stream, line))
}

/// A setting or service that the reading names.
fn lacks_setting(facts: &Facts<'_>) -> Option<Seen> {
    let reading = facts.reading.as_ref().filter(|reading| reading.category == Category::ConfigOrState)?;
    let line = reading.line.as_deref()?;
    let missing =
        ["not set", "not found", "missing", "not configured", "unset", "undefined", "is required", "not defined"];
    let lower = line.to_ascii_lowercase();
    let is_config = ["config", "conf ", ".yaml", ".toml", ".json"].iter().any(|word| lower.contains(word));
    (missing.iter().any(|word| lower.contains(word)) && !is_config).then(|| Seen::line(stream_of(facts, line), line))
}

/// What the reading says of a configuration.
fn refused_setting(facts: &Facts<'_>) -> Option<Seen> {
    let reading = facts.reading.as_ref().filter(|reading| reading.category == Category::ConfigOrState)?;
    let line = reading.line.as_deref()?;
    let lower = line.to_ascii_lowercase();
    ["config", "conf ", "setting", ".yaml", ".toml"]
        .iter()
        .any(|word| lower.contains(word))
        .then(|| Seen::line(stream_of(facts, line), line))
}

/// A file that was named from the folder the call ran in.
fn missing_relative_path(facts: &Facts<'_>) -> Option<Seen> {
    let reading = facts.reading.as_ref().filter(|reading| reading.category == Category::PathNotFound)?;
    let line = reading.line.as_deref()?;
    let object = reading
        .objects
        .iter()
        .find(|object| object.kind == ObjectKind::File)
        .map(|o| o.name.as_str())
        .or(reading.files.first().map(String::as_str))?;
    let command = facts.command()?;
    let named = command.args.iter().any(|arg| arg.trim_start_matches("./") == object.trim_start_matches("./"));
    // A script or manifest that is run from the wrong folder; what only looks is answered by its own line.
    let runs = command.is(Trait::Interpreter) || command.is(Trait::RunsScript) || command.is(Trait::Tasks);
    (named && runs && !object.starts_with(['/', '~'])).then(|| Seen::line(stream_of(facts, line), line))
}

/// A place of caches or settings that may not be written.
fn refused_cache(facts: &Facts<'_>) -> Option<Seen> {
    const PLACES: &[&str] = &[
        ".cache",
        "/.npm",
        ".config",
        "_cacache",
        ".cargo/registry",
        "/.local",
        "/tmp/",
        "/var/cache",
        "node_modules/.cache",
        ".gradle",
        ".m2",
        "pip/cache",
        ".yarn",
    ];
    if facts.possible_words(&["ermission denied", "eacces"]).is_empty() {
        return None;
    }
    let refused = |line: &str| line.contains("ermission denied") || line.contains("EACCES");
    let in_place = |line: &str| PLACES.iter().any(|place| line.contains(place));
    let one = facts.lines().find(|(_, line)| refused(line) && in_place(line));
    // Some tell the path on a line of its own.
    let two = || {
        facts
            .lines()
            .find(|(_, line)| refused(line))
            .and_then(|_| facts.lines().find(|(_, line)| line.contains(" path ") && in_place(line)))
    };
    let (stream, line) = one.or_else(two)?;
    Some(Seen::line(stream, line))
}

/// The few errors that every program meets, in other languages: how the C library words them.
const TRANSLATED: &[&str] = &[
    "aucun fichier ou dossier",
    "permission non accord",
    "permission refus",
    "commande introuvable",
    "est un dossier",
    "erreur fatale",
    "fichier ou dossier introuvable",
    "datei oder verzeichnis nicht gefunden",
    "keine berechtigung",
    "kommando nicht gefunden",
    "befehl nicht gefunden",
    "ist ein verzeichnis",
    "zugriff verweigert",
    "schwerwiegend:",
    "fehler:",
    "no existe el fichero",
    "no existe el archivo",
    "permiso denegado",
    "orden no encontrada",
    "es un directorio",
    "error fatal:",
    "no such file or directory\u{3000}",
    "file o directory non esistente",
    "file o directory inesistente",
    "permesso negato",
    "comando non trovato",
    "arquivo ou diretório não encontrado",
    "arquivo ou directório inexistente",
    "permissão negada",
    "comando não encontrado",
    "ficheiro ou directoria inexistente",
    "нет такого файла",
    "отказано в доступе",
    "команда не найдена",
    "ошибка:",
    "это каталог",
    "не удалось",
    "そのようなファイル",
    "許可がありません",
    "コマンドが見つかりません",
    "没有那个文件",
    "权限不够",
    "未找到命令",
    "拒绝访问",
    "沒有此一檔案",
    "拒絕不符權限的操作",
    "致命错误",
    "错误：",
    "그런 파일이나",
    "허가 거부",
    "명령을 찾을 수 없",
    "bestand of map bestaat niet",
    "toegang geweigerd",
    "nie ma takiego pliku",
    "brak dostępu",
    "nie znaleziono polecenia",
    "filen eller katalogen finns inte",
    "åtkomst nekas",
    "adresář nebo soubor neexistuje",
    "böyle bir dosya ya da dizin yok",
    "erişim engellendi",
    "немає такого файла",
    "n'est un dépôt",
    "n'est pas",
    "impossible de ",
    "nie można ",
    "impossibile ",
    "不能",
    "无法",
    "無法",
    "できません",
    "keine regel",
    "kann nicht ",
    "nicht möglich",
    "ist kein ",
    "no se puede ",
    "no se encuentra",
    "não é possível",
    "não foi possível",
    "не удаётся",
    "невозможно",
    "kan niet ",
    "할 수 없",
    "ist nicht ",
    "existe pas",
    "no existe",
    "не является",
];

fn other_language(facts: &Facts<'_>) -> Option<Seen> {
    let translated = facts.possible_words(TRANSLATED);
    if translated.is_empty() {
        return None;
    }
    let in_ascii: Vec<&str> = translated.iter().copied().filter(|words| words.is_ascii()).collect();
    let found = facts.lines().find(|(_, line)| {
        if !line.is_ascii() {
            let lower = line.to_lowercase();
            return translated.iter().any(|words| lower.contains(words));
        }
        let lower = if in_ascii.is_empty() { String::new() } else { line.to_ascii_lowercase() };
        in_ascii.iter().any(|words| lower.contains(words))
    })?;
    (!facts.displays() || facts.call.exit_code.is_some_and(|code| code != 0)).then(|| Seen::line(found.0, found.1))
}

/// Commands that write a setting which outlives the task, and the words with which they only read or stay local.
fn changes_everything(facts: &Facts<'_>) -> Option<Seen> {
    let reads = facts.has_word(&[
        "--get",
        "--get-all",
        "--get-regexp",
        "--list",
        "-l",
        "get",
        "list",
        "--show-origin",
        "--unset",
        "--local",
        "unset",
        "--project",
        "--location=project",
        "-L",
    ]);
    let git = facts.runs(&["git config"])
        && facts.has_word(&["--global", "--system"])
        && facts.command().is_some_and(|c| c.args.iter().filter(|a| !a.starts_with('-')).count() >= 3);
    let other = facts.runs(&[
        "npm config set",
        "npm set",
        "pip config set",
        "aws configure set",
        "gcloud config set",
        "docker context use",
        "gh config set",
        "conda config",
        "yarn config set",
        "pnpm config set",
        "poetry config",
        "composer config --global",
        "kubectl config set",
        "kubectl config use-context",
        "az configure",
        "az config set",
        "flutter config",
        "brew analytics",
        "go env -w",
        "rustup default",
        "git lfs install",
        "helm repo add",
        "dotnet nuget add",
        "gem sources",
        "bundle config set",
        "pyenv global",
        "nvm alias",
    ]);
    let isolated = facts.command().is_some_and(|command| {
        command.assignments.iter().any(|(name, _)| {
            matches!(
                name.as_str(),
                "HOME"
                    | "GIT_CONFIG_GLOBAL"
                    | "XDG_CONFIG_HOME"
                    | "KUBECONFIG"
                    | "NPM_CONFIG_USERCONFIG"
                    | "AWS_CONFIG_FILE"
                    | "CLOUDSDK_CONFIG"
            )
        })
    });
    ((git || other) && !reads && !isolated)
        .then(|| Seen::words("the command writes a setting of the user, which every later session meets"))
}
