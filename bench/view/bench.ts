import type { Browser } from 'playwright-core';
import { buildVerdict } from '../../test/support/build.ts';
import { launchBrowser } from '../../test/support/host/browser.ts';
import { buildSnapshot, entry, longTalk } from '../../test/support/view/snapshots.ts';
import { openView } from '../../test/support/view/viewPage.ts';
import { type Result, say, today } from '../print.ts';
import { median } from '../processes.ts';

export const MOST_TIME = 300;
export const MOST_NODES = 500;

const SIZES = [20, 200, 2000];
const ROUNDS = 9;

export interface Row {
  readonly turns: number;
  /** Milliseconds from the message with the conversation to the frame after it is drawn. */
  readonly time: number;
  /** Number of elements in the view. */
  readonly nodes: number;
}

export interface BenchResult extends Result {
  readonly rows: readonly Row[];
}

export async function runBench(): Promise<BenchResult> {
  const browser = await launchBrowser();
  try {
    const rows: Row[] = [];
    for (const turns of SIZES) {
      say(`Showing ${turns} turns …`);
      const measured: Omit<Row, 'turns'>[] = [];
      for (let round = 0; round < ROUNDS; round += 1) measured.push(await paint(browser, turns));
      const middle = (key: 'time' | 'nodes') => median(measured.map((one) => one[key]));
      rows.push({ turns, time: middle('time'), nodes: middle('nodes') });
    }
    return { date: today(), rows, faults: [] };
  } finally {
    await browser.close();
  }
}

/** Draws one conversation in its own page. Every other turn is judged, and one in fifty of those fails. */
async function paint(browser: Browser, turns: number): Promise<Omit<Row, 'turns'>> {
  const entries = Array.from({ length: turns / 2 }, (_, index) => 2 * (index + 1)).map((turn) =>
    entry(turn, turn % 100 === 0 ? 'fail' : 'pass', `said in turn ${turn}`),
  );
  const verdict = buildVerdict({ status: 'fail', score: 0.9, turns: entries });
  const snapshot = buildSnapshot({ conversation: longTalk(turns), verdicts: [verdict] });
  const view = await openView(browser);
  try {
    return await view.page.evaluate(`(async () => {
      const frame = () => new Promise(requestAnimationFrame);
      const began = performance.now();
      window.postMessage(${JSON.stringify({ kind: 'snapshot', snapshot })}, '*');
      while (!document.querySelector('.turn')) await new Promise((done) => setTimeout(done));
      await frame();
      await frame();
      return { time: performance.now() - began, nodes: document.querySelectorAll('#app *').length };
    })()`);
  } finally {
    await view.close();
  }
}
