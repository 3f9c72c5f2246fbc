import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { comparedCases, compareRuns } from '../../src/analysis/compareRuns.ts';
import type { CaseLine } from '../../src/core/record/runRecord.ts';
import { pairSnapshot } from '../../src/extension/comparison/pairSnapshot.ts';
import { runSync } from '../../src/node/cooperative.ts';
import type { FromResults, Results, ToResults } from '../../src/protocol/resultsProtocol.ts';
import type { Snapshot } from '../../src/protocol/viewProtocol.ts';
import { comparedTable, findingsOf } from '../../src/report/comparedTable.ts';
import { buildVerdict, comparedOf, type Given, judgedLine } from '../support/comparing.ts';
import { launchBrowser } from '../support/host/browser.ts';
import { CHECKOUT } from '../support/host/install.ts';
import { paleTexts } from '../support/view/contrast.ts';
import { openPage, openView, type ViewPage } from '../support/view/viewPage.ts';

function judged(id: string, tone: Given, said = 'Hello'): CaseLine {
  const turns: [number, Given][] = [
    [2, 1],
    [4, tone],
  ];
  const verdicts = [buildVerdict(tone, { key: 'Tone', turns }), buildVerdict(1, { key: 'Brief' })];
  const score = typeof tone === 'number' ? (tone + 1) / 2 : null;
  return judgedLine(id, verdicts, { said, score, suite: '/work/suite.eval.yaml' });
}

const BEFORE = [judged('same', 1), judged('bad', 1), judged('good', 0.2), judged('old', 1)];
const AFTER = [
  judged('same', 1),
  judged('bad', 0.2, 'Go away'),
  judged('good', 1),
  judged('new', 1),
];

function compared() {
  const [base, head] = [comparedOf(BEFORE), comparedOf(AFTER, { commit: 'a'.repeat(40) })];
  const cases = runSync(comparedCases(base.data, head.data));
  return { cases, comparison: runSync(compareRuns(base, head, cases)) };
}

function results(): Results {
  const { cases, comparison } = compared();
  const factsOf = (lines: readonly CaseLine[], id: string) => {
    const line = lines.find((one) => one.id === id);
    return line && { tags: line.tags, cost: 0.01, duration: lines === AFTER ? 2000 : 1000 };
  };
  return {
    records: ['/work/.turnlight/runs/b.jsonl'],
    ...{ title: 'Comparison of two runs', facts: [], problems: [], phase: 'over', generation: 1 },
    table: runSync(
      comparedTable(cases, ({ id }) => {
        const [base, head] = [factsOf(BEFORE, id), factsOf(AFTER, id)];
        return { ...(base && { base }), ...(head && { head }) };
      }),
    ),
    comparison: { base: ['/work/.turnlight/runs/a.jsonl'], findings: findingsOf(comparison) },
  };
}

function snapshotOf(id: string): Snapshot {
  const { cases, comparison } = compared();
  const found = cases.find((one) => one.id === id);
  assert.ok(found);
  const [base, head] = [BEFORE, AFTER].map((lines) => lines.find((line) => line.id === id));
  const state = {
    ...{ file: 'file:///work/suite.eval.yaml', id, repetition: 1 },
    compared: { base: ['/a.jsonl'], head: ['/b.jsonl'] },
  };
  const pair = { compared: found, base, head, repetitions: 1 };
  return pairSnapshot(state, pair, comparison, { count: 4, at: 1 }) ?? assert.fail();
}

const THEMES = {
  dark: ':root { --vscode-foreground: #ccc; --vscode-editor-background: #1f1f1f; --vscode-descriptionForeground: #9d9d9d; --vscode-editorWidget-background: #202020; --vscode-testing-iconPassed: #73c991; --vscode-testing-iconFailed: #f48771; --vscode-testing-iconErrored: #e2c08d }',
  light:
    ':root { --vscode-foreground: #3b3b3b; --vscode-editor-background: #fff; --vscode-descriptionForeground: #636363; --vscode-testing-iconPassed: #2e7d32; --vscode-testing-iconFailed: #c72e2e; --vscode-testing-iconErrored: #9a5b00 }',
};

const picture = (name: string) => join(CHECKOUT, '.cache/screenshots', `compared-${name}.png`);

describe('the comparison table of two runs', { timeout: 120_000 }, () => {
  let browser: Browser;
  let view: ViewPage<ToResults, FromResults>;

  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser?.close());
  beforeEach(async () => {
    view = await openPage(browser, { page: 'results' });
  });
  afterEach(async () => {
    const violations = await view.violations();
    await view.close();
    assert.deepEqual(violations, []);
  });

  const show = async (given = results()) => {
    await view.send({ kind: 'snapshot', results: given });
    await view.until("document.querySelector('.grid .body .row') !== null");
  };
  const names = () => view.page.locator('.body [role=rowheader]').allTextContents();

  it('shows the change of each case and assertion, regressions first', async () => {
    await view.page.setViewportSize({ width: 1500, height: 900 });
    await show();
    assert.deepEqual(await names(), ['bad', 'good', 'same', 'new', 'old']);
    const cells = await view.page
      .locator('.body .row')
      .first()
      .locator('.cell')
      .evaluateAll((all) => all.map((one) => one.ariaLabel ?? one.textContent));
    assert.deepEqual(cells.slice(0, 4), [
      'bad, worse, from passed 1.00 to failed 0.60',
      'Change: worse, from passed 1.00 to failed 0.60',
      'Tone: worse, from passed 1.00 to failed 0.20, worse in turn 4',
      'Brief: unchanged, passed 1.00',
    ]);
    assert.equal(cells.at(-1), '1.0 s → 2.0 s');
    assert.match(
      await view.page.locator('header.top').innerText(),
      /1 worse, 1 better, 1 unchanged/,
    );
  });

  it("doesn't truncate improvements and regressions", async () => {
    await show();
    const cells = view.page.locator(
      '.grid .body .cell[data-change="worse"], .cell[data-change="better"]',
    );
    const cut = await cells.evaluateAll((all) =>
      all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
    );
    assert.ok((await cells.count()) > 0);
    assert.deepEqual(cut, []);
  });

  it('shows the recorded differences, then the statistics, and the noise of the judge', async () => {
    await show();
    const words = await view.page.locator('.findings').innerText();
    const order = [
      'What changed',
      'Same conversations in both runs',
      'Tone: 3 cases are too few to tell',
      'Judge noise',
    ];
    const places = order.map((one) => words.indexOf(one));
    assert.ok(
      places.every((place) => place >= 0),
      words,
    );
    assert.deepEqual(
      places,
      [...places].sort((a, b) => a - b),
    );
  });

  it('filters by the change of cases, or of the selected assertion', async () => {
    await show();
    await view.page.getByRole('combobox', { name: 'Change', exact: true }).click();
    await view.page.getByRole('option', { name: 'Only worse' }).click();
    await view.until("document.querySelectorAll('.body .row').length === 1");
    assert.deepEqual(await names(), ['bad']);
  });

  it('moves to the next changed case with a key, and restores both runs after a reload', async () => {
    await show();
    await view.page.getByRole('grid').focus();
    for (const key of ['Control+Home', 'p']) await view.page.keyboard.press(key);
    await view.page.keyboard.press('Enter');
    const opened = (await view.posted()).filter(({ kind }) => kind === 'open');
    assert.deepEqual(opened, [{ kind: 'open', case: 4 }]);
    await view.until("globalThis.kept?.base?.[0] === '/work/.turnlight/runs/a.jsonl'");
  });

  for (const [scheme, style] of Object.entries(THEMES)) {
    it(`fits a narrow panel, with contrast enough, in ${scheme}`, async () => {
      await view.close();
      view = await openPage(browser, { page: 'results', style });
      await show();
      await view.page.screenshot({ path: picture(`table-${scheme}`) });
      await view.page.setViewportSize({ width: 420, height: 700 });
      assert.deepEqual(await paleTexts(view.page), []);
      await view.page.screenshot({ path: picture(`table-narrow-${scheme}`) });
    });
  }
});

describe('a conversation of two runs', { timeout: 120_000 }, () => {
  let browser: Browser;
  let view: ViewPage;

  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser?.close());
  beforeEach(async () => {
    view = await openView(browser);
  });
  afterEach(async () => {
    const violations = await view.violations();
    await view.close();
    assert.deepEqual(violations, []);
  });

  const show = async (id: string) => {
    await view.send({ kind: 'snapshot', snapshot: snapshotOf(id) });
    await view.until(`document.querySelector('h1')?.textContent === '${id}'`);
  };
  const focused = () =>
    view.page.evaluate<string>('document.activeElement?.getAttribute("aria-label") ?? ""');

  it('shows turns side by side, with the verdicts of both', async () => {
    await show('bad');
    const pairs = view.page.locator('.pair.turns');
    assert.equal(await pairs.count(), 4);
    const [left, right] = [
      await pairs.nth(1).locator('.turn').first().boundingBox(),
      await pairs.nth(1).locator('.turn').last().boundingBox(),
    ];
    assert.ok(left && right && left.x < right.x && Math.abs(left.y - right.y) < 1);
    assert.match(await pairs.nth(1).innerText(), /Hello[\s\S]*Go away/);
    assert.match(
      await view.page.locator('.assertions > .pair').first().innerText(),
      /worse: Tone: passed 1\.00 → failed 0\.20, worse in turn 4/,
    );
    assert.equal(await view.page.getByRole('button', { name: 'Run' }).count(), 0);
  });

  it('moves with keys between changes, and to the next changed case', async () => {
    await show('bad');
    await view.page.keyboard.press('n');
    await view.page.keyboard.press('n');
    assert.equal(
      await focused(),
      'Turn 4, worse, before: Assistant, passed, score 1.00, after: Assistant, failed, score 0.20',
    );
    await view.page.keyboard.press('Shift+N');
    const asked = (await view.posted()).filter(({ kind }) => kind === 'show-changed');
    assert.deepEqual(asked, [{ kind: 'show-changed', step: 1 }]);
    await show('good');
    await show('old');
    assert.match(await view.page.locator('.compared').innerText(), /only in the first run/);
    assert.equal(await view.page.locator('.pair').count(), 0);
  });

  for (const [scheme, style] of Object.entries(THEMES)) {
    it(`is stacked in a narrow panel, with contrast enough, in ${scheme}`, async () => {
      await view.close();
      view = await openView(browser, style);
      await show('bad');
      await view.page.screenshot({ path: picture(`pair-${scheme}`) });
      await view.page.setViewportSize({ width: 420, height: 900 });
      const turns = view.page.locator('.pair.turns').nth(1);
      const [first, second] = [
        await turns.locator('.turn').first().boundingBox(),
        await turns.locator('.turn').last().boundingBox(),
      ];
      assert.ok(first && second && first.x === second.x && first.y < second.y);
      assert.deepEqual(await paleTexts(view.page), []);
      await view.page.screenshot({ path: picture(`pair-narrow-${scheme}`) });
    });
  }
});
