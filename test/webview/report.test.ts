import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { toConversation } from '../../src/core/conversation.ts';
import type { CaseLine } from '../../src/core/record/runRecord.ts';
import { htmlReport } from '../../src/report/html.ts';
import { storeImages } from '../../src/store/images.ts';
import { buildVerdict } from '../support/build.ts';
import { buildCaseLine, runEvents, talk } from '../support/buildRun.ts';
import { launchBrowser } from '../support/host/browser.ts';
import { CHECKOUT } from '../support/host/install.ts';
import { IMAGE, PNG } from '../support/images.ts';
import { reported } from '../support/reported.ts';
import { paleTexts } from '../support/view/contrast.ts';

const HOSTILE =
  '</script><script>globalThis.owned = 1</script><!-- <script> <img src=x onerror="globalThis.owned = 1">';

function failed(id: string, said: string): CaseLine {
  const turns = [{ turn: 2, status: 'fail' as const, score: 0, rationale: `It says ${said}` }];
  return buildCaseLine({
    id,
    status: 'fail',
    score: 0,
    conversation: talk('Where is my order?', said),
    verdicts: [buildVerdict({ name: 'Careful', status: 'fail', score: 0, turns })],
  });
}

const LINES = [
  buildCaseLine({ id: 'ok', status: 'pass', score: 1 }),
  failed('late', 'Soon.'),
  failed('hostile', HOSTILE),
  ...[1, 2].map((repetition) =>
    buildCaseLine({ id: 'twice', status: 'pass', score: 1, repetition, repetitions: 2 }),
  ),
];

describe('the HTML report, in a browser without a network', { timeout: 120_000 }, () => {
  let browser: Browser;
  let folder: string;
  let context: BrowserContext;
  let page: Page;
  const asked: string[] = [];
  const wrongs: string[] = [];

  before(async () => {
    browser = await launchBrowser();
    folder = await mkdtemp(join(tmpdir(), 'turnlight-report-'));
    await writeFile(join(folder, 'report.html'), reported(await htmlReport(), runEvents(LINES)));
  });
  after(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    asked.length = 0;
    wrongs.length = 0;
    await open('light');
  });
  afterEach(async () => {
    const owned = await page.evaluate('globalThis.owned');
    await context.close();
    assert.equal(owned, undefined);
    assert.deepEqual(wrongs, []);
    assert.deepEqual(
      asked.filter((url) => !url.startsWith('file:')),
      [],
    );
  });

  async function open(colorScheme: 'light' | 'dark', width = 1100) {
    context = await browser.newContext({
      offline: true,
      colorScheme,
      viewport: { width, height: 900 },
    });
    page = await context.newPage();
    page.on('request', (request) => asked.push(request.url()));
    page.on('pageerror', (error) => wrongs.push(error.message));
    page.on('console', (message) => message.type() === 'error' && wrongs.push(message.text()));
    await page.goto(pathToFileURL(join(folder, 'report.html')).href);
    await page.locator('.turn').first().waitFor();
  }

  const current = () => page.locator('#cases a[aria-current]').innerText();

  it('starts with the first failure, with badges and rationales', async () => {
    assert.match(await current(), /^late/);
    assert.match(await page.locator('.turn[data-turn="2"]').innerText(), /0\.00\s+failed/);
    assert.match(await page.locator('.rationales').innerText(), /It says Soon\./);
    assert.match(await page.locator('.turn[data-turn="2"]').innerText(), /suite\.eval\.yaml:12/);
    assert.equal(await page.getByText('Go to line').count(), 0);
    assert.equal(await page.getByText('Run', { exact: true }).count(), 0);
  });

  it('moves between cases by keyboard, with the focus staying in the list', async () => {
    const link = page.locator('#cases a', { hasText: 'ok' });
    await link.focus();
    await page.keyboard.press('Enter');
    await page.locator('h1', { hasText: 'ok' }).waitFor();
    assert.match(await current(), /^ok/);
    assert.equal(await page.evaluate("document.activeElement?.getAttribute('href')"), '#1');
    await page.goBack();
    await page.locator('h1', { hasText: 'late' }).waitFor();
  });

  it('shows the time and cost of the run, and lists only failures on demand', async () => {
    const cases = page.locator('#cases');
    await cases.locator('summary').click();
    assert.match(await cases.locator('summary').innerText(), /^Run of \S+ \S/);
    assert.match(await cases.locator('details').innerText(), /Model usage: \d+ requests/);
    await cases.getByLabel('Failures only').press('Space');
    const shown = cases.locator('li a:visible .name');
    assert.deepEqual(await shown.allInnerTexts(), ['late', 'hostile']);
    await cases.getByLabel('Failures only').press('Space');
    assert.equal(await shown.count(), LINES.length);
  });

  it('contains the stored images, and says if one is missing', async () => {
    const missing = { ...IMAGE, digest: '0'.repeat(64) };
    const images = [IMAGE, missing];
    const conversation = toConversation([
      { message: { role: 'user', content: '[image]\n\n[image]', images } },
      { message: { role: 'assistant', content: 'A red square.' } },
    ]);
    await storeImages(folder, images, new Map([[IMAGE.digest, { bytes: PNG }]]));
    const line = buildCaseLine({ id: 'pictures', status: 'pass', score: 1, conversation });
    const events = runEvents([line]).map((event) =>
      event.kind === 'run-started'
        ? { ...event, records: [join(folder, '.turnlight/runs/r1.jsonl')] }
        : event,
    );
    const path = join(folder, 'images.html');
    await writeFile(path, reported(await htmlReport(), events));
    await page.goto(pathToFileURL(path).href);
    await page.getByText('⚠ The report does not contain this image.').waitFor();
    const width = "document.querySelector('.image img').naturalWidth";
    for (let seen = 0; seen !== 400; ) seen = await page.evaluate<number>(width);
    assert.equal(await page.locator('.image').count(), 1);
    asked.splice(0, asked.length, ...asked.filter((url) => !url.startsWith('data:image/png')));
  });

  it("always shows an agent's words as text", async () => {
    await page.locator('#cases a', { hasText: 'hostile' }).click();
    await page.locator('h1', { hasText: 'hostile' }).waitFor();
    await page.locator('.rationales p').filter({ hasText: HOSTILE }).waitFor();
    assert.equal(await page.locator('main img, main script').count(), 0);
  });

  it('says so if no case finished', async () => {
    await writeFile(join(folder, 'none.html'), reported(await htmlReport(), []));
    await page.goto(pathToFileURL(join(folder, 'none.html')).href);
    await page.getByText('No case finished.').waitFor();
  });

  it('has a table of all cases, with keyboard navigation and text search', async () => {
    await page.getByRole('link', { name: 'All results' }).click();
    const titles = page.locator('.grid .body [role=rowheader]');
    await titles.first().waitFor();
    assert.deepEqual(await titles.allTextContents(), [...['ok', 'late', 'hostile', 'twice']]);
    await page.getByText('4 cases, 5 conversations: 2 passed, 2 failed').waitFor();
    assert.equal(await page.locator('.turn').first().isVisible(), false);
    await page.keyboard.press('/');
    await page.keyboard.type('SOON.');
    await page.getByText('1 of 4 cases').waitFor();
    assert.deepEqual(await titles.allTextContents(), ['late']);
    assert.equal(await page.getByText('Export CSV').count(), 0);
    await page.screenshot({ path: join(CHECKOUT, '.cache/screenshots', 'report-table.png') });
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.locator('h1:visible', { hasText: 'late' }).waitFor();
    await page.goBack();
    await titles.first().waitFor();
  });

  it('steps through failing cases with keys', async () => {
    const heading = (name: string) => page.locator('h1:visible', { hasText: name }).waitFor();
    await heading('late');
    await page.keyboard.press('Shift+N');
    await heading('hostile');
    await page.keyboard.press('Shift+N');
    await heading('late');
    await page.getByRole('button', { name: 'Previous failing case' }).click();
    await heading('hostile');
    assert.match(await page.locator('.bar').innerText(), /failing case 2 of 2/);
  });

  it('shows each repetition', async () => {
    await page.locator('#cases a', { hasText: 'twice 2/2' }).click();
    await page.locator('h1', { hasText: 'twice' }).waitFor();
    assert.match(await current(), /^twice 2\/2/);
  });

  for (const scheme of ['light', 'dark'] as const) {
    it(`has texts with enough contrast in a ${scheme} scheme, and fits a narrow window`, async () => {
      await context.close();
      await open(scheme, 420);
      assert.deepEqual(await paleTexts(page), []);
      const wide = await page.evaluate(
        'document.documentElement.scrollWidth > document.documentElement.clientWidth',
      );
      assert.equal(wide, false);
      await page.screenshot({ path: join(CHECKOUT, '.cache/screenshots', `report-${scheme}.png`) });
    });
  }
});
