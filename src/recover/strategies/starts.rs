//! A program, a compiler or a test that is to be started as the files beside it tell.

use super::super::case::{Case, Offered, join, name_of, parent};
use super::super::look::FileKind;
use super::builds::{base_with, is_bare, is_base, missing_table};
use super::lines::{Mended, Own, behind, offered};
use super::manifests::manifest_of;
use crate::shell::{PlacedWord, WordRole, line_of, quoted_word};
use crate::text::quoted;

/// Ways to start a program or a compiler as the files beside it tell.
const WAYS: &[fn(&Case<'_>) -> Option<Mended>] = &[
    module_of_package,
    tests_where_they_are,
    test_by_its_name,
    library_of_c,
    standard_of_c,
    source_beside,
    edition_of_rust,
    features_of_cargo,
    package_of_go,
    tags_of_go,
    sources_of_java,
    script_of_node,
    folder_of_a_language,
    base_that_has_the_table,
    first_line_of_another_machine,
];

pub(in super::super) fn start_it_as_what_it_is(case: &Case<'_>) -> Offered {
    let line = case.failed.line.as_deref().ok_or("its command line is not whole")?;
    offered(case, line, WAYS).ok_or("nothing tells that it is to be started otherwise")
}

fn is_dotted(name: &str) -> bool {
    let is_part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    name.split('.').all(is_part)
}

/// A file of a package that is run as a script.
fn module_of_package(case: &Case<'_>) -> Option<Mended> {
    if !case.says(&["attempted relative import with no known parent package", "'__main__' is not a package"]) {
        return None;
    }
    let own = Own::of(case, &["python"])?;
    let script = own.args.iter().find(|word| !word.text.starts_with('-')).filter(|word| word.is_literal)?;
    let path = script.text.strip_suffix(".py")?.trim_start_matches("./");
    let why = "the file is a part of a package, and was started as a script".to_owned();
    let does = "Start it as a module of its package";
    if path.contains('/') {
        return None;
    }
    // From inside the package nothing else may be a path: it would be read from the folder above.
    let folder = case.folder();
    let inside = if folder.is_empty() { case.failed.cwd.as_deref()? } else { &*folder };
    let name = format!("{}.{path}", name_of(inside));
    if !is_dotted(&name) || own.args.iter().any(|word| word.range != script.range && word.text.contains(['/', '.'])) {
        return None;
    }
    let start = own.program.range.start;
    let edits = vec![(start..start, "cd .. && ".to_owned()), (script.range.clone(), format!("-m {name}"))];
    Some(Mended { line: case.edited_line(edits)?, why, does })
}

/// Tests of `unittest` that stand in a folder of another name.
fn tests_where_they_are(case: &Case<'_>) -> Option<Mended> {
    if !case.looks.is_looking()
        || !case.says(&["ModuleNotFoundError: No module named", "Start directory is not importable"])
    {
        return None;
    }
    let own = Own::of(case, &["python"])?;
    let at = own.args.iter().position(|word| word.text == "unittest")?;
    let why = "the tests stand in another folder";
    let does = "Run the tests where they stand";
    let folder_of = |found: Vec<String>| {
        let mut folders: Vec<String> = found.iter().map(|path| parent(path)).collect();
        folders.sort();
        folders.dedup();
        <[String; 1]>::try_from(folders).ok().map(|[folder]| folder)
    };
    if let Some(wrong) = case.between("Start directory is not importable: '", "'") {
        let word = own.args.iter().skip(at).find(|word| word.is_literal && name_of(&word.text) == name_of(wrong))?;
        let is_test = |name: &str| name.starts_with("test") && name.ends_with(".py");
        let folder = folder_of(case.looks.find(&is_test))?;
        let line = case.edited_line(vec![(word.range.clone(), quoted_word(&folder))])?;
        return Some(Mended { line, why: why.to_owned(), does });
    }
    let missing = case.between("ModuleNotFoundError: No module named '", "'")?;
    let word = own.args.iter().skip(at + 1).find(|word| {
        let dotted = word.text.trim_end_matches(".py").replace('/', ".");
        word.is_literal && (dotted.starts_with(&format!("{missing}.")) || dotted == missing)
    })?;
    let dotted = word.text.trim_end_matches(".py").replace('/', ".");
    let parts: Vec<&str> = dotted.split('.').collect();
    // The last part that is the name of a file: behind it stand class and method.
    let found = (0..parts.len()).rev().find_map(|at| {
        let file = format!("{}.py", parts.get(at)?);
        folder_of(case.looks.find(&|name| name == file)).map(|folder| (at, file, folder))
    });
    let (at, file, folder) = found?;
    let mut words = vec!["discover", "-s", &folder, "-p", &file];
    let method = parts.get(at + 1..)?.last();
    words.extend(method.iter().flat_map(|name| ["-k", **name]));
    let line = case.edited_line(vec![(word.range.clone(), line_of(words))])?;
    Some(Mended { line, why: format!("{} stands in {}", quoted(&file, 80), quoted(&folder, 80)), does })
}

/// A class or method of tests that is spelt otherwise.
fn test_by_its_name(case: &Case<'_>) -> Option<Mended> {
    let (wrong, word) = if let Some(wrong) = case.between("has no attribute '", "'") {
        let word = case.words.iter().find(|word| {
            word.role == WordRole::Argument && word.is_literal && word.text.split('.').any(|part| part == wrong)
        })?;
        (wrong.to_owned(), word)
    } else {
        let is_id = |word: &&PlacedWord| word.is_literal && word.text.contains(".py::");
        let word = case.words.iter().find(is_id).filter(|_| case.says(&["not found:", "no match in any of"]))?;
        (word.text.rsplit("::").next()?.split('[').next()?.to_owned(), word)
    };
    let path = if let Some((path, _)) = word.text.split_once("::") {
        path.to_owned()
    } else {
        let parts: Vec<&str> = word.text.split('.').collect();
        let at = parts.iter().position(|part| *part == wrong)?;
        let files = (1..=at).rev().filter_map(|end| Some(format!("{}.py", parts.get(..end)?.join("/"))));
        files.into_iter().find(|path| case.kind(path).is_some())?
    };
    let text = case.looks.text(&case.at(&path))?;
    let names: Vec<&str> = text
        .lines()
        .filter_map(|line| {
            let line = line.trim_start().trim_start_matches("async ");
            let rest = line.strip_prefix("def ").or_else(|| line.strip_prefix("class "))?;
            rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next()
        })
        .collect();
    let right = crate::names::only_close(&wrong, names.iter().copied())?;
    let line = case.edited_line(vec![(word.range.clone(), quoted_word(&word.text.replace(&wrong, right)))])?;
    let why = format!("{} has no {}, and {} is there", quoted(&path, 80), quoted(&wrong, 60), quoted(right, 60));
    Some(Mended { line, why, does: "Use the name that is there" })
}

/// Compilers of C and C++.
const COMPILERS: &[&str] = &["gcc", "g++", "cc", "c++", "clang", "clang++"];

/// Functions, and the words that link the library that has them.
const LIBRARIES: &[(&[&str], &str)] = &[
    (
        &[
            "sqrt", "pow", "sin", "cos", "tan", "exp", "log", "log10", "log2", "floor", "ceil", "fabs", "fmod",
            "round", "atan", "atan2", "asin", "acos", "hypot", "cbrt", "sqrtf", "powf", "sinf", "cosf", "tanh", "sinh",
            "cosh", "lround", "trunc", "fmax", "fmin", "ldexp", "frexp", "erf", "tgamma", "lgamma",
        ],
        "-lm",
    ),
    (&["pthread_create", "pthread_join", "pthread_mutex_lock", "sem_init", "sem_wait", "sem_post"], "-pthread"),
    (&["dlopen", "dlsym", "dlclose", "dlerror"], "-ldl"),
    (&["clock_gettime", "shm_open", "shm_unlink", "timer_create", "mq_open"], "-lrt"),
    (&["deflate", "inflate", "compress", "uncompress", "crc32", "gzopen", "deflateInit_", "inflateInit_"], "-lz"),
    (&["sqlite3_open", "sqlite3_exec", "sqlite3_close", "sqlite3_prepare_v2"], "-lsqlite3"),
    (&["curl_easy_init", "curl_easy_setopt", "curl_easy_perform"], "-lcurl"),
    (&["initscr", "endwin", "printw", "getch", "wrefresh"], "-lncurses"),
    (&["readline", "add_history"], "-lreadline"),
    (&["crypt"], "-lcrypt"),
    (&["uuid_generate"], "-luuid"),
];

/// The names that the linker did not find.
fn undefined(case: &Case<'_>) -> Vec<String> {
    let mut names: Vec<String> = case
        .text()
        .lines()
        .filter_map(|line| {
            let rest = line.split_once("undefined reference to ").or_else(|| line.split_once("undefined symbol: "))?.1;
            Some(rest.trim_matches(['`', '\'', '‘', '’', '"']).to_owned())
        })
        .collect();
    names.sort();
    names.dedup();
    names
}

/// A library that is not linked, or a linker that is not that of the language.
fn library_of_c(case: &Case<'_>) -> Option<Mended> {
    let names = undefined(case);
    let of_cpp = names.iter().any(|name| {
        ["std::", "operator new", "operator delete", "__cxa_", "__gxx_"].iter().any(|part| name.contains(part))
    });
    let linked =
        |name: &String| LIBRARIES.iter().find(|(own, _)| own.contains(&name.as_str())).map(|(_, words)| *words);
    let mut words: Vec<&str> = names.iter().filter_map(linked).collect();
    words.sort_unstable();
    words.dedup();
    if let Some(own) = Own::of(case, COMPILERS) {
        let other = match own.name {
            "gcc" => Some("g++"),
            "cc" => Some("c++"),
            "clang" => Some("clang++"),
            _ => None,
        };
        if let (true, Some(other)) = (of_cpp, other) {
            let why = "the source is C++, and the linker of C was called".to_owned();
            let line = case.edited_line(vec![(own.program.range.clone(), other.to_owned())])?;
            return Some(Mended { line, why, does: "Compile it as C++" });
        }
        let why = "the library with these functions is not linked".to_owned();
        let line = (!words.is_empty()).then(|| case.edited_line(vec![behind(own.end(), &words.join(" "))]))??;
        return Some(Mended { line, why, does: "Link the library" });
    }
    let own = Own::of(case, &["make", "gmake"])?;
    let makefile = manifest_of(case, "make")?;
    let has_rule = makefile.contains("LDLIBS") || !makefile.contains(" -o ");
    let why = "the library with these functions is not linked".to_owned();
    let given = own.args.iter().any(|word| word.text.starts_with("LDLIBS="));
    let line = (!words.is_empty() && has_rule && !given)
        .then(|| case.edited_line(vec![behind(own.end(), &format!("LDLIBS={}", quoted_word(&words.join(" "))))]))??;
    Some(Mended { line, why, does: "Link the library" })
}

/// A standard of the language that the compiler names.
fn standard_of_c(case: &Case<'_>) -> Option<Mended> {
    let own = Own::of(case, COMPILERS)?;
    let text = case.text();
    let named = text
        .split("‘-std=")
        .nth(1)
        .or_else(|| text.split("'-std=").nth(1))
        .and_then(|rest| rest.split(['’', '\'']).next())
        .map(str::to_owned);
    let only = || {
        let rest = text.split("is only available from C++").nth(1)?;
        let number: String = rest.chars().take_while(char::is_ascii_digit).collect();
        Some(format!("c++{number}"))
    };
    let lower = || {
        let extension = case.between("is a C++", " extension").filter(|number| number.len() == 2)?;
        Some(format!("c++{extension}"))
    };
    let standard = named.or_else(only).or_else(lower)?;
    let is_plain = standard.len() <= 12 && standard.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'+');
    let given = own.args.iter().find(|word| word.text.starts_with("-std="));
    // GNU's own additions stay where they were asked for, and where nothing was.
    let standard = if given.is_none_or(|word| word.text.starts_with("-std=gnu")) && !standard.starts_with("gnu") {
        standard.replacen('c', "gnu", 1)
    } else {
        standard
    };
    let put = format!("-std={standard}");
    let edit = match given {
        Some(word) if word.text == put => return None,
        Some(word) => (word.range.clone(), put),
        None => behind(own.program.range.end, &put),
    };
    let line = is_plain.then(|| case.edited_line(vec![edit]))??;
    let why = "the source uses what a newer standard of the language has".to_owned();
    Some(Mended { line, why, does: "Compile by the standard that the compiler names" })
}

/// A function that another source of the folder has.
fn source_beside(case: &Case<'_>) -> Option<Mended> {
    let own = Own::of(case, COMPILERS)?;
    let names = undefined(case);
    let is_source = |name: &str| {
        name.rsplit_once('.').is_some_and(|(_, ending)| matches!(ending, "c" | "cc" | "cpp" | "cxx" | "m" | "s" | "S"))
    };
    let given: Vec<&str> =
        own.args.iter().filter(|word| word.is_literal && is_source(&word.text)).map(|word| &*word.text).collect();
    let folder = parent(given.first()?);
    let ending = given.first()?.rsplit_once('.')?.1;
    let defines = |text: &str, name: &str| {
        let call = format!("{}(", name.split('(').next().unwrap_or(name));
        text.lines().any(|line| {
            let is_defined =
                line.contains(&call) && !line.trim_end().ends_with(';') && !line.starts_with([' ', '\t', '#']);
            is_defined && !line.contains('=')
        })
    };
    let beside: Vec<String> = case
        .looks
        .names(&case.at(&folder))
        .into_iter()
        .filter(|name| !name.is_dir && name.name.rsplit_once('.').is_some_and(|(_, own)| own == ending))
        .map(|name| join(&folder, &name.name))
        .filter(|path| !given.contains(&path.as_str()))
        .filter(|path| {
            let text = case.looks.text(&case.at(path)).unwrap_or_default();
            // A second `main` would stand in the way.
            names.iter().any(|name| defines(&text, name)) && !defines(&text, "main")
        })
        .collect();
    let (false, true) = (beside.is_empty(), beside.len() <= 4) else { return None };
    let last = own.args.iter().filter(|word| given.contains(&&*word.text)).map(|word| word.range.end).max()?;
    let line =
        case.edited_line(vec![behind(last, &beside.iter().map(|p| quoted_word(p)).collect::<Vec<_>>().join(" "))])?;
    let why = "another source beside it has what is not defined".to_owned();
    Some(Mended { line, why, does: "Compile it together with the source that has it" })
}

/// Source of a newer edition than the compiler takes by itself.
fn edition_of_rust(case: &Case<'_>) -> Option<Mended> {
    if !case.says(&["in Rust 2015", "--edition 20", "switch to Rust 2018", "edition 2015", "Rust 2018 or later"]) {
        return None;
    }
    let own = Own::of(case, &["rustc", "rustfmt", "rustdoc", "clippy-driver"])?;
    if own.args.iter().any(|word| word.text.starts_with("--edition")) {
        return None;
    }
    let source = own.args.iter().find(|word| word.text.ends_with(".rs"))?;
    let mut folder = parent(&source.text);
    let mut declared = None;
    for _ in 0..8 {
        if let Some(text) = case.looks.text(&case.at(&join(&folder, "Cargo.toml"))) {
            declared = text.lines().find_map(|line| {
                let (key, value) = line.split_once('=')?;
                (key.trim() == "edition").then(|| value.trim().trim_matches('"').to_owned())
            });
            break;
        }
        if folder == "." || folder == "/" {
            break;
        }
        folder = parent(&folder);
    }
    let edition = declared.filter(|year| year.len() == 4 && year.bytes().all(|b| b.is_ascii_digit()));
    let edition = edition.unwrap_or_else(|| "2021".to_owned());
    let line = case.edited_line(vec![behind(own.program.range.end, &format!("--edition {edition}"))])?;
    let why = "without an edition it takes the source for one of 2015".to_owned();
    Some(Mended { line, why, does: "Name the edition of the source" })
}

/// Features that a target needs, as cargo names them.
fn features_of_cargo(case: &Case<'_>) -> Option<Mended> {
    let named = case.between("by passing, e.g., `--features=\"", "\"`")?;
    let is_plain = named.chars().all(|c| c.is_ascii_alphanumeric() || "-_/ ,".contains(c));
    let own = Own::of(case, &["cargo"])?;
    let subcommand = own.args.iter().find(|word| !word.text.starts_with(['-', '+']))?;
    let put = format!("--features {}", quoted_word(named));
    let line = is_plain.then(|| case.edited_line(vec![behind(subcommand.range.end, &put)]))??;
    let why = "the target needs features that were not asked for".to_owned();
    Some(Mended { line, why, does: "Ask for the features that it needs" })
}

/// A file of a Go package that is run without the others.
fn package_of_go(case: &Case<'_>) -> Option<Mended> {
    let own = Own::of(case, &["go"])?;
    let name = case.text().lines().find_map(|line| line.split_once(": undefined: ").map(|(_, name)| name.trim()))?;
    let files: Vec<&&PlacedWord> =
        own.args.iter().filter(|word| word.is_literal && word.text.ends_with(".go")).collect();
    let [file] = files.as_slice() else { return None };
    let folder = parent(&file.text);
    let forms = [format!("func {name}("), format!("type {name} "), format!("var {name} "), format!("const {name} ")];
    let has_it = case.looks.names(&case.at(&folder)).into_iter().any(|other| {
        other.name.ends_with(".go")
            && !other.name.ends_with("_test.go")
            && other.name != name_of(&file.text)
            && case
                .looks
                .text(&case.at(&join(&folder, &other.name)))
                .is_some_and(|text| forms.iter().any(|form| text.contains(form)))
    });
    let put = if folder == "." { ".".to_owned() } else { format!("./{folder}") };
    // Without a module a package cannot be named.
    let mut above = vec![".".to_owned(), folder.clone()];
    above.dedup();
    let in_module = above.iter().any(|folder| case.kind(&join(folder, "go.mod")).is_some());
    let edit = if in_module {
        (file.range.clone(), quoted_word(&put))
    } else {
        let all = case.looks.names(&case.at(&folder)).into_iter().map(|own| own.name);
        let all: Vec<String> = all
            .filter(|name| name.ends_with(".go") && !name.ends_with("_test.go"))
            .map(|name| quoted_word(&join(&folder, &name)))
            .collect();
        (file.range.clone(), all.join(" "))
    };
    let line = has_it.then(|| case.edited_line(vec![edit]))??;
    let why = format!("{} stands in another file of the package", quoted(name, 60));
    Some(Mended { line, why, does: "Take the whole package" })
}

/// The tag that all files of a Go package ask for.
fn tags_of_go(case: &Case<'_>) -> Option<Mended> {
    // A system or machine is no tag that one asks for.
    const SYSTEMS: &[&str] =
        &["linux", "darwin", "windows", "unix", "freebsd", "amd64", "arm64", "cgo", "ignore", "js", "wasm"];
    let folder = case.between("build constraints exclude all Go files in ", "")?.trim();
    let cwd = case.failed.cwd.as_deref().map(|cwd| format!("{}/", cwd.trim_end_matches('/')));
    let folder = cwd.and_then(|cwd| folder.strip_prefix(&cwd)).unwrap_or(folder);
    let own = Own::of(case, &["go"])?;
    let subcommand = own.args.iter().find(|word| !word.text.starts_with('-'))?;
    if own.args.iter().any(|word| word.text.trim_start_matches('-').starts_with("tags")) {
        return None;
    }
    let tags = case.looks.names(folder).into_iter().filter(|name| name.name.ends_with(".go")).map(|name| {
        let text = case.looks.text(&join(folder, &name.name))?;
        text.lines().find_map(|line| line.strip_prefix("//go:build ")).map(|tag| tag.trim().to_owned())
    });
    let mut tags: Vec<String> = tags.collect::<Option<_>>()?;
    tags.sort();
    tags.dedup();
    let [tag] = tags.as_slice() else { return None };
    let is_tag = tag.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') && !SYSTEMS.contains(&tag.as_str());
    let line = is_tag.then(|| case.edited_line(vec![behind(subcommand.range.end, &format!("-tags={tag}"))]))??;
    let why = format!("all files of the package ask for the tag {}", quoted(tag, 60));
    Some(Mended { line, why, does: "Build with the tag that the files ask for" })
}

/// A class of Java whose source stands where the compiler does not look.
fn sources_of_java(case: &Case<'_>) -> Option<Mended> {
    let own = Own::of(case, &["javac", "java"])?;
    let name = case.between("symbol:   class ", "").or_else(|| case.between("symbol:   variable ", ""))?;
    if own.args.iter().any(|word| matches!(&*word.text, "-sourcepath" | "--source-path" | "-cp" | "-classpath")) {
        return None;
    }
    let file = format!("{name}.java");
    let found = case.looks.find(&|other| other == file);
    let [path] = found.as_slice() else { return None };
    let text = case.looks.text(path)?;
    let package = text.lines().find_map(|line| line.trim().strip_prefix("package ")).unwrap_or_default();
    let package = package.split(';').next()?.trim().replace('.', "/");
    let folder = parent(path);
    let root = match folder.strip_suffix(&package) {
        _ if package.is_empty() => folder.clone(),
        Some("") => ".".to_owned(),
        Some(root) => root.trim_end_matches('/').to_owned(),
        None => return None,
    };
    let put = line_of(["-sourcepath", &root]);
    let line = case.folder().is_empty().then(|| case.edited_line(vec![behind(own.program.range.end, &put)]))??;
    let why = format!("{} stands below {}, where the compiler does not look", quoted(&file, 80), quoted(&root, 80));
    Some(Mended { line, why, does: "Let the compiler look for sources there" })
}

/// A script of `require` in a package of ES modules.
fn script_of_node(case: &Case<'_>) -> Option<Mended> {
    if !case.says(&["require is not defined in ES module scope", "module is not defined in ES module scope"]) {
        return None;
    }
    let own = Own::of(case, &["node"])?;
    let script = own.args.iter().find(|word| !word.text.starts_with('-')).filter(|word| word.is_literal)?;
    // Read from its input, what it loads is looked for from the folder of the call.
    if script.text.trim_start_matches("./").contains('/') || case.failed.line.as_deref()?.contains(['<', '|']) {
        return None;
    }
    let edits = vec![
        (script.range.clone(), "--input-type=commonjs -".to_owned()),
        behind(own.end(), &format!("< {}", quoted_word(&script.text))),
    ];
    let why = "the package is one of ES modules, and the script is not".to_owned();
    Some(Mended { line: case.edited_line(edits)?, why, does: "Run it as CommonJS" })
}

/// What makes a folder one that a language runs, and how.
const RUN_FOLDERS: &[(&str, &str, &[&str])] =
    &[("__main__.py", "python3", &["python3"]), ("index.js", "node", &["node"]), ("main.go", "go", &["go", "run"])];

/// A folder that is started as if it were a program, and that its language runs.
fn folder_of_a_language(case: &Case<'_>) -> Option<Mended> {
    if !case.says(&["Is a directory", "Permission denied", "EACCES"]) {
        return None;
    }
    let is_folder = |word: &&PlacedWord| {
        word.role == WordRole::Program && word.is_literal && case.kind(&word.text) == Some(FileKind::Dir)
    };
    let word = case.words.iter().find(is_folder)?;
    let folder = word.text.trim_end_matches('/');
    let has = |file: &str| case.kind(&join(folder, file)).is_some();
    let is_there = |program: &str| case.looks.programs().iter().any(|own| own == program);
    let (_, _, words) = RUN_FOLDERS.iter().find(|(file, program, _)| has(file) && is_there(program))?;
    // Go takes a path of the project's own only with a dot before it.
    let path = if folder.starts_with(['.', '/', '~']) { folder.to_owned() } else { format!("./{folder}") };
    let line = case.edited_line(vec![(word.range.clone(), line_of(words.iter().copied().chain([&*path])))])?;
    let why = format!("{} is a folder that `{}` runs, and no program", quoted(folder, 80), words.join(" "));
    Some(Mended { line, why, does: "Let its language run the folder" })
}

/// A base of SQLite that has no table, where the only other one of the project has the table that is asked for.
fn base_that_has_the_table(case: &Case<'_>) -> Option<Mended> {
    let table = missing_table(case)?;
    let mut bases =
        case.words.iter().filter(|word| word.role == WordRole::Argument && word.is_literal && is_base(&word.text));
    let (word, None) = (bases.next()?, bases.next()) else { return None };
    let named = case.at(&word.text);
    let other = if is_bare(case, &named) { base_with(case, &named, &table)? } else { return None };
    let here = case.folder();
    let shown = if here.is_empty() { &other } else { other.strip_prefix(&format!("{here}/"))? };
    let line = case.edited_line(vec![(word.range.clone(), quoted_word(shown))])?;
    let why = format!("{} has no table, and {} has `{table}`", quoted(&word.text, 80), quoted(shown, 80));
    Some(Mended { line, why, does: "Take the base that has the table" })
}

/// A script whose first line names an interpreter that this machine does not have there.
fn first_line_of_another_machine(case: &Case<'_>) -> Option<Mended> {
    let mut words = case.words.iter().filter(|word| word.role == WordRole::Program && word.is_literal);
    let (script, first) = words.find_map(|word| match case.kind(&word.text) {
        Some(FileKind::Script(first)) if word.text.contains('/') => Some((word, first)),
        _ => None,
    })?;
    // What a program inside of it does not find is none of its first line.
    let is_told = |line: &str| {
        let is_gone = line.ends_with("not found") || line.ends_with("No such file or directory");
        is_gone && (line.contains(&*script.text) || line.contains("env: "))
    };
    if !case.says(&["required file not found", "bad interpreter"]) && !case.text().lines().any(is_told) {
        return None;
    }
    let mut first = first.iter().map(String::as_str).peekable();
    let asked = first.next().filter(|asked| !asked.ends_with('\r'))?;
    let is_there = |program: &str| case.looks.programs().iter().any(|own| own == program);
    let wanted = if name_of(asked) == "env" {
        first.next_if(|word| *word == "-S");
        first.next().filter(|name| !name.contains(['=', '/']) && !name.starts_with('-') && !is_there(name))?
    } else if case.looks.kind(asked).is_none() {
        asked
    } else {
        return None;
    };
    let name = name_of(wanted);
    // What was moved with its interpreter has it beside itself.
    let beside = join(&parent(&script.text), name);
    let program = if matches!(case.kind(&beside), Some(FileKind::Binary)) {
        beside
    } else {
        let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
        // Python 2 and 3 are two languages.
        let plain = if name.starts_with("python3") { "python3" } else { plain };
        let is_other = name.starts_with("python2") || plain.is_empty();
        [plain, name].into_iter().find(|own| is_there(own) && !(is_other && *own != name))?.to_owned()
    };
    let words = std::iter::once(&*program).chain(first).chain([&*script.text]);
    let line = case.edited_line(vec![(script.range.clone(), line_of(words))])?;
    let why =
        format!("the first line of {} names {}, which is not there", quoted(&script.text, 80), quoted(wanted, 80));
    Some(Mended { line, why, does: "Run it by the interpreter that is there" })
}
