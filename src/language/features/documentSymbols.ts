import type { DocumentSymbol } from 'vscode-languageserver-types';
import type { OutlineCase, OutlineTurn } from '../../evalfile/loadedSuite.ts';
import type { EvalDocument } from '../ports.ts';

/** LSP's `SymbolKind.Class` and `SymbolKind.String`. */
const CASE = 5;
const TURN = 15;

const LABEL = 60;

/** Cases, and under each its turns. */
export function documentSymbols({ suite }: EvalDocument): DocumentSymbol[] {
  return suite.outline.filter(({ path }) => path === suite.path).map(caseSymbol);
}

function caseSymbol({ id, description, range, nameRange, turns }: OutlineCase): DocumentSymbol {
  return {
    name: id ?? '(no id)',
    kind: CASE,
    range,
    selectionRange: nameRange,
    ...(description !== undefined && { detail: description }),
    children: turns.map(turnSymbol),
  };
}

function turnSymbol({ label, range, role, turns }: OutlineTurn): DocumentSymbol {
  const text = label.replace(/\s+/g, ' ').trim();
  return {
    name: text.length > LABEL ? `${text.slice(0, LABEL - 1)}…` : text || `(${role})`,
    detail: turns.length === 0 ? role : `${role}, turn ${turns.join(' and ')}`,
    kind: TURN,
    range,
    selectionRange: range,
  };
}
