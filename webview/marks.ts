import { visibleText } from '../src/core/text/visibleText.ts';
import type { Status } from '../src/core/verdict.ts';
import { h } from './h.ts';
import { renderMarkdown } from './markdown.ts';
import { type Span, TextIndex } from './textIndex.ts';

export interface Quotation {
  readonly text: string;
  /** What the verdict that gives the quote says of the turn. */
  readonly status: Status;
}

/** Where quotes overlap, the last of these is seen. */
const PAINTED: readonly Status[] = ['skipped', 'pass', 'error', 'fail'];

/** Words of ours between those of the turn. */
const LABELS = '.label';

/** Marks quotes in what was said, in arguments and results, and opens what they are folded in. */
export function markQuotes(root: HTMLElement, quotes: readonly Quotation[]): void {
  if (quotes.length === 0) return;
  const index = new TextIndex([root], LABELS);
  const marked = new Uint8Array(index.length);
  for (const [level, status] of PAINTED.entries()) {
    for (const quote of quotes) {
      const span = quote.status === status ? find(index, quote.text) : undefined;
      if (span) marked.fill(level + 1, span.start, span.end);
    }
  }
  for (const { span, level } of runsOf(marked).reverse()) {
    const pieces = index
      .pieces(span)
      .filter(({ node, from, to }) => /\S/.test(node.data.slice(from, to)));
    for (const [place, { node, from, to }] of [...pieces.entries()].reverse()) {
      const range = document.createRange();
      range.setStart(node, from);
      range.setEnd(node, to);
      const status = PAINTED[level - 1];
      range.surroundContents(h('mark', { 'data-status': status, 'data-first': place === 0 }));
    }
  }
  for (const details of root.querySelectorAll('details:has(mark)')) {
    details.setAttribute('open', '');
  }
}

/** A judge quotes what was written; on the page stands what Markdown makes of it. */
function find(index: TextIndex, quote: string): Span | undefined {
  return (
    index.findWords(visibleText(quote)) ??
    index.findWords(renderMarkdown(quote).textContent ?? '') ??
    index.findWords(visibleText(quote.replace(/[*_`#>]/g, '')))
  );
}

function runsOf(marked: Uint8Array): { readonly span: Span; readonly level: number }[] {
  const runs: { span: Span; level: number }[] = [];
  let start = 0;
  for (let end = 1; end <= marked.length; end += 1) {
    if (marked[end] === marked[start]) continue;
    const level = marked[start] ?? 0;
    if (level > 0) runs.push({ span: { start, end }, level });
    start = end;
  }
  return runs;
}
