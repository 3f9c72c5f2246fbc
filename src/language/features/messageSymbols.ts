import type { DocumentSymbol, SymbolKind } from 'vscode-languageserver-types';
import { visibleLine } from '../../core/presentation/visibleText.ts';
import type { Range } from '../../core/problem.ts';
import type { Work } from '../../core/steps.ts';
import { type SpokenMessage, spokenMessages } from '../../evalfile/spokenMessages.ts';
import { parseTranscript } from '../../evalfile/transcript.ts';
import { endOf, isFlow, nodeAt } from '../../yaml/nodes.ts';
import type { YamlDocument } from '../../yaml/yamlDocument.ts';

/** LSP's `SymbolKind.Class`, `.String`, `.Function` and `.Namespace`. */
const TURN: SymbolKind = 5;
const TEXT: SymbolKind = 15;
const CALLS: SymbolKind = 12;
const SYSTEM: SymbolKind = 3;

const LABEL = 60;

/**
 * The turns of a file of messages, and in each its messages; system texts between turns by
 * themselves.
 *
 * @param path absolute
 */
export function* messageSymbols(text: string, path: string): Work<DocumentSymbol[]> {
  const document = yield* parseTranscript(text, path);
  if (!Array.isArray(document.value)) return [];
  const turns: DocumentSymbol[] = [];
  const open: { turn?: number; symbol?: DocumentSymbol } = {};
  let held: DocumentSymbol[] = [];
  for (const [index, message] of spokenMessages(document.value).entries()) {
    const range = rangeOf(document, index);
    const symbol = messageSymbol(message, range);
    if (message.turn === undefined) {
      held.push(symbol);
    } else if (open.symbol && open.turn === message.turn) {
      // A system text within a turn is one of its messages.
      open.symbol.children?.push(...held, symbol);
      open.symbol.range = { start: open.symbol.range.start, end: range.end };
      held = [];
    } else {
      open.turn = message.turn;
      open.symbol = turnSymbol(message, symbol);
      turns.push(...held, open.symbol);
      held = [];
    }
  }
  return [...turns, ...held];
}

/** Of a message up to its last word: block mappings reach up to what comes next. */
function rangeOf(document: YamlDocument, index: number): Range {
  const { start, end } = document.entryRangeOf([index]);
  const node = nodeAt(document.root, [index])?.node;
  const isBlock = node && !isFlow(node);
  return { start, end: isBlock ? document.positionAt(endOf(node, document.text)) : end };
}

function turnSymbol({ turn, role }: SpokenMessage, first: DocumentSymbol): DocumentSymbol {
  const { range, selectionRange } = first;
  return {
    name: `Turn ${turn}`,
    detail: role === 'tool' ? 'assistant' : visibleLine(role),
    kind: TURN,
    range,
    selectionRange,
    children: [first],
  };
}

function messageSymbol(message: SpokenMessage, range: DocumentSymbol['range']): DocumentSymbol {
  const { role, text, calls, turn } = message;
  const words = text.trim();
  return {
    name: visibleLine(words || calls.join(', ') || `(${role})`, LABEL),
    detail: visibleLine(calls.length > 0 ? `${role}, calls` : role),
    kind: turn === undefined ? SYSTEM : words === '' && calls.length > 0 ? CALLS : TEXT,
    range,
    selectionRange: range,
    children: [],
  };
}
