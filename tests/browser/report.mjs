// Makes a report of made-up sessions with the executable, and opens it in a browser that has no network.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

export const options = parseArgs({
  options: { packages: { type: 'string' }, browser: { type: 'string' }, failwise: { type: 'string' }, only: { type: 'string' } },
}).values;

const require = createRequire(path.join(options.packages, 'package.json'));
const { chromium } = require('playwright-core');
export const axeSource = fs.readFileSync(require.resolve('axe-core'), 'utf8');

const work = fs.mkdtempSync(path.join(os.tmpdir(), 'failwise-browser-'));
process.on('exit', () => fs.rmSync(work, { recursive: true, force: true }));

/** Runs `failwise` in the folder of the sessions and gives what it prints. */
export const failwise = (folder, ...args) => run(folder, work, args);

function run(folder, home, args) {
  return execFileSync(path.resolve(options.failwise), args, {
    cwd: folder, env: { HOME: home }, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Writes sessions with one of the functions of sessions.mjs: the folder, the page's address and the report's JSON. */
export function made(name, sessions, ...more) {
  const folder = path.join(work, name);
  fs.mkdirSync(folder, { recursive: true });
  sessions(path.join(folder, 'sessions'));
  failwise(folder, 'report', 'sessions', '-o', 'report.html', ...more);
  return {
    folder,
    address: pathToFileURL(path.join(folder, 'report.html')).href,
    json: () => JSON.parse(failwise(folder, 'report', 'sessions', '--format', 'json')),
  };
}

/** The same of a person's own sessions, after what they teach was learned. */
export function learned(name, sessions) {
  const folder = path.join(work, name);
  const project = path.join(folder, 'tidepool');
  fs.mkdirSync(path.join(project, '.git'), { recursive: true });
  sessions(path.join(folder, '.claude', 'projects', 'tidepool'), folder);
  const own = (...args) => run(project, folder, args);
  own('kb', 'learn', '--transcripts');
  own('report', '--since', '2026-01-01', '-o', '../report.html');
  return { address: pathToFileURL(path.join(folder, 'report.html')).href, own };
}

/** What `failwise` alone prints of a month of sessions that ends now, with its colours. */
export function printed(sessions) {
  const folder = path.join(work, 'printed');
  sessions(folder, 'now');
  return execFileSync(path.resolve(options.failwise), ['--color', 'always'], {
    cwd: work, env: { HOME: folder, CLAUDE_CONFIG_DIR: folder }, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'],
  });
}

export const launch = () => chromium.launch({ executablePath: options.browser, args: ['--no-sandbox'] });

export const DESK = { viewport: { width: 1440, height: 900 }, colorScheme: 'light', timezoneId: 'Pacific/Auckland' };
export const PHONE = { viewport: { width: 390, height: 780 }, colorScheme: 'light', hasTouch: true, timezoneId: 'America/St_Johns' };

/** Opens a page without a network. `complaints` collects console errors, exceptions and requests to anywhere else. */
export async function open(browser, address, settings = DESK) {
  const context = await browser.newContext({ ...settings, offline: true, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const complaints = [];
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) complaints.push(message.text()); });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => { complaints.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', (request) => { if (request.url() !== address) complaints.push(`request: ${request.url()}`); });
  await page.goto(address, { timeout: 120000 });
  await page.waitForSelector('#scope:not(:empty), #nothing:not([hidden])');
  return { page, complaints, close: () => context.close() };
}
