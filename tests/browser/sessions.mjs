// Made-up sessions in the client's transcript format, the same ones at every run: for the browser tests and for the
// screenshots in docs/. None of the projects in them exists.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Numbers that look random and are the same for the same seed. */
export function numbers(seed) {
  let state = seed;
  const next = () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
  return { next, pick: (list) => list[Math.floor(next() * list.length)], between: (low, high) => low + Math.floor(next() * (high - low)) };
}

/** Text that a hostile tool might print: it wants to be markup, a script, a terminal escape, or to be read backwards. */
export const HOSTILE = '<img src=x onerror="window.broken=1"></script><script>window.broken=1</script> \u001b[31mred\u001b[0m \u202Egpj.exe\u2066 \u0000\u0007 {{data}} =cmd|calc!A1 `x` | [y](javascript:alert(1))';

// A step: tool, input, result, whether it failed, seconds it took.
const shell = (command, result, status = 0, took = 3) => ({
  tool: 'Bash', input: { command }, result: status ? `Exit code ${status}\n${result}` : result, failed: status !== 0, took,
});
const edit = (file, failed = false) => ({
  tool: 'Edit', input: { file_path: file, old_string: 'high', new_string: 'low' },
  result: failed ? '<tool_use_error>String to replace not found in file.\nString: high</tool_use_error>' : `The file ${file} has been updated.`, failed, took: 1,
});
const read = (file) => ({ tool: 'Read', input: { file_path: file }, result: '     1\tuse crate::tide;\n', failed: false, took: 1 });

const cargoTest = (test) => `running 3 tests\ntest tables::tests::${test} ... FAILED\n\nfailures:\n\n---- tables::tests::${test} stdout ----\n\nthread 'tables::tests::${test}' panicked at src/tables.rs:44:9:\nassertion \`left == right\` failed\n\nfailures:\n    tables::tests::${test}\n\ntest result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n\nerror: test failed, to rerun pass \`--lib\``;
const cargoPass = 'running 3 tests\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out';

/** What happens in sessions: each gives the steps of one piece of work. */
export const STORIES = {
  calm: ({ pick }) => [read(pick(['src/tables.rs', 'src/lib.rs'])), shell('git status --short', ' M src/tables.rs'), edit('/home/robin/tidepool/src/lib.rs')],
  test: ({ pick }) => {
    const test = pick(['wraps_at_midnight', 'orders_by_time', 'reads_a_station']);
    return [shell('cargo test', cargoTest(test), 101, 14), read('src/tables.rs'), edit('/home/robin/tidepool/src/tables.rs'), shell('cargo test', cargoTest(test), 101, 12),
      edit('/home/robin/tidepool/src/tables.rs'), shell('cargo test', cargoPass, 0, 13)];
  },
  types: () => {
    const file = 'packages/viewer/src/charts/timeline/components/axis-label-formatter-with-time-zones.ts';
    const error = `${file}(31,7): error TS2322: Type 'string' is not assignable to type 'number'.`;
    const check = 'npx tsc --noEmit --project packages/viewer/configurations/tsconfig.strict-with-tests.json';
    return [shell(check, error, 2, 6), edit(`/home/robin/harbour-api/${file}`), shell(check, '', 0, 6)];
  },
  loop: ({ between }) => Array.from({ length: between(4, 8) }, () => shell('make chart', "make: *** No rule to make target 'stations/harwich.csv', needed by 'chart'.  Stop.", 2, 2)),
  busy: () => [shell('npm ci --prefix viewer', 'npm error code E429\nnpm error 429 Too Many Requests - GET the package index\nnpm error retry-after: 40', 1, 9), shell('npm ci --prefix viewer', 'added 214 packages in 8s', 0, 41)],
  hidden: () => [shell('pytest -q scripts | tail -4', 'FAILED scripts/test_chart.py::test_axis_starts_at_low_water - AssertionError\n1 failed, 11 passed in 0.42s'), shell("git commit -am 'draw the chart'", '[main 3f2a91c] draw the chart')],
  missing: () => [shell('python3 scripts/stations.py --positions', "Traceback (most recent call last):\n  File \"scripts/stations.py\", line 3, in <module>\n    import yaml\nModuleNotFoundError: No module named 'yaml'", 1),
    shell('pip install pyyaml', 'Successfully installed pyyaml-6.0.2', 0, 7), shell('python3 scripts/stations.py --positions', '41 stations')],
  edits: () => [edit('/home/robin/lighthouse/src/lamp.rs', true), read('/home/robin/lighthouse/src/lamp.rs'), edit('/home/robin/lighthouse/src/lamp.rs')],
  absent: () => [shell('ripgrep TODO src', '/bin/bash: line 1: ripgrep: command not found', 127), shell('rg TODO src', 'src/lamp.rs:7: // TODO dim at dawn')],
  merge: () => [shell('git merge feature/dawn', 'Auto-merging src/lamp.rs\nCONFLICT (content): Merge conflict in src/lamp.rs\nAutomatic merge failed; fix conflicts and then commit the result.', 1), edit('/home/robin/lighthouse/src/lamp.rs'), shell("git commit -am 'merge dawn'", '[main 77ab01d] merge dawn')],
  login: () => [shell('gh pr create --fill', 'To get started with GitHub CLI, please run:  gh auth login\nAlternatively, populate the GH_TOKEN environment variable with a GitHub API authentication token.', 4)],
  flag: () => [shell('gh pr diff 104 --stat', 'unknown flag: --stat', 1), shell('gh pr diff 104 --name-only', 'src/lamp.rs')],
  wrapped: () => [shell('rtk npm run test', "error: unrecognized subcommand 'npm'\n\nUsage: rtk [OPTIONS] <COMMAND>", 2), shell('npm run test', 'Tests  4 passed (4)')],
  hostile: () => [shell(`pytest -q '${HOSTILE}'`, `FAILED tests/test_a.py::test_one - ${HOSTILE}\n1 failed in 0.1s`, 1)],
};

const COMMON = ['calm', 'calm', 'calm', 'test', 'test', 'types', 'busy', 'hidden', 'missing', 'edits', 'absent', 'loop', 'merge', 'login'];
// Names as long as real ones are.
const PROJECTS = ['tidepool', 'harbour-api-end-to-end-checkpoint-boundaries', 'lighthouse'];

/** The lines of a session's file: the stories one after another, the turns of the model with what they cost. */
export function session({ number, project, start, stories, random, agent }) {
  const id = `5d0c1f8e-${String(number % 10000).padStart(4, '0')}-4b1e-9b57-${String(number).padStart(12, '0')}`;
  const lines = [];
  let clock = start;
  let context = 18000;
  const line = (fields) => lines.push(JSON.stringify({
    parentUuid: null, isSidechain: false, userType: 'external', cwd: `/home/robin/${project}`, sessionId: id, version: '2.1.329', gitBranch: 'main',
    uuid: `${id.slice(0, 24)}${String(lines.length).padStart(12, '0')}`, timestamp: new Date(clock).toISOString(), ...fields,
  }));
  line({ type: 'user', message: { role: 'user', content: 'Go on with the next piece of work.' } });
  // Of a session with a subagent, the subagent does every other piece of work.
  const agentOf = (story) => (agent && story % 2 ? { isSidechain: true, agentId: agent } : {});
  const steps = stories.flatMap((story, index) => STORIES[story](random).map((step) => ({ ...step, by: agentOf(index) })));
  steps.forEach((step, index) => {
    const call = `toolu_${number}x${index}`;
    const usage = { input_tokens: 6, cache_creation_input_tokens: random.between(200, 1800), cache_read_input_tokens: context, output_tokens: random.between(60, 700) };
    context += usage.cache_creation_input_tokens;
    clock += 1000 * random.between(4, 25);
    line({ type: 'assistant', ...step.by, message: { id: `msg_${number}x${index}`, role: 'assistant', model: 'claude-sonnet-4-5', content: [{ type: 'tool_use', id: call, name: step.tool, input: step.input }], usage } });
    clock += 1000 * step.took;
    line({ type: 'user', ...step.by, message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: call, content: step.result, is_error: step.failed }] } });
  });
  return { id, text: `${lines.join('\n')}\n` };
}

/** Two sessions of one project below a folder that exists, which meet and mend the same failure. */
export function taught(folder, home) {
  fs.mkdirSync(folder, { recursive: true });
  for (const number of [1, 2]) {
    const { id, text } = session({ number, project: 'tidepool', start: Date.parse(`2026-03-0${number}T08:00:00Z`), stories: ['flag'], random: numbers(number) });
    fs.writeFileSync(path.join(folder, `${id}.jsonl`), text.replaceAll('/home/robin', home));
  }
}

/** Two and a half weeks of work in three projects. */
export function weeks(folder) {
  const random = numbers(11);
  const first = Date.parse('2026-03-02T08:10:00Z');
  for (let number = 1; number <= 26; number += 1) {
    const day = Math.floor((number - 1) * 0.7);
    const start = first + day * 86400000 + random.between(0, 8 * 3600000);
    const stories = Array.from({ length: random.between(3, 9) }, () => random.pick(COMMON));
    const project = PROJECTS[number % 3];
    const agent = number % 4 === 1 ? 'a7c31f20' : null;
    write(folder, project, session({ number, project, start, stories, random, agent }));
  }
}

/** Twelve weeks with a session each. */
export function seasons(folder) {
  for (let number = 1; number <= 12; number += 1) {
    const stories = number < 3 ? Array(9).fill('flag') : ['calm', 'flag', 'calm'];
    write(folder, 'tidepool', session({ number, project: 'tidepool', start: Date.parse('2026-01-05T08:10:00Z') + number * 7 * 86400000, stories, random: numbers(number) }));
  }
}

/** The sessions of examples/month. */
export function month(folder, until = []) {
  const crate = fileURLToPath(new URL('../../', import.meta.url));
  execFileSync('cargo', ['run', '--locked', '--quiet', '--example', 'month', '--', path.resolve(folder)].concat(until), { cwd: crate, stdio: 'inherit' });
}

/** One session that holds hostile text and a few ordinary failures. */
export function hostile(folder) {
  const random = numbers(5);
  write(folder, 'tidepool', session({ number: 1, project: 'tidepool', start: Date.parse('2026-03-02T08:10:00Z'), stories: ['hostile', 'test', 'hidden'], random }));
}

/** Sessions that put a program before a call which it does not know. */
export function wrapped(folder) {
  for (const number of [1, 2]) write(folder, 'tidepool', session({ number, project: 'tidepool', start: Date.parse(`2026-03-0${number}T08:10:00Z`), stories: ['wrapped'], random: numbers(number) }));
}

/** Sessions without a failure. */
export function calm(folder) {
  write(folder, 'tidepool', session({ number: 1, project: 'tidepool', start: Date.parse('2026-03-02T08:10:00Z'), stories: ['calm', 'calm'], random: numbers(3) }));
}

/** Sessions of which two bear dates that cannot be. */
export function ages(folder) {
  ['0001-01-01T08:10:00Z', '2026-03-02T08:10:00Z', '9999-11-30T08:10:00Z'].forEach((start, index) => {
    write(folder, 'tidepool', session({ number: index + 1, project: 'tidepool', start: Date.parse(start), stories: ['types', 'login'], random: numbers(7) }));
  });
}

/** At least `failures` failed calls, in sessions of some hundreds. */
export function flood(folder, failures) {
  const random = numbers(23);
  const first = Date.parse('2026-02-02T08:10:00Z');
  const sessions = Math.ceil(failures / 250);
  for (let number = 1; number <= sessions; number += 1) {
    const stories = Array.from({ length: 100 }, () => random.pick(['test', 'loop', 'types', 'absent', 'missing']));
    const project = PROJECTS[number % 3];
    write(folder, project, session({ number, project, start: first + number * 3 * 3600000, stories, random }));
  }
}

function write(folder, project, { id, text }) {
  const place = path.join(folder, `-home-robin-${project}`);
  fs.mkdirSync(place, { recursive: true });
  fs.writeFileSync(path.join(place, `${id}.jsonl`), text);
}
