import type { CodeAction, TextEdit } from 'vscode-languageserver-types';
import type { Position } from '../../../core/problem.ts';

/** All preferred fixes that do not overlap, as one action; the first counts where two do. */
export function fixAll(uri: string, actions: readonly CodeAction[]): CodeAction[] {
  const taken: TextEdit[] = [];
  const used: CodeAction[] = [];
  for (const action of actions) {
    const edits = action.edit?.changes?.[uri] ?? [];
    if (!action.isPreferred || edits.length === 0) continue;
    if (edits.some((edit) => taken.some((other) => overlap(edit, other)))) continue;
    taken.push(...edits);
    used.push(action);
  }
  if (used.length === 0) return [];
  return [
    {
      title: 'Fix all problems of Turnlight that have one clear fix',
      kind: 'source.fixAll.turnlight',
      diagnostics: used.flatMap(({ diagnostics = [] }) => diagnostics),
      edit: { changes: { [uri]: taken } },
    },
  ];
}

function overlap({ range: a }: TextEdit, { range: b }: TextEdit): boolean {
  return !before(a.end, b.start) && !before(b.end, a.start);
}

function before(a: Position, b: Position): boolean {
  return a.line < b.line || (a.line === b.line && a.character < b.character);
}
