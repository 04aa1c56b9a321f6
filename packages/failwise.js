#!/usr/bin/env node
// Starts the executable of this machine. `failwise setup` makes this file unnecessary: it puts a link in its place.
const { spawnSync } = require("child_process");
const name = `failwise-${process.platform}-${process.arch}`;
let executable;
try {
  executable = require.resolve(`${name}/bin/failwise${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(`failwise: the package ${name} is not installed: either there is none for this system, or npm left out optional packages`);
  process.exit(69);
}
const ended = spawnSync(executable, process.argv.slice(2), { stdio: "inherit", env: { ...process.env, FAILWISE_SHIM: __filename } });
if (ended.error) console.error(`failwise: ${ended.error.message}`);
if (ended.signal) process.kill(process.pid, ended.signal);
process.exitCode = ended.status ?? 69;
