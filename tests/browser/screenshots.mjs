// Writes the screenshots in docs/ from the made-up month of examples/month.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { DESK, PHONE, launch, made, open } from './report.mjs';
import { month } from './sessions.mjs';

const docs = fileURLToPath(new URL('../../docs/', import.meta.url));
const browser = await launch();
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
await browser.close();
