import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import type { FromTrends, ToTrends, Trends } from '../../src/protocol/trendsProtocol.ts';
import { launchBrowser } from '../support/host/browser.ts';
import { CHECKOUT } from '../support/host/install.ts';
import { paleTexts } from '../support/view/contrast.ts';
import { openPage, type ViewPage } from '../support/view/viewPage.ts';

const point = (run: number, rate: number | null) => ({
  ...{
    run,
    conversations: 4,
    cases: 3,
    errored: run === 3 ? 1 : 0,
    passRate: rate,
    score: rate,
    cost: 0.01 * run,
    latency: 900 + 100 * run,
  },
});

const TRENDS: Trends = {
  runs: [0, 1, 2, 3].map((run) => ({
    title: '<b>suite</b>',
    time: `Jan ${run + 1}`,
    ...(run > 0 && { commit: `5d1c0a7${run}` }),
  })),
  suites: [
    {
      name: 'All eval files',
      points: [point(0, 0.5), point(1, 0.75), point(2, null), point(3, 0.9)],
    },
    { name: 'a.eval.yaml', points: [point(1, 1)] },
  ],
};

const THEMES = {
  dark: ':root { --vscode-foreground: #ccc; --vscode-editor-background: #1f1f1f; --vscode-descriptionForeground: #9d9d9d; --vscode-textLink-foreground: #4daafc }',
  light:
    ':root { --vscode-foreground: #3b3b3b; --vscode-editor-background: #fff; --vscode-descriptionForeground: #636363; --vscode-textLink-foreground: #005fb8 }',
};

describe('the trends view', { timeout: 120_000 }, () => {
  let browser: Browser;
  let view: ViewPage<ToTrends, FromTrends>;

  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser?.close());
  beforeEach(async () => {
    view = await openPage(browser, { page: 'trends' });
  });
  afterEach(async () => {
    const violations = await view.violations();
    await view.close();
    assert.deepEqual(violations, []);
  });

  const show = async (trends = TRENDS) => {
    await view.send({ kind: 'snapshot', trends });
    await view.until("document.querySelector('h1, p') !== null");
  };
  const opened = async () => (await view.posted()).filter(({ kind }) => kind === 'open');

  it('draws a line per measure, whose points open their runs', async () => {
    await show();
    const dots = await view.page.locator('figure').first().locator('.dot').count();
    assert.equal(dots, 3, 'a run without a rate has no point');
    assert.match(await view.page.locator('figure').first().innerText(), /Pass rate 90%/);
    await view.page.locator('figure').first().locator('.dot').nth(1).click();
    assert.deepEqual(await opened(), [{ kind: 'open', run: 1 }]);
  });

  it('shows the same values in a table, newest run first, which opens runs by key', async () => {
    await show();
    const rows = await view.page.locator('tbody tr').allInnerTexts();
    assert.equal(rows.length, 4);
    assert.match(rows[0] ?? '', /3 cases, 4 conversations, 1 errored$/);
    assert.match(rows[0] ?? '', /Jan 4 <b>suite<\/b>\s+5d1c0a73\s+90%\s+0\.90\s+0\.03/);
    const first = view.page.getByRole('link', {
      name: 'Open the results of <b>suite</b> of Jan 4',
    });
    await first.press('Enter');
    assert.deepEqual(await opened(), [{ kind: 'open', run: 3 }]);
  });

  it('shows one eval file, and says if there are no runs', async () => {
    await show();
    await view.page.getByRole('combobox', { name: 'Eval file', exact: true }).click();
    await view.page.getByRole('option', { name: 'a.eval.yaml' }).click();
    await view.until("document.querySelectorAll('tbody tr').length === 1");
    assert.deepEqual(await view.page.evaluate('globalThis.kept'), { suite: 'a.eval.yaml' });
    await show({ runs: [], suites: [] });
    await view.until("document.body.textContent.includes('No run has a finished case.')");
  });

  for (const [scheme, style] of Object.entries(THEMES)) {
    it(`fits a narrow panel, with contrast enough, in ${scheme}`, async () => {
      await view.close();
      view = await openPage(browser, { page: 'trends', style });
      await show();
      const picture = (name: string) => join(CHECKOUT, '.cache/screenshots', `${name}.png`);
      await view.page.screenshot({ path: picture(`trends-${scheme}`) });
      await view.page.setViewportSize({ width: 420, height: 900 });
      assert.deepEqual(await paleTexts(view.page), []);
      const isWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
      assert.equal(await view.page.evaluate(isWide), false);
      await view.page.screenshot({ path: picture(`trends-narrow-${scheme}`) });
    });
  }
});
