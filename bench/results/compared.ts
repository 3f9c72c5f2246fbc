import type { Browser } from 'playwright-core';
import { ComparedRuns } from '../../src/extension/comparison/comparedRuns.ts';
import type { Findings, ToResults } from '../../src/protocol/resultsProtocol.ts';
import { findingsOf } from '../../src/report/comparedTable.ts';
import { openPage } from '../../test/support/view/viewPage.ts';
import { watchBlocks } from '../blocks.ts';
import { act, EARLY, elementsOf, GRID, scrolled, timed } from './acts.ts';

/** Measurements of one round with two compared runs. */
export interface ComparedRound {
  /** From the start to the first rows, which show the cases found in both runs within `EARLY`. */
  readonly comparedOpened: number;
  /** In the extension: from two records on disk to the table. */
  readonly comparedRead: number;
  /** In the extension: the statistics of all cases. */
  readonly findings: number;
  /** The longest time that the extension was blocked during both, in CPU time of its thread. */
  readonly comparedBlock: number;
  /** In the page: from the message to the rows on screen. */
  readonly comparedDrawn: number;
  /** Filtering with *Only worse*. */
  readonly comparedFiltered: number;
  readonly comparedFrame: number;
  readonly comparedNodes: number;
}

/** @param records paths of the two runs' records @param cases number of cases in each run */
export async function measureCompared(
  [base, head]: readonly [string, string],
  root: string,
  cases: number,
  browser: Browser,
): Promise<ComparedRound> {
  const open = () => new ComparedRuns(new Map([[base, root]]), new Map([[head, root]]));
  const first = open();
  const began = performance.now();
  const reading = first.readNew();
  await new Promise((done) => setTimeout(done, EARLY));
  first.compareEarly();
  const early = structuredClone(messageOf(first));
  const after = performance.now() - began;
  await reading;
  const runs = open();
  const longestBlock = watchBlocks();
  const comparedRead = await timed(() => runs.readNew());
  const findings = await timed(async () => void (await runs.comparison()));
  const comparedBlock = longestBlock();
  const comparison = await runs.comparison();
  const whole = messageOf(runs, comparison && findingsOf(comparison));
  const view = await openPage<ToResults, unknown>(browser, { page: 'results' });
  try {
    await view.page.evaluate(`globalThis.early = ${JSON.stringify(early)}`);
    await view.page.evaluate(`globalThis.message = ${JSON.stringify(whole)}`);
    const opened = await view.page.evaluate<number>(
      act("postMessage(globalThis.early, '*')", "document.querySelector('.grid .body .row')"),
    );
    const comparedDrawn = await view.page.evaluate<number>(
      act(
        "postMessage(globalThis.message, '*')",
        `document.querySelector('.grid').getAttribute('aria-rowcount') === '${cases + 1}'`,
      ),
    );
    const comparedNodes = await elementsOf(view.page);
    const { frame: comparedFrame } = await scrolled(view.page, GRID);
    const comparedFiltered = await view.page.evaluate<number>(
      act(
        `(() => {
          const menu = document.querySelector('[aria-label="Change"]');
          menu.value = 'worse';
          menu.dispatchEvent(new Event('change'));
        })()`,
        "document.querySelector('.count').textContent.includes(' of ')",
      ),
    );
    return {
      comparedOpened: after + opened,
      ...{ comparedRead, findings, comparedBlock, comparedDrawn },
      ...{ comparedFiltered, comparedFrame, comparedNodes },
    };
  } finally {
    await view.close();
  }
}

function messageOf(runs: ComparedRuns, findings?: Findings): ToResults {
  const { table } = runs;
  const about = { records: ['b.jsonl'], title: 'Comparison', facts: [], problems: [] };
  return {
    kind: 'snapshot',
    results: {
      ...about,
      ...{ phase: 'over', generation: runs.generation, table },
      comparison: { base: ['a.jsonl'], ...(findings && { findings }) },
    },
  };
}
