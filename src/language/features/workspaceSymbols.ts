import type { SymbolKind, WorkspaceSymbol } from 'vscode-languageserver-types';
import { visibleLine } from '../../core/text/visibleText.ts';
import type { LoadedSuite, OutlineCase } from '../../evalfile/loadedSuite.ts';
import { type Step, stepsOf } from '../../node/cooperative.ts';

/** LSP's `SymbolKind.Class`. */
const CASE: SymbolKind = 5;

/**
 * The cases of all suites whose id or description holds the letters of the query in their order,
 * whatever stands between: `rfnd` finds `refund`. The nearest come first; no query finds every case.
 */
export async function workspaceSymbols(
  query: string,
  suites: readonly LoadedSuite[],
  uriOf: (path: string) => string,
  step: Step = stepsOf(),
): Promise<WorkspaceSymbol[]> {
  const letters = query.toLowerCase().replace(/\s+/g, '');
  const found = new Map<string, { readonly symbol: WorkspaceSymbol; readonly rank: number }>();
  for (const suite of suites) {
    await step();
    const containerName = visibleLine(suite.suite?.name ?? suite.path.replace(/^.*\//, ''));
    for (const one of suite.outline) {
      const rank = rankOf(one, letters);
      const { start } = one.nameRange;
      // A case of an included file stands in several suites.
      const place = `${one.path}:${start.line}:${start.character}`;
      if (rank === undefined || found.has(place)) continue;
      const location = { uri: uriOf(one.path), range: one.nameRange };
      const symbol = { name: nameOf(one), kind: CASE, containerName, location };
      found.set(place, { symbol, rank });
    }
  }
  return [...found.values()].sort((a, b) => a.rank - b.rank).map(({ symbol }) => symbol);
}

function nameOf({ id, description }: OutlineCase): string {
  return visibleLine(id ?? description ?? '') || '(no id)';
}

/** 0 if the name begins with the query, then where it holds it, then where only its letters. */
function rankOf({ id, description }: OutlineCase, letters: string): number | undefined {
  const name = (id ?? '').toLowerCase();
  if (name.startsWith(letters)) return 0;
  if (name.includes(letters)) return 1;
  if (hasLetters(name, letters)) return 2;
  return hasLetters((description ?? '').toLowerCase(), letters) ? 3 : undefined;
}

function hasLetters(text: string, letters: string): boolean {
  let from = 0;
  for (const letter of letters) {
    const at = text.indexOf(letter, from);
    if (at < 0) return false;
    from = at + letter.length;
  }
  return true;
}
