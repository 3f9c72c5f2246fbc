import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { compareVariants } from '../../src/analysis/compareVariants.ts';
import { runSync } from '../../src/node/cooperative.ts';
import type {
  FromResults,
  Results,
  ResultsState,
  ToResults,
} from '../../src/protocol/resultsProtocol.ts';
import { variantTable } from '../../src/report/findings/variantReport.ts';
import { buildVerdict } from '../support/build.ts';
import { launchBrowser } from '../support/host/browser.ts';
import { CHECKOUT } from '../support/host/install.ts';
import { paleTexts } from '../support/view/contrast.ts';
import { buildCase, buildResults, manyCases } from '../support/view/results.ts';
import { assertSpoken } from '../support/view/spoken.ts';
import { openPage, type ViewPage } from '../support/view/viewPage.ts';

const verdicts = (score: number, label?: string) => [
  buildVerdict({
    name: 'Tone',
    status: score >= 0.5 ? 'pass' : 'fail',
    score,
    ...(label !== undefined && { label }),
  }),
  buildVerdict({ name: 'Brief', status: 'error', score: null, reason: 'timeout' }),
];

const LINES = [
  buildCase('late', 'fail', { verdicts: verdicts(0.4, 'rude'), tags: ['smoke'] }),
  buildCase('early', 'pass', { verdicts: verdicts(0.9, 'polite').slice(0, 1) }),
  buildCase('lost', 'error', {
    verdicts: verdicts(0.7),
    suite: '/work/other.eval.yaml',
    reason: 'target-timeout: The target did not reply within 60000 ms.',
  }),
];

describe('the results view', { timeout: 120_000 }, () => {
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
    assert.deepEqual(view.strangers, []);
  });

  const grid = () => view.page.getByRole('grid');
  const body = () => view.page.locator('.grid .body');
  const names = () => body().getByRole('rowheader').allTextContents();
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await view.page.keyboard.press(key);
  };
  const active = () =>
    view.page.evaluate<string>(
      "document.getElementById(document.querySelector('.grid').getAttribute('aria-activedescendant'))?.textContent",
    );
  const posted = async (kind: FromResults['kind']) =>
    (await view.posted()).filter((message) => message.kind === kind);

  async function show(results: Results = buildResults(LINES)): Promise<void> {
    await view.send({ kind: 'snapshot', results });
    await view.until(
      `document.querySelector('.count')?.textContent.endsWith('${results.table.cases.length} case${results.table.cases.length === 1 ? '' : 's'}')`,
    );
  }

  async function shows(...wanted: readonly string[]): Promise<void> {
    const expected = JSON.stringify(wanted);
    await view.until(
      `JSON.stringify([...document.querySelectorAll('.body [role=rowheader]')].map((one) => one.textContent)) === ${JSON.stringify(expected)}`,
    );
  }

  async function choose(label: string, option: string): Promise<void> {
    await view.page.getByRole('combobox', { name: label, exact: true }).click();
    await view.page.getByRole('option', { name: option, exact: true }).click();
  }

  it('shows why a case errored, with or without a code', async () => {
    const crash = buildCase('crash', 'error', { reason: 'The target failed: no reply' });
    const unset = buildCase('unset', 'error', { reason: 'missing-variable: TOKEN is not set.' });
    const left = buildCase('left', 'skipped', { reason: 'Not now.' });
    await show(buildResults([crash, unset, left]));
    const rows = (await body().getByRole('row').allInnerTexts()).map((row) =>
      row.replace(/\s+/g, ' '),
    );
    assert.match(rows[0] ?? '', /errored The target failed: no reply/);
    assert.match(rows[1] ?? '', /errored missing-variable(?!:)/);
    assert.doesNotMatch(rows[2] ?? '', /Not now/);
  });

  it('gives screen readers the status, score, and label of each verdict', async () => {
    await show();
    await assertSpoken(view.page, [
      'grid "Results"',
      'columnheader "Case"',
      'columnheader "Tone"',
      'rowheader "late, failed, score 0.40"',
      'gridcell "Tone: failed, score 0.40 rude"',
      'gridcell "Tone: passed, score 0.90 polite"',
      'gridcell "Brief: errored, timeout"',
      'combobox "Status"',
      'searchbox "Filter by text"',
      'heading "suite.eval.yaml" [level=1]',
    ]);
    assert.equal(
      await grid().getAttribute('aria-colcount'),
      '6',
      'no column for costs that nobody knows',
    );
  });

  it('moves between cells with keys, and opens the case or a verdict', async () => {
    await show();
    assert.equal(await active(), 'late');
    await press('ArrowDown', 'Enter', 'ArrowUp', 'ArrowRight', 'ArrowRight', 'Enter');
    assert.deepEqual(await posted('open'), [
      { kind: 'open', case: 1 },
      { kind: 'open', case: 0, column: 0 },
    ]);
    await press('End');
    assert.equal(await active(), '1.2 s');
    await press('Home', 'Control+End', 'Home');
    assert.equal(await active(), 'lost');
    const lost = body().getByRole('row').filter({ hasText: 'lost' });
    assert.match(await lost.innerText(), /errored target-timeout/);
    await press('p');
    assert.equal(await active(), 'late');
    await press('n');
    assert.equal(await active(), 'lost');
  });

  it('lists the keys that step through failing cases', async () => {
    await show();
    const keys = view.page.locator('details.keys');
    await keys.locator('summary').click();
    assert.match(await keys.innerText(), /n\s+p\s+next and previous failing case/);
  });

  it('has one row per repeated case, which fills as repetitions finish', async () => {
    const repetitions = [verdicts(0.9, 'polite'), verdicts(0.4, 'rude'), verdicts(0.8)].map(
      ([tone = assert.fail()], at) =>
        buildCase('flaky', tone.status, {
          ...{ score: tone.score, verdicts: [tone], repetition: at + 1, repetitions: 3 },
        }),
    );
    const once = buildCase('once', 'pass', { verdicts: verdicts(0.9, 'polite').slice(0, 1) });
    await show(buildResults([once, ...repetitions.slice(0, 1)], { phase: 'running' }));
    const row = () => body().getByRole('row').nth(1);
    assert.match(await row().innerText(), /1\/1 0\.90 \(1 of 3 ran\) passed/);
    const told = () => view.page.locator('.summary .told').innerText();
    assert.equal(await told(), '2 passed');
    await view.page.getByRole('searchbox').fill('order');
    await view.until("document.querySelector('.count')?.textContent.includes('searching')");
    const [search] = await posted('search');
    assert.ok(search?.kind === 'search');
    await view.send({ kind: 'found', search: search.search, cases: [], looked: 2, done: true });
    const whole = buildResults([once, ...repetitions]);
    await view.send({ kind: 'snapshot', results: whole });
    await view.until("document.querySelector('.count')?.textContent.includes('50%')");
    const again = (await posted('search')).at(-1);
    assert.ok(again?.kind === 'search');
    assert.equal(again.from, 2, 'the new repetitions are looked into');
    await view.send({ kind: 'found', search: again.search, cases: [1, 1], looked: 4, done: true });
    await shows('flaky');
    await view.page.getByRole('searchbox').fill('');
    await shows('once', 'flaky');
    assert.equal(await told(), '3 passed, 1 failed');
    await assertSpoken(view.page, [
      'rowheader "flaky, failed, 2 of 3 passed, score 0.70, 0.40 to 0.90"',
      'gridcell "Tone: failed, 2 of 3 passed, score 0.70 (0.40–0.90)"',
      'text: 1 passed, 1 failed',
    ]);
    assert.match(await row().innerText(), /2\/3 0\.70 \(0\.40–0\.90\) failed/);
    await view.page.screenshot({
      path: join(CHECKOUT, '.cache/screenshots', 'results-repeated.png'),
    });
    await body().getByText('flaky').click();
    assert.deepEqual(await posted('open'), [{ kind: 'open', case: 1 }]);
  });

  it('opens a case by a click', async () => {
    await show();
    await body().getByText('early').click();
    assert.deepEqual(await posted('open'), [{ kind: 'open', case: 1 }]);
  });

  it('sorts by a heading, ascending, descending, and not at all, by key or click', async () => {
    await show();
    await press('ArrowUp', 'Enter');
    await shows('early', 'late', 'lost');
    const heading = view.page.getByRole('columnheader', { name: 'Case' });
    assert.equal(await heading.getAttribute('aria-sort'), 'ascending');
    await press('Enter');
    await shows('lost', 'late', 'early');
    assert.equal(await heading.getAttribute('aria-sort'), 'descending');
    await heading.click();
    await shows('late', 'early', 'lost');
    assert.equal(await heading.getAttribute('aria-sort'), 'none');
    await view.page.getByRole('columnheader', { name: 'Tone' }).click();
    await shows('late', 'lost', 'early');
  });

  it('filters with menus, and shows the number of matches', async () => {
    await show();
    await choose('Status', 'Failed or errored');
    await shows('late', 'lost');
    assert.equal(await view.page.locator('.count').textContent(), '2 of 3 cases');
    await choose('Assertion', 'Brief');
    await choose('Status', 'Passed');
    await shows();
    await choose('Assertion', 'Tone');
    await shows('early', 'lost');
    await choose('Label', 'polite');
    await shows('early');
  });

  it('offers to clear the filters if nothing matches', async () => {
    await show();
    const clear = view.page.getByRole('button', { name: 'Clear filters' });
    assert.equal(await clear.count(), 0);
    await choose('Status', 'Skipped');
    await view.page.getByRole('searchbox').fill('nothing');
    await view.until("globalThis.posted.some((one) => one.text === 'nothing')");
    await clear.focus();
    await press('Enter');
    await shows('late', 'early', 'lost');
    assert.equal(await view.page.getByRole('searchbox').inputValue(), '');
    assert.equal(await clear.count(), 0);
    assert.equal(await active(), 'late');
  });

  it('marks labeled verdicts with icons and words, and filters by labels', async () => {
    const results = buildResults(LINES);
    const [late, early] = results.table.cases;
    assert.ok(late && early);
    Object.assign(late, { people: [0, 1] });
    Object.assign(early, { people: [0, 0] });
    await view.send({ kind: 'snapshot', results });
    await body().getByText('☒').waitFor();
    const named = (name: RegExp) => body().getByRole('gridcell', { name }).count();
    assert.equal(await named(/^Tone: failed, score 0\.40 rude, labeled wrong$/), 1);
    assert.equal(await named(/labeled right$/), 1);
    await view.page.locator('turnlight-dropdown[aria-label="People"]').focus();
    await press('ArrowDown', 'ArrowDown', 'Enter');
    assert.deepEqual(await names(), ['late']);
  });

  it('keeps the focus on the menu after filtering', async () => {
    await show();
    await view.page.getByRole('combobox', { name: 'Status', exact: true }).focus();
    await press('ArrowDown');
    await shows('late', 'lost');
    const focused = await view.page.evaluate("document.activeElement.getAttribute('aria-label')");
    assert.equal(focused, 'Status');
  });

  it('searches for a text, and shows matches and progress as they arrive', async () => {
    await show();
    await press('/');
    await view.page.keyboard.type('refund');
    await view.until("globalThis.posted.some(({ kind }) => kind === 'search')");
    const [search] = await posted('search');
    assert.deepEqual(search, { kind: 'search', search: 1, text: 'refund', from: 0 });
    await shows();
    await view.send({ kind: 'found', search: 1, cases: [2], looked: 2, done: false });
    await shows('lost');
    assert.match((await view.page.locator('.count').textContent()) ?? '', /searching, 67%/);
    await view.send({ kind: 'found', search: 7, cases: [1], looked: 3, done: true });
    await view.send({ kind: 'found', search: 1, cases: [0], looked: 3, done: true });
    await shows('late', 'lost');
    await press('Escape');
    await shows('late', 'early', 'lost');
    assert.deepEqual((await posted('search')).at(-1), {
      ...{ kind: 'search', search: 2, text: '', from: 0 },
    });
  });

  it('also searches cases that arrive later', async () => {
    await show();
    await press('Control+f');
    await view.page.keyboard.type('refund');
    await view.until("globalThis.posted.some(({ kind }) => kind === 'search')");
    await view.send({ kind: 'found', search: 1, cases: [], looked: 3, done: true });
    const more = buildResults([...LINES, buildCase('new', 'pass')]);
    await view.send({ kind: 'snapshot', results: more });
    await view.until("globalThis.posted.filter(({ kind }) => kind === 'search').length === 2");
    assert.deepEqual((await posted('search')).at(-1), {
      ...{ kind: 'search', search: 2, text: 'refund', from: 3 },
    });
    await view.send({ kind: 'found', search: 2, cases: [3], looked: 4, done: true });
    await shows('new');
  });

  it('groups by file, and collapses a group with Enter', async () => {
    await show();
    await choose('Group by', 'By file');
    await shows('lost', 'late', 'early');
    const group = view.page.getByRole('gridcell', { name: 'suite.eval.yaml 2 cases, 1 passed' });
    assert.equal(await group.getAttribute('aria-expanded'), 'true');
    await grid().focus();
    await press('Control+Home', 'ArrowDown', 'ArrowDown', 'Enter');
    await shows('lost');
    assert.equal(await group.getAttribute('aria-expanded'), 'false');
  });

  it('has a column and a filter for variants of a target, and says which is better', async () => {
    const varied = (id: string, name: string) =>
      buildCase(id, name === 'warm' ? 'pass' : 'fail', {
        variant: name,
        target_variant: { name, of: ['plain', 'warm'] },
        verdicts: verdicts(name === 'warm' ? 0.9 : 0.2).slice(0, 1),
      });
    const lines = Array.from({ length: 8 }, (_, index) => [
      varied(`case-${index}`, 'plain'),
      varied(`case-${index}`, 'warm'),
    ]).flat();
    const variants = runSync(compareVariants(lines)).map(variantTable);
    await show(buildResults(lines, { variants }));
    const part = view.page.getByRole('region', { name: 'Variants' });
    assert.match(await part.innerText(), /"warm" passes 8 more of 8 cases than "plain"\./);
    assert.match(await part.getByRole('row', { name: 'warm' }).innerText(), /\+1\.00/);
    await assertSpoken(view.page, ['columnheader "Variant"', 'gridcell "warm"']);
    const path = join(CHECKOUT, '.cache/screenshots', 'results-variants.png');
    await view.page.screenshot({ path });
    await choose('Variant', 'warm');
    await view.until("document.querySelector('.count')?.textContent === '8 of 16 cases'");
    assert.equal(
      (await names()).every((name) => name.endsWith('/warm')),
      true,
    );
    await choose('Variant', 'Any variant');
    await choose('Group by', 'By variant');
    await view.page.getByRole('gridcell', { name: 'plain 8 cases, 0 passed' }).waitFor();
    await view.page.setViewportSize({ width: 420, height: 700 });
    const wide = await view.page.evaluate(
      'document.documentElement.scrollWidth > document.documentElement.clientWidth',
    );
    assert.equal(wide, false);
  });

  it('summarizes each assertion over the visible cases', async () => {
    await show();
    const summary = view.page.locator('.summary');
    assert.deepEqual(
      (await summary.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim()),
      [
        'Tone 67% passed mean 0.67 2 passed, 1 failed rude ×1 polite ×1',
        'Brief not judged 2 errored',
      ],
    );
    await choose('Status', 'Passed');
    await view.until("document.querySelectorAll('.summary').length === 1");
    assert.match(await summary.innerText(), /100% passed\s+mean 0.90/);
  });

  it('shows every count of an assertion in a narrow panel', async () => {
    await show();
    await view.page.setViewportSize({ width: 300, height: 700 });
    const hidden = await view.page.evaluate<string[]>(`(() => {
      const { right } = document.querySelector('.summaries').getBoundingClientRect();
      return [...document.querySelectorAll('.summary > :is(.rate, .mean, .told)')]
        .filter(({ textContent }) => textContent !== '')
        .filter((one) => !one.offsetParent || one.getBoundingClientRect().right > right)
        .map(({ textContent }) => textContent);
    })()`);
    assert.deepEqual(hidden, []);
  });

  it('keeps the active case while a run adds others and the order changes', async () => {
    await show();
    await press('ArrowDown');
    await view.page.getByRole('columnheader', { name: 'Case' }).click();
    await press('ArrowDown');
    assert.equal(await active(), 'early');
    await view.send({
      kind: 'snapshot',
      results: buildResults([...LINES, buildCase('ahead', 'pass')], { phase: 'running' }),
    });
    await shows('ahead', 'early', 'late', 'lost');
    assert.equal(await active(), 'early');
    assert.match(await view.page.locator('.facts').innerText(), /^running … · 2 passed/);
  });

  it('mounts only a few of ten thousand rows, at any position', async () => {
    await show(buildResults(manyCases(10_000)));
    const count = () => view.page.evaluate<number>("document.querySelectorAll('.grid *').length");
    assert.ok((await count()) < 1500, `${await count()} elements`);
    await press('Control+End', 'Home');
    assert.equal(await active(), 'case-10000');
    assert.ok((await count()) < 1500, `${await count()} elements`);
    const rows = await body()
      .locator('.row')
      .evaluateAll((all) => all.map((row) => Number(row.getAttribute('aria-rowindex'))));
    assert.equal(rows.at(-1), 10_001);
    assert.deepEqual(
      rows,
      [...rows].sort((a, b) => a - b),
      'in the order in which they are read',
    );
  });

  it('mounts only a few of hundreds of columns', async () => {
    const many = Array.from({ length: 400 }, (_, index) =>
      buildVerdict({ index, name: `Assertion ${index}`, status: 'pass', score: 1 }),
    );
    await show(buildResults([buildCase('wide', 'pass', { verdicts: many })]));
    const cells = () => body().locator('.cell').count();
    assert.ok((await cells()) < 20, `${await cells()} cells`);
    await press('End');
    assert.equal(await active(), '1.2 s');
    assert.ok((await cells()) < 20, `${await cells()} cells`);
  });

  it('shows rare assertions in one column, naming the worst', async () => {
    const lines = Array.from({ length: 12 }, (_, at) =>
      buildCase(`case-${at}`, at === 0 ? 'fail' : 'pass', {
        verdicts: [
          buildVerdict({ name: 'Tone', status: 'pass', score: 1 }),
          buildVerdict({ name: `Names the price of ${at}`, status: 'pass', score: 1 }),
          buildVerdict({
            name: `Says when ${at} comes`,
            ...(at === 0 ? { status: 'fail', score: 0 } : { status: 'pass', score: 1 }),
          }),
        ],
      }),
    );
    await show(buildResults(lines));
    const headings = () => view.page.getByRole('columnheader').allInnerTexts();
    assert.deepEqual(await headings(), ['Case', 'Status', 'Tone', 'Other assertions', 'Time']);
    const others = body().locator('.cell[data-column="3"]');
    assert.deepEqual((await others.allInnerTexts()).slice(0, 2), [
      '✗1 of 2 failed: Says when 0 comes',
      '✓2 of 2 passed',
    ]);
    assert.equal(
      await others.first().getAttribute('aria-label'),
      'Says when 0 comes: failed, score 0.00; Names the price of 0: passed, score 1.00',
    );
    await others.first().click();
    assert.deepEqual(await posted('open'), [{ kind: 'open', case: 0, column: 2 }]);
    await view.page.locator('turnlight-dropdown[aria-label="Assertion"]').focus();
    await press('ArrowDown', 'ArrowDown');
    await shows('case-0');
    assert.equal((await headings())[3], 'Names the price of 0');
  });

  it('keeps the active case visible if the table gets smaller', async () => {
    await show(buildResults(manyCases(100)));
    await view.page.setViewportSize({ width: 900, height: 900 });
    const last = Number(await body().locator('.row').nth(8).getAttribute('data-row'));
    await press(...Array.from({ length: last }, () => 'ArrowDown'));
    await view.page.setViewportSize({ width: 900, height: 500 });
    await view.until(`(() => {
      const grid = document.querySelector('.grid').getBoundingClientRect();
      const cell = document.querySelector('.cell.active').getBoundingClientRect();
      return cell.bottom <= grid.bottom && cell.top >= grid.top;
    })()`);
  });

  it('restores the settings after a reload, and nothing else', async () => {
    await show();
    await view.page.getByRole('columnheader', { name: 'Tone' }).click();
    await choose('Group by', 'By file');
    await view.until("globalThis.kept?.shown?.group === 'file'");
    const kept = await view.page.evaluate<ResultsState>('globalThis.kept');
    assert.deepEqual(Object.keys(kept), ['records', 'shown']);
    assert.equal(JSON.stringify(kept).includes('late'), false);
    await view.close();
    view = await openPage(browser, { page: 'results', kept });
    await show();
    await shows('lost', 'late', 'early');
    const heading = view.page.getByRole('columnheader', { name: 'Tone' });
    assert.equal(await heading.getAttribute('aria-sort'), 'ascending');
  });

  it('copies the visible cases in order, and exports the run', async () => {
    await show();
    await view.page.getByRole('columnheader', { name: 'Case' }).click();
    await view.page.getByRole('button', { name: 'Copy as Markdown' }).click();
    await view.page.getByRole('button', { name: 'Export CSV' }).click();
    await view.page.getByRole('button', { name: 'Export HTML' }).click();
    assert.deepEqual((await view.posted()).slice(-3), [
      { kind: 'copy', cases: [1, 0, 2] },
      { kind: 'export', format: 'csv' },
      { kind: 'export', format: 'html' },
    ]);
  });

  it('offers to resume an interrupted run, even before its first case ended', async () => {
    const resume = () => view.page.getByRole('button', { name: 'Resume', exact: true });
    await show();
    assert.equal(await resume().count(), 0);
    await show({ ...buildResults([]), phase: 'interrupted' });
    await resume().click();
    await show({ ...buildResults(LINES), phase: 'interrupted' });
    await resume().press('Enter');
    assert.deepEqual(await posted('resume'), [{ kind: 'resume' }, { kind: 'resume' }]);
  });

  it('offers no actions for a run without cases', async () => {
    await show(buildResults([], { title: 'chat.jsonl', problems: ['This file is no record.'] }));
    assert.equal(await view.page.getByRole('button').count(), 0);
    assert.equal(await view.page.getByRole('heading', { level: 1 }).innerText(), 'chat.jsonl');
  });

  it('shows how much samples differ, with numbers and words', async () => {
    const judge = { model: 'openai:a', prompt_hash: 'p', samples: 3, spread: 0.4 };
    const verdict = buildVerdict({ name: 'Tone', status: 'pass', score: 0.8, judge });
    await show(buildResults([buildCase('a', 'pass', { verdicts: [verdict] })]));
    const cell = body().locator('.cell[data-column="2"]');
    assert.equal(await cell.innerText(), '✓0.80 ↕0.40');
    const name = 'Tone: passed, score 0.80, samples differ by 0.40';
    assert.equal(await cell.getAttribute('aria-label'), name);
  });

  it('shows hostile names as text with hidden characters', async () => {
    const name = '<img src=x onerror="globalThis.owned = 1">\u202e';
    const one = buildCase('a', 'pass', {
      tags: [name],
      verdicts: [buildVerdict({ name, status: 'pass', score: 1, label: name })],
    });
    await show(buildResults([one], { title: name, facts: [name], problems: [name] }));
    assert.equal(await view.page.locator('main img').count(), 0);
    assert.equal(await view.page.evaluate('globalThis.owned'), undefined);
    assert.match(await view.page.locator('main').innerText(), /\[U\+202E\]/);
    assert.doesNotMatch(await view.page.locator('main').innerText(), /\u202e/);
  });

  it('ignores invalid messages', async () => {
    await show();
    await view.page.evaluate(
      "window.postMessage({ kind: 'snapshot', results: { table: 7 } }, '*')",
    );
    await view.page.evaluate("window.postMessage('hello', '*')");
    assert.deepEqual(await names(), ['late', 'early', 'lost']);
  });

  for (const scheme of ['light', 'dark'] as const) {
    it(`fits a narrow panel, with contrast enough, in ${scheme}`, async () => {
      await view.close();
      const dark =
        ':root { --vscode-foreground: #ccc; --vscode-editor-background: #1f1f1f; --vscode-descriptionForeground: #9d9d9d; --vscode-editorWidget-background: #202020; --vscode-input-background: #313131; --vscode-input-foreground: #ccc; --vscode-testing-iconPassed: #73c991; --vscode-testing-iconFailed: #f48771; --vscode-testing-iconErrored: #e2c08d }';
      const light =
        ':root { --vscode-foreground: #3b3b3b; --vscode-editor-background: #fff; --vscode-descriptionForeground: #636363; --vscode-testing-iconPassed: #2e7d32; --vscode-testing-iconFailed: #c72e2e; --vscode-testing-iconErrored: #9a5b00 }';
      view = await openPage(browser, { page: 'results', style: scheme === 'dark' ? dark : light });
      await view.page.setViewportSize({ width: 420, height: 700 });
      await show(buildResults(manyCases(40)));
      assert.deepEqual(await paleTexts(view.page), []);
      const wide = await view.page.evaluate(
        'document.documentElement.scrollWidth > document.documentElement.clientWidth',
      );
      assert.equal(wide, false);
      const box = await grid().boundingBox();
      assert.ok(box && box.height > 200, `the table is ${box?.height} high`);
      const path = join(CHECKOUT, '.cache/screenshots', `results-narrow-${scheme}.png`);
      await view.page.screenshot({ path });
    });
  }
});
