import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { RunResults } from '../../src/extension/results/runResults.ts';
import type { ToResults } from '../../src/protocol/resultsProtocol.ts';
import { searchRecords } from '../../src/store/records/search.ts';
import { launchBrowser } from '../../test/support/host/browser.ts';
import { openPage } from '../../test/support/view/viewPage.ts';
import type { Missing } from '../npmTool.ts';
import { type Result, say, today } from '../print.ts';
import { median, sideBySide } from '../processes.ts';
import { act, EARLY, elementsOf, type Frames, GRID, heapOf, scrolled, timed } from './acts.ts';
import { type ComparedRound, measureCompared } from './compared.ts';
import { PromptfooView, type TheirRound } from './promptfooView.ts';
import { casesOf, recordOf } from './record.ts';

export interface BenchResult extends Result {
  readonly cases: number;
  readonly assertions: number;
  /** Size of the record, in bytes. */
  readonly bytes: number;
  readonly rounds: number;
  readonly ours: Medians<Round>;
  /** Measurements of promptfoo's view with the same cases. */
  readonly theirs: Theirs | Missing;
}

/** In milliseconds, except for the number of elements, and memory in bytes. */
export type Medians<Measured> = Readonly<Record<keyof Measured, number>>;

export interface Theirs {
  readonly medians: Medians<TheirRound>;
  /** The median over the rounds of the ratio theirs ÷ ours. */
  times(theirs: keyof TheirRound, ours: keyof Round): number;
  /** Milliseconds that promptfoo's import takes. */
  readonly imported: number;
}

/** Measurements of one round. */
export interface Round extends ComparedRound, Frames {
  /** In the extension: from the record on disk to the table. */
  readonly read: number;
  /** In the page: from the message to the rows on screen. */
  readonly drawn: number;
  /** From the start to the first rows, which show what was read within `EARLY`. */
  readonly opened: number;
  readonly sorted: number;
  readonly filtered: number;
  /** In the extension: a text search in the whole conversations. */
  readonly searched: number;
  /** Number of elements on the page. */
  readonly nodes: number;
  /** Memory of the page's scripts. */
  readonly page: number;
  /** Memory that the extension uses for the run. */
  readonly heap: number;
}

const CASES = 10_000;
const ASSERTIONS = 8;
/** @param withPromptfoo whether to measure promptfoo's view too */
export async function runBench(count: number, withPromptfoo: boolean): Promise<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'turnlight-results-'));
  const browser = await launchBrowser();
  let peer: PromptfooView | Missing = { missing: 'promptfoo was left out' };
  try {
    const record = join(folder, 'run.jsonl');
    const other = join(folder, 'other.jsonl');
    {
      const [base, head] = [casesOf(CASES, ASSERTIONS), casesOf(CASES, ASSERTIONS, 5)];
      await writeFile(record, recordOf(base));
      await writeFile(other, recordOf(head));
      if (withPromptfoo) peer = await PromptfooView.start(folder, base, head);
    }
    const rounds: Round[] = [];
    const theirRounds: TheirRound[] = [];
    const faults: string[] = [];
    for (let round = 1; round <= count; round += 1) {
      const own = await measure(record, folder, browser, faults);
      rounds.push({ ...own, ...(await measureCompared([record, other], folder, CASES, browser)) });
      if (peer instanceof PromptfooView) theirRounds.push(await peer.measure(browser));
      say(`round ${round} of ${count}`);
    }
    const theirs = peer instanceof PromptfooView && {
      medians: mediansOf(theirRounds),
      times: (one: keyof TheirRound, own: keyof Round) =>
        sideBySide(
          theirRounds.map((round) => round[one]),
          rounds.map((round) => round[own]),
        ),
      imported: peer.imported,
    };
    return {
      date: today(),
      faults: [...new Set(faults)],
      ...{ cases: CASES, assertions: ASSERTIONS, rounds: count },
      bytes: (await stat(record)).size,
      ours: mediansOf(rounds),
      theirs: theirs || (peer as Missing),
    };
  } finally {
    if (peer instanceof PromptfooView) await peer.close();
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
  const read = await timed(() => results.readNew());
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
    const nodes = await elementsOf(view.page);
    const frames = await scrolled(view.page, GRID);
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
      ...frames,
      nodes,
      heap,
      page: await heapOf(view.page),
    };
  } finally {
    await view.close();
  }
}

/**
 * Reads a record and captures the message with partial results. @returns the message, and the milliseconds until it was
 * ready
 */
async function readEarly(record: string, root: string) {
  const results = new RunResults(new Map([[record, root]]), (path) => path);
  const began = performance.now();
  const reading = results.readNew();
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

function mediansOf<Measured extends object>(rounds: readonly Measured[]): Medians<Measured> {
  const names = Object.keys(rounds[0] ?? {}) as (keyof Measured)[];
  const each = names.map((name) => [name, median(rounds.map((one) => Number(one[name])))]);
  return Object.fromEntries(each) as Medians<Measured>;
}
