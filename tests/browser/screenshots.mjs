// Writes the screenshots in docs/ from the made-up month of examples/month.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { DESK, PHONE, launch, made, open, printed } from './report.mjs';
import { month } from './sessions.mjs';

const docs = fileURLToPath(new URL('../../docs/', import.meta.url));
const browser = await launch();
// What the pictures show; `the_pictures_are_of_this_page` of tests/commands holds it against the sources.
const shows = ['page/page.html', 'page/page.css', 'page/page.js', 'brief.rs'].map((name) => fs.readFileSync(new URL(`../../cli/src/report/${name}`, import.meta.url)));
fs.writeFileSync(new URL('screenshots.sha256', import.meta.url), `${createHash('sha256').update(Buffer.concat(shows)).digest('hex')}\n`);

const { address } = made('month', month);

async function shot(name, settings, prepare) {
  const { page, close } = await open(browser, address, settings);
  await prepare(page);
  await page.screenshot({ path: path.join(docs, name) });
  await close();
  console.log(`written: docs/${name}`);
}

// The busiest session, so that the timeline shows episodes.
async function busiest(page) {
  const values = await page.$$eval('#session option', (options) => options.slice(1).map(({ value, text }) => [value, Number(/\((\d+)\)$/.exec(text)[1])]));
  values.sort((a, b) => b[1] - a[1]);
  await page.selectOption('#session', values[0][0]);
  await page.locator('#explore').scrollIntoViewIfNeeded();
  await page.evaluate(() => document.getElementById('explore').scrollIntoView());
}

await shot('report-light.png', { ...DESK, viewport: { width: 1200, height: 860 } }, async () => {});
await shot('report-dark.png', { ...DESK, viewport: { width: 1200, height: 980 }, colorScheme: 'dark' }, busiest);
await shot('report-phone.png', PHONE, async () => {});

// The terminal: its text as it was printed, with a style for each colour that it has.
const terminal = await browser.newPage({ viewport: { width: 1100, height: 400 } });
await terminal.setContent(`<style>body { margin: 0; display: inline-block; background: #1b1f27; color: #d8dce4 } pre { margin: 0; padding: 16px 20px; width: 118ch;
  font: 14px/1.5 "DejaVu Sans Mono", monospace; white-space: pre-wrap } .c1 { font-weight: bold; color: #fff } .c2 { color: #8b93a3 } .c31 { color: #ff7b72 } .c32 { color: #7ee787 } .c33 { color: #e3b341 }</style><pre></pre>`);
await terminal.evaluate((text) => {
  const pre = document.querySelector('pre');
  pre.append('$ failwise\n');
  let style = '';
  for (const [number, part] of text.trimEnd().split(/\u001b\[([\d;]*)m/).entries()) {
    if (number % 2) style = ['', '0'].includes(part) ? '' : `c${part}`;
    else pre.append(Object.assign(document.createElement('span'), { className: style, textContent: part }));
  }
}, printed(month));
await terminal.locator('body').screenshot({ path: path.join(docs, 'terminal.png') });
console.log('written: docs/terminal.png');
await browser.close();
