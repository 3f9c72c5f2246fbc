import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe } from 'node:test';
import type { Browser, Locator } from 'playwright-core';
import type { Snapshot } from '../../../src/protocol/viewProtocol.ts';
import { launchBrowser } from '../host/browser.ts';
import { buildSnapshot } from './snapshots.ts';
import { openView, type ViewPage } from './viewPage.ts';

export interface ViewTests {
  /** The current test's page. */
  view(): ViewPage;
  /** Sends a snapshot and waits until it is drawn. */
  show(snapshot?: Snapshot): Promise<void>;
  turn(number: number): Locator;
  /** Moves the focus to a turn, as if a person came from its line in the file. */
  reveal(number: number): Promise<void>;
  /** The `data-focus` value of the focused element. */
  focused(): Promise<string | undefined>;
}

/** Describes tests of the view in a browser with the real content security policy, which no test may violate. */
export function describeView(what: string, tests: (tools: ViewTests) => void): void {
  describe(what, { timeout: 120_000 }, () => {
    let browser: Browser;
    let view: ViewPage;
    let shown = 0;

    before(async () => {
      browser = await launchBrowser();
    });
    after(() => browser?.close());
    beforeEach(async () => {
      view = await openView(browser);
      shown = 0;
    });
    afterEach(async () => {
      const violations = await view.violations();
      await view.close();
      assert.deepEqual(violations, []);
      assert.deepEqual(view.strangers, []);
    });

    tests({
      view: () => view,
      async show(snapshot = buildSnapshot()) {
        // The view stores the state of the last snapshot that it drew.
        shown += 1;
        const state = { ...snapshot.state, record: `/run-${shown}.jsonl` };
        await view.send({ kind: 'snapshot', snapshot: { ...snapshot, state } });
        await view.until(`globalThis.kept?.record === '/run-${shown}.jsonl'`);
      },
      turn: (number) => view.page.locator(`[data-turn="${number}"]`),
      async reveal(number) {
        await view.send({ kind: 'reveal-turn', turn: number });
        await view.until(`document.activeElement.dataset.turn === '${number}'`);
      },
      focused: () =>
        view.page.evaluate("document.activeElement?.closest('[data-focus]')?.dataset.focus"),
    });
  });
}
