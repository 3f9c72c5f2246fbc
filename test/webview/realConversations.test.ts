import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { turnsOf } from '../../src/core/conversation.ts';
import { executionTitle } from '../../src/core/presentation/words.ts';
import type { CaseLine } from '../../src/core/record/runRecord.ts';
import { htmlReport } from '../../src/report/html.ts';
import { launchBrowser } from '../support/host/browser.ts';
import { imported } from '../support/imports.ts';
import { realText } from '../support/realData.ts';
import { reported } from '../support/reported.ts';
import { runFiles } from '../support/runs.ts';

/** Deterministic assertions that can check any conversation. */
const ASSERT =
  '[{type: no-repeat}, {type: max-turns, max: 40}, {type: regex, pattern: ".", at: last}]';

const suiteOf = (keys: string) => `cases:\n  - id: real\n    ${keys}\n    assert: ${ASSERT}\n`;

const SETS = [
  {
    what: 'tau-bench, with tool calls',
    file: realText('tau-bench/gpt-4o-airline.sample.jsonl'),
    suite: suiteOf('transcripts: data.jsonl'),
    name: 'data.jsonl',
    count: 40,
    first: 'real/line-1',
  },
  {
    what: 'CrossWOZ, in Chinese',
    file: realText('crosswoz-zh/test.first15.json'),
    suite: suiteOf('transcripts: data.json\n    roles: {usr: user, sys: assistant}'),
    name: 'data.json',
    count: 15,
    first: 'real/2303',
  },
  {
    what: 'CaSiNo, with emoji',
    file: realText('casino/valid.first10.json'),
    suite: suiteOf(
      'transcripts: data.json\n    roles: {mturk_agent_1: user, mturk_agent_2: assistant}',
    ),
    name: 'data.json',
    count: 10,
    first: 'real/item-1',
  },
];

describe('the conversation view with real conversations', { timeout: 300_000 }, () => {
  let browser: Browser;
  let folder: string;

  before(async () => {
    browser = await launchBrowser();
    folder = await mkdtemp(join(tmpdir(), 'turnlight-real-'));
  });
  after(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** The conversation view's turns for each execution, as shown in the HTML report. */
  async function shown(t: TestContext, events: Parameters<typeof reported>[1]) {
    const path = join(folder, 'report.html');
    await writeFile(path, reported(await htmlReport(), events));
    const context = await browser.newContext({ offline: true });
    t.after(() => context.close());
    const page = await context.newPage();
    const wrongs: string[] = [];
    page.on('pageerror', (error) => wrongs.push(error.message));
    await page.goto(pathToFileURL(path).href);
    await page.locator('.turn').first().waitFor();
    // The page contains only the part of a long conversation near the view, except for printing.
    await page.evaluate("window.dispatchEvent(new Event('beforeprint'))");
    const views: (readonly [title: string, turns: number, text: string])[] = [];
    for (const link of await page.locator('#cases li a').all()) {
      const name = await link.locator('.name').innerText();
      await link.click();
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
      const turns = await page.locator('.turn').count();
      views.push([
        await page.locator('h1').innerText(),
        turns,
        (await page.locator('main').textContent()) ?? '',
      ]);
    }
    assert.deepEqual(wrongs, []);
    return views;
  }

  async function runsAndShows(t: TestContext, files: Readonly<Record<string, string>>) {
    const { lines, events } = await runFiles(t, files, { keepRecord: false });
    assert.deepEqual(
      lines.filter(({ status }) => status === 'error').map(({ reason }) => reason),
      [],
    );
    const views = new Map((await shown(t, events)).map(([title, ...rest]) => [title, rest]));
    for (const line of lines) {
      const [turns, text = ''] = views.get(executionTitle(line)) ?? [];
      assert.equal(turns, turnsOf(line.conversation).length, executionTitle(line));
      for (const word of wordsOf(line)) assert.ok(text.includes(word), word);
    }
    return lines;
  }

  for (const { what, file, suite, name, count, first } of SETS) {
    it(`of ${what}: all ${count}`, { skip: file.skip }, async (t) => {
      const lines = await runsAndShows(t, { [name]: file.text(), 'suite.eval.yaml': suite });
      assert.equal(lines.length, count);
      assert.ok(lines.some((line) => executionTitle(line) === first));
      assert.ok(lines.every(({ verdicts }) => verdicts.length === 3));
    });
  }

  const responses = realText('openai-responses/recorded-bodies.sample.jsonl');
  it("of OpenAI's recorded requests, imported: 11 of 12; one has no readable answer", {
    skip: responses.skip,
  }, async (t) => {
    const { texts } = await imported('bodies.jsonl', responses.text());
    const lines = await runsAndShows(t, { 'suite.eval.yaml': texts[0] ?? '' });
    assert.equal(texts.length, 1);
    assert.equal(lines.length, 11);
  });
});

/** The first words of the first and of the last text. */
function wordsOf({ conversation }: CaseLine): string[] {
  const texts = turnsOf(conversation).flatMap(({ items }) =>
    items.flatMap((item) => (item.kind === 'text' ? [item.text] : [])),
  );
  const words = [texts[0], texts.at(-1)].map((text = '') => /[\p{L}\p{N}]+/u.exec(text)?.[0] ?? '');
  return words.filter((word) => word !== '');
}
