import type { DocumentSymbol, SymbolKind, WorkspaceSymbol } from 'vscode-languageserver-types';
import { isMap, isSeq } from 'yaml';
import { binarySearchLast, valueAt } from '../../core/data/data.ts';
import { comparePositions, contains, type Range } from '../../core/problem.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { labelOf } from '../../evalfile/case/outline.ts';
import type {
  LoadedSuite,
  OutlineAssertion,
  OutlineCase,
  OutlineTurn,
} from '../../evalfile/loadedSuite.ts';
import { type NumberedMessage, numberTurns } from '../../evalfile/numberTurns.ts';
import { parseTranscript } from '../../evalfile/transcript.ts';
import { type Step, stepsOf, type Work } from '../../node/cooperative.ts';
import { endOf, isFlow, keyOf, nodeAt, spanOf, valueUnder } from '../../yaml/nodes.ts';
import type { YamlDocument } from '../../yaml/yamlDocument.ts';
import type { EvalDocument } from '../ports.ts';

/** LSP's `SymbolKind`. */
const KINDS = {
  namespace: 3,
  class: 5,
  function: 12,
  string: 15,
  boolean: 17,
  object: 19,
} as const satisfies Readonly<Record<string, SymbolKind>>;

const MAX_LABEL = 60;

export function documentSymbols({ yaml, suite }: EvalDocument): DocumentSymbol[] {
  const cases = suite.outline.filter(({ path }) => path === suite.path).map(caseSymbol);
  return [...topSymbols(yaml), ...cases].sort((a, b) =>
    comparePositions(a.range.start, b.range.start),
  );
}

function topSymbols(yaml: YamlDocument): DocumentSymbol[] {
  if (!isMap(yaml.root)) return [];
  return yaml.root.items.flatMap((pair) => {
    const name = keyOf(pair)?.name;
    if (name !== 'models' && name !== 'targets' && name !== 'defaults') return [];
    const childrenOf = name === 'defaults' ? defaultAssertions : namedSymbols;
    return symbolOf(pair, name, KINDS.namespace, yaml, childrenOf(pair.value, yaml));
  });
}

function namedSymbols(map: unknown, yaml: YamlDocument): DocumentSymbol[] {
  if (!isMap(map)) return [];
  return map.items.flatMap((pair) => symbolOf(pair, keyOf(pair)?.name ?? '', KINDS.object, yaml));
}

function defaultAssertions(defaults: unknown, yaml: YamlDocument): DocumentSymbol[] {
  const list = valueUnder(defaults, 'assert');
  if (!isSeq(list)) return [];
  const values = valueAt(yaml.value, ['defaults', 'assert']);
  return list.items.flatMap((item, index) => {
    const label = labelOf(Array.isArray(values) ? values[index] : undefined);
    return symbolOf(item, label, KINDS.boolean, yaml);
  });
}

function symbolOf(
  item: unknown,
  name: string,
  kind: SymbolKind,
  yaml: YamlDocument,
  children?: DocumentSymbol[],
): DocumentSymbol[] {
  const span = spanOf(item, yaml.text);
  if (!span) return [];
  const key = keyOf(item)?.node.range;
  const range = yaml.rangeOfOffsets(...span);
  const selectionRange = key ? yaml.rangeOfOffsets(key[0], key[1]) : range;
  const label = shortenLabel(name, '(no name)');
  return [{ name: label, kind, range, selectionRange, ...(children && { children }) }];
}

function caseSymbol(one: OutlineCase): DocumentSymbol {
  const { id, description, range, nameRange, turns } = one;
  const parts = turns.map(turnSymbol);
  const own: DocumentSymbol[] = [];
  for (const assertion of one.assertions) {
    // Assertions from `defaults` are outside of the case.
    if (assertion.path !== one.path || !within(assertion.range, range)) continue;
    const { start } = assertion.range;
    const turn = binarySearchLast(parts, (one) => comparePositions(one.range.start, start) <= 0);
    const owner = turn && contains(turn.range, start) ? turn.children : own;
    owner.push(assertionSymbol(assertion));
  }
  return {
    name: shortenLabel(id ?? '', '(no id)'),
    kind: KINDS.class,
    range,
    // The id of an aliased case is elsewhere.
    selectionRange: within(nameRange, range) ? nameRange : range,
    ...(description !== undefined && { detail: visibleLine(description) }),
    children: [...parts, ...own].sort((x, y) => comparePositions(x.range.start, y.range.start)),
  };
}

function within(inner: Range, outer: Range): boolean {
  return contains(outer, inner.start) && contains(outer, inner.end);
}

function turnSymbol({ label, range, role, turns }: OutlineTurn) {
  const name = shortenLabel(label, `(${role})`);
  const detail = visibleLine(turns.length === 0 ? role : `${role}, turn ${turns.join(' and ')}`);
  const children: DocumentSymbol[] = [];
  return { name, detail, kind: KINDS.string, range, selectionRange: range, children };
}

function assertionSymbol({ label, range }: OutlineAssertion): DocumentSymbol {
  const name = shortenLabel(label, '(no type)');
  return { name, detail: 'assertion', kind: KINDS.boolean, range, selectionRange: range };
}

/** Never returns an empty name, because editors reject those. */
function shortenLabel(text: string, otherwise: string): string {
  return visibleLine(text, MAX_LABEL) || otherwise;
}

/**
 * The turns in a file of messages, with their messages. System messages between turns are separate.
 *
 * @param path absolute
 */
export function* messageSymbols(text: string, path: string): Work<DocumentSymbol[]> {
  const document = yield* parseTranscript(text, path);
  if (!Array.isArray(document.value)) return [];
  const symbols: DocumentSymbol[] = [];
  let turn: DocumentSymbol | undefined;
  let number: number | undefined;
  let pending: DocumentSymbol[] = [];
  for (const [index, message] of numberTurns(document.value).entries()) {
    const symbol = messageSymbol(message, rangeOf(document, index));
    if (message.turn === undefined) {
      pending.push(symbol);
      continue;
    }
    if (turn && number === message.turn) {
      // A system message within a turn belongs to it.
      turn.children?.push(...pending, symbol);
      turn.range = { start: turn.range.start, end: symbol.range.end };
    } else {
      number = message.turn;
      turn = messageTurnSymbol(message, symbol);
      symbols.push(...pending, turn);
    }
    pending = [];
  }
  return [...symbols, ...pending];
}

/** Ends at the message's last word, because a block mapping would extend to the next message. */
function rangeOf(document: YamlDocument, index: number): Range {
  const { start, end } = document.entryRangeOf([index]);
  const node = nodeAt(document.root, [index])?.node;
  const isBlock = node && !isFlow(node);
  return { start, end: isBlock ? document.positionAt(endOf(node, document.text)) : end };
}

function messageTurnSymbol({ turn, role }: NumberedMessage, first: DocumentSymbol): DocumentSymbol {
  const name = `Turn ${turn}`;
  const detail = role === 'tool' ? 'assistant' : visibleLine(role);
  return { ...first, name, detail, kind: KINDS.class, children: [first] };
}

function messageSymbol(message: NumberedMessage, range: Range): DocumentSymbol {
  const { role, text, calls, turn } = message;
  const words = text.trim();
  const name = visibleLine(words || calls.join(', ') || `(${role})`, MAX_LABEL);
  const detail = visibleLine(calls.length > 0 ? `${role}, calls` : role);
  const inTurn = words === '' && calls.length > 0 ? KINDS.function : KINDS.string;
  const kind = turn === undefined ? KINDS.namespace : inTurn;
  return { name, detail, kind, range, selectionRange: range, children: [] };
}

/**
 * Finds cases whose id or description contains the given letters in order: `rfnd` finds `refund`. Best matches first.
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
      // Several suites may include the same case.
      const place = `${one.path}:${start.line}:${start.character}`;
      if (rank === undefined || found.has(place)) continue;
      const location = { uri: uriOf(one.path), range: one.nameRange };
      const name = visibleLine(one.id ?? one.description ?? '') || '(no id)';
      const symbol = { name, kind: KINDS.class, containerName, location };
      found.set(place, { symbol, rank });
    }
  }
  return [...found.values()].sort((a, b) => a.rank - b.rank).map(({ symbol }) => symbol);
}

/**
 * The rank of a match: 0 if the id starts with the query, 1 if it contains the query, 2 or 3 if the id or the
 * description contains the query's letters.
 */
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
