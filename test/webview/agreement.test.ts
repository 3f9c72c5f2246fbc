import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { agreementOf } from '../../src/analysis/agreement.ts';
import { ComparisonData } from '../../src/analysis/comparisonData.ts';
import { shownAgreement } from '../../src/extension/agreement/shownAgreement.ts';
import { conversationHash } from '../../src/node/hashes.ts';
import type {
  AgreementSnapshot,
  FromAgreement,
  ToAgreement,
} from '../../src/protocol/agreementProtocol.ts';
import { buildVerdict, judgedLine } from '../support/comparing.ts';
import { launchBrowser } from '../support/host/browser.ts';
import { openPage } from '../support/view/viewPage.ts';

const lines = [0, 1, 2, 3, 4, 5].map((id) =>
  judgedLine(`case-${id}`, [buildVerdict(id < 3 ? 0 : 1), buildVerdict(1, { key: 'Brief' })], {
    said: `Reply ${id}`,
  }),
);

function agreementShown(): AgreementSnapshot {
  const data = new ComparisonData();
  for (const line of lines) data.add(line);
  const labels = lines.flatMap((line, id) =>
    ['Kind', 'Brief'].map((assertion) => ({
      case: line.id,
      assertion,
      conversation_hash: conversationHash(line.conversation),
      status: (id % 2 === 0 ? 'pass' : 'fail') as 'pass' | 'fail',
      comment: 'Says <b>so</b>',
      at: '2026-01-01T00:00:00.000Z',
      person: 'ann',
      path: '/work/suite.labels/ann.jsonl',
      line: id,
    })),
  );
  const problems = [
    { path: '/work/suite.labels/ann.jsonl', line: 9, message: 'This line is not JSON.' },
  ];
  return shownAgreement(agreementOf(labels, data), { labels, problems }, (path) => path.slice(6));
}

describe('the agreement view', { timeout: 120_000 }, () => {
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser?.close());

  const open = () => openPage<ToAgreement, FromAgreement>(browser, { page: 'agreement' });

  it('shows the numbers of the command line, and opens each disagreement with keys only', async () => {
    const view = await open();
    const { page } = view;
    await view.send({ kind: 'snapshot', agreement: agreementShown() });
    await view.until("document.activeElement?.dataset.focus === 'row 0'");
    const rows = await page.locator('.wide tbody tr').allInnerTexts();
    assert.match(
      rows[1]?.replace(/\s+/g, ' ') ?? '',
      /^openai:judge Kind cases 6 0\.33 0\.33 0\.33 -0\.33/,
    );
    assert.match(
      await page.locator('.notice').innerText(),
      /suite\.labels\/ann\.jsonl:9: This line is not JSON/,
    );
    for (const key of ['ArrowDown', 'Enter']) await page.keyboard.press(key);
    const button = page.locator('[data-focus="row 1"]');
    assert.equal(await button.getAttribute('aria-pressed'), 'true');
    assert.equal(
      (await page.locator('.confusion').innerText()).replace(/\s+/g, ' ').trim(),
      'People: failed People: passed Judge: failed 1 2 Judge: passed 2 1',
    );
    const items = page.locator('.items button');
    assert.equal(await items.count(), 4);
    assert.equal(
      await items.first().getAttribute('aria-label'),
      'case-0, Kind: openai:judge failed, ann: passed',
    );
    assert.match(await page.locator('.items').innerText(), /Says <b>so<\/b>/);
    await items.first().focus();
    for (const key of ['ArrowDown', 'Enter']) await page.keyboard.press(key);
    const shown = agreementShown().rows[1]?.disagreements[1];
    assert.deepEqual((await view.posted()).at(-1), { kind: 'open', disagreement: shown });
    assert.deepEqual(await view.violations(), []);
    await view.close();
  });

  it('says what to do if nothing is labeled', async () => {
    const view = await open();
    const none = { ...agreementShown(), labels: 0, rows: [], disagreements: [], problems: [] };
    await view.send({ kind: 'snapshot', agreement: none });
    await view.page.getByText('No verdicts are labeled yet').waitFor();
    await view.close();
  });

  it('draws the agreement at other thresholds, next to a table', async () => {
    const view = await open();
    const { page } = view;
    await view.send({ kind: 'snapshot', agreement: agreementShown() });
    assert.equal(await page.locator('.charts').count(), 0);
    await page.getByRole('button', { name: /^Kind, cases/ }).click();
    assert.equal(await page.locator('.charts figure').count(), 3);
    assert.match(
      await page.locator('.charts figcaption').first().innerText(),
      /^Precision at the best threshold: \d/,
    );
    const rows = await page.locator('.thresholds tbody tr').allInnerTexts();
    assert.equal(rows.length, 2);
    assert.ok(rows.some((row) => /best/.test(row)) && rows.some((row) => /current/.test(row)));
    await page.getByText(/agrees best with people\. If each verdict uses the threshold/).waitFor();
    assert.deepEqual(await view.violations(), []);
    await view.close();
  });
});
