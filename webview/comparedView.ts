import { turnsOf } from '../src/core/conversation.ts';
import type { Verdict } from '../src/core/verdict.ts';
import type { Snapshot } from '../src/protocol/viewProtocol.ts';
import { ElementCache } from './elementCache.ts';
import { renderAssertion } from './render/assertion.ts';
import type { ConversationOptions } from './render/conversation.ts';
import { assertionPairs, beforeOf, pairHeads, pairItems, renderCompared } from './render/pair.ts';
import { type AssertionRow, assertionRows, titleOf } from './render/stated.ts';
import type { Item } from './virtualList.ts';

export interface ComparedOptions extends ConversationOptions {
  /** Shows a turn that a verdict speaks of. */
  readonly onFollow: (turn: number) => void;
  /** Undefined where no file can be opened. */
  readonly onAssertion: ((index: number) => void) | undefined;
}

/** What of a page is of two runs. */
export interface ComparedParts {
  readonly above: readonly HTMLElement[];
  readonly heads: readonly HTMLElement[];
  /** In place of those of one run; absent where only one of the runs has the case. */
  readonly pair?: { readonly verdicts: readonly HTMLElement[]; readonly items: readonly Item[] };
}

/** A case in two runs: what is said of both, and their conversations side by side. */
export class ComparedView {
  /** For the first run; the second has that of the page. */
  readonly #before: ElementCache;

  /** @param onMade as of `ElementCache` */
  constructor(onMade: (element: HTMLElement) => void) {
    this.#before = new ElementCache(onMade);
  }

  reset(): void {
    this.#before.reset();
  }

  parts(snapshot: Snapshot, options: ComparedOptions): ComparedParts {
    const { compared } = snapshot;
    const { cache } = options;
    if (!compared) return { above: [], heads: [] };
    const above = [cache.get('compared', compared, () => renderCompared(compared, snapshot))];
    if (!compared.base) return { above, heads: [] };
    const before = beforeOf(snapshot, compared.base);
    const rows = { base: assertionRows(before), head: assertionRows(snapshot) };
    const render = { base: rowIn(before, options), head: rowIn(snapshot, options) };
    const title = (verdict: Verdict) => {
      const row = rows.base.find((one) => one.verdict === verdict);
      return row ? titleOf(row) : verdict.assertion.name;
    };
    const base = { ...options, cache: this.#before, titleOf: title, onOpen: undefined };
    return {
      above,
      heads: [cache.get('heads', '', pairHeads)],
      pair: {
        verdicts: assertionPairs(compared, rows, render, cache),
        items: pairItems(snapshot, before, { base, head: options, cache }),
      },
    };
  }
}

/** Renders the verdicts of a conversation. */
function rowIn(
  { conversation }: Snapshot,
  { onFollow, onAssertion }: ComparedOptions,
): (row: AssertionRow) => HTMLElement {
  const numbers = new Set(turnsOf(conversation).map(({ number }) => number));
  const turns = { numbers, onFollow };
  const none = { labels: () => undefined, onSaw: undefined };
  const options = { running: false, stale: false, turns, onOpen: onAssertion, ...none };
  return (row) => renderAssertion(row, options);
}
