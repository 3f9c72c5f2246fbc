import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { RunResults } from '../../src/extension/results/runResults.ts';
import type { ToResults } from '../../src/protocol/resultsProtocol.ts';
import { searchRecords } from '../../src/store/searchRecords.ts';
import { launchBrowser } from '../../test/support/host/browser.ts';
import { openPage } from '../../test/support/view/viewPage.ts';
import { type Result, say, today } from '../print.ts';
import { act, EARLY, SCROLL, timed } from './acts.ts';
import { type ComparedRound, measureCompared } from './compared.ts';
import { recordOf } from './record.ts';

export interface BenchResult extends Result {
  readonly cases: number;
  readonly assertions: number;
  /** Of the record, in bytes. */
  readonly bytes: number;
  readonly rounds: number;
  /** Medians. Milliseconds, but for `nodes` and `heap`, in bytes. */
  readonly medians: Readonly<Record<keyof Round, number>>;
}

/** What one round measured. */
interface Round extends ComparedRound {
  /** In the extension: from the record on the disk to the table. */
  readonly read: number;
  /** In the page: from the message to the drawn rows. */
  readonly drawn: number;
  /** From the start to the first rows: those of what was read after `EARLY`. */
  readonly opened: number;
  readonly sorted: number;
  readonly filtered: number;
  /** In the extension: a text looked for in all that was said. */
  readonly searched: number;
  /** Between two frames while the table is scrolled through, and its 95th percentile. */
  readonly frame: number;
  readonly slowFrame: number;
  /** Elements of the page. */
  readonly nodes: number;
  /** What the extension holds of the run. */
  readonly heap: number;
}

const CASES = 10_000;
const ASSERTIONS = 8;
const ROUNDS = 9;

export async function runBench(): Promise<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'turnlight-results-'));
  const browser = await launchBrowser();
  try {
    const record = join(folder, 'run.jsonl');
    await writeFile(record, recordOf(CASES, ASSERTIONS));
    const other = join(folder, 'other.jsonl');
    await writeFile(other, recordOf(CASES, ASSERTIONS, 5));
    const rounds: Round[] = [];
    const faults: string[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const own = await measure(record, folder, browser, faults);
      rounds.push({ ...own, ...(await measureCompared([record, other], folder, CASES, browser)) });
      say(`round ${round} of ${ROUNDS}`);
    }
    const [first] = rounds;
    if (!first) throw new Error('Internal error: no round.');
    const names = Object.keys(first) as (keyof Round)[];
    const medians = names.map((name) => [name, median(rounds.map((one) => one[name]))] as const);
    return {
      date: today(),
      faults: [...new Set(faults)],
      cases: CASES,
      assertions: ASSERTIONS,
      bytes: (await stat(record)).size,
      rounds: ROUNDS,
      medians: Object.fromEntries(medians) as BenchResult['medians'],
    };
  } finally {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(
  record: string,
  root: string,
  browser: Browser,
  faults: string[],
): Promise<Omit<Round, keyof ComparedRound>> {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const results = new RunResults(new Map([[record, root]]), (path) => path);
  const read = await timed(() => results.readOn());
  globalThis.gc?.();
  const heap = process.memoryUsage().heapUsed - before;
  let found = 0;
  const searched = await timed(async () => {
    const { signal } = new AbortController();
    for await (const { cases } of searchRecords(results.places, 'order 777 ', 0, signal)) {
      found += cases.length;
    }
  });
  if (found !== 1) faults.push(`the search found ${found} cases, not 1`);
  const message = messageOf(results, 'over');
  const { early, after } = await readEarly(record, root);
  const view = await openPage<ToResults, unknown>(browser, { page: 'results' });
  try {
    await view.page.evaluate(`globalThis.early = ${JSON.stringify(early)}`);
    await view.page.evaluate(`globalThis.message = ${JSON.stringify(message)}`);
    const opened = await view.page.evaluate<number>(
      act("postMessage(globalThis.early, '*')", "document.querySelector('.grid .body .row')"),
    );
    const drawn = await view.page.evaluate<number>(
      act(
        "postMessage(globalThis.message, '*')",
        `document.querySelector('.grid').getAttribute('aria-rowcount') === '${CASES + 1}'`,
      ),
    );
    const nodes = await view.page.evaluate<number>("document.querySelectorAll('*').length");
    const { frame, slowFrame } = await view.page.evaluate<{ frame: number; slowFrame: number }>(
      SCROLL,
    );
    const sorted = await view.page.evaluate<number>(
      act(
        "document.querySelector('#cell-head-2').click()",
        "document.querySelector('#cell-head-2').getAttribute('aria-sort') === 'ascending'",
      ),
    );
    const filtered = await view.page.evaluate<number>(
      act(
        `(() => {
          const menu = document.querySelector('[aria-label="Status"]');
          menu.value = 'fail';
          menu.dispatchEvent(new Event('change'));
        })()`,
        "document.querySelector('.count').textContent.includes(' of ')",
      ),
    );
    return {
      read,
      drawn,
      opened: after + opened,
      sorted,
      filtered,
      searched,
      frame,
      slowFrame,
      nodes,
      heap,
    };
  } finally {
    await view.close();
  }
}

/** What is shown before all of a record is read. @returns it, and after how many milliseconds */
async function readEarly(record: string, root: string) {
  const results = new RunResults(new Map([[record, root]]), (path) => path);
  const began = performance.now();
  const reading = results.readOn();
  await new Promise((done) => setTimeout(done, EARLY));
  const early = structuredClone(messageOf(results, 'reading'));
  const after = performance.now() - began;
  await reading;
  return { early, after };
}

function messageOf({ table }: RunResults, phase: 'reading' | 'over'): ToResults {
  const about = { records: ['run.jsonl'], title: 'run', facts: [], problems: [], generation: 0 };
  return { kind: 'snapshot', results: { ...about, phase, table } };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
