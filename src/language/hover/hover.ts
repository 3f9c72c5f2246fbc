import type { Hover } from 'vscode-languageserver-types';
import type { Position } from '../../core/problem.ts';
import type { CasesNow } from '../../evalfile/caseChanges.ts';
import type { EvalDocument, LastRuns, LastVariants, PastRuns } from '../ports.ts';
import type { SymbolPorts } from '../symbols/sameSymbol.ts';
import { documentation } from './keyMarkdown.ts';
import { lastVerdict } from './lastVerdict.ts';
import { symbolHover } from './symbolMarkdown.ts';
import { chosenTurns } from './turnTexts.ts';

/**
 * On a key its documentation, on an assertion type what it asks; on a name or a path what it stands
 * for, on a turn's number what is said in it; on a case's id, a turn or an assertion what the last
 * run said about it.
 *
 * @param around without it, names and paths say nothing
 */
export async function hover(
  document: EvalDocument,
  position: Position,
  lastRuns: LastRuns,
  around?: SymbolPorts,
  lastVariants?: LastVariants,
  casesNow?: CasesNow,
  pastRuns?: PastRuns,
): Promise<Hover | undefined> {
  const help =
    (await chosenTurns(document, position, lastRuns)) ??
    (around && (await symbolHover(document.yaml.path, position, around))) ??
    documentation(document.yaml, position);
  const verdict = await lastVerdict(document, position, lastRuns, lastVariants, casesNow, pastRuns);
  const parts = [verdict?.markdown, help?.markdown].filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  const range = help?.range ?? verdict?.range;
  return {
    contents: { kind: 'markdown', value: parts.join('\n\n---\n\n') },
    ...(range && { range }),
  };
}

/** What a name in a judge prompt stands for: its model, a key of the cases' `context`. */
export async function promptHover(
  path: string,
  position: Position,
  around: SymbolPorts,
): Promise<Hover | undefined> {
  const part = await symbolHover(path, position, around);
  return part && { contents: { kind: 'markdown', value: part.markdown }, range: part.range };
}
