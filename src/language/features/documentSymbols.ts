import type { DocumentSymbol, SymbolKind } from 'vscode-languageserver-types';
import { isMap, isSeq } from 'yaml';
import { valueAt } from '../../core/data.ts';
import { visibleLine } from '../../core/presentation/visibleText.ts';
import type { Position, Range } from '../../core/problem.ts';
import type { OutlineAssertion, OutlineCase, OutlineTurn } from '../../evalfile/loadedSuite.ts';
import { labelOf } from '../../evalfile/outline.ts';
import { keyOf, spanOf, valueUnder } from '../../yaml/nodes.ts';
import type { YamlDocument } from '../../yaml/yamlDocument.ts';
import { contains } from '../place.ts';
import type { EvalDocument } from '../ports.ts';

/** LSP's `SymbolKind.Namespace`, `.Class`, `.String`, `.Boolean` and `.Object`. */
const LIST: SymbolKind = 3;
const CASE: SymbolKind = 5;
const TURN: SymbolKind = 15;
const ASSERTION: SymbolKind = 17;
const NAMED: SymbolKind = 19;

const LABEL = 60;

/** Models, targets, default assertions and cases, and under each case its turns and assertions. */
export function documentSymbols({ yaml, suite }: EvalDocument): DocumentSymbol[] {
  const cases = suite.outline.filter(({ path }) => path === suite.path).map(caseSymbol);
  return [...topSymbols(yaml), ...cases].sort((a, b) => order(a.range.start, b.range.start));
}

function topSymbols(yaml: YamlDocument): DocumentSymbol[] {
  if (!isMap(yaml.root)) return [];
  return yaml.root.items.flatMap((pair) => {
    const name = keyOf(pair)?.name;
    const symbol = symbolOf(pair, name ?? '', LIST, yaml);
    if (!symbol) return [];
    if (name === 'models' || name === 'targets') {
      return [{ ...symbol, children: namedSymbols(pair.value, yaml) }];
    }
    if (name === 'defaults') return [{ ...symbol, children: defaultAssertions(pair.value, yaml) }];
    return [];
  });
}

function namedSymbols(map: unknown, yaml: YamlDocument): DocumentSymbol[] {
  if (!isMap(map)) return [];
  return map.items.flatMap((pair) => {
    const symbol = symbolOf(pair, keyOf(pair)?.name ?? '', NAMED, yaml);
    return symbol ? [symbol] : [];
  });
}

function defaultAssertions(defaults: unknown, yaml: YamlDocument): DocumentSymbol[] {
  const list = valueUnder(defaults, 'assert');
  if (!isSeq(list)) return [];
  const values = valueAt(yaml.value, ['defaults', 'assert']);
  return list.items.flatMap((item, index) => {
    const label = labelOf(Array.isArray(values) ? values[index] : undefined);
    const symbol = symbolOf(item, label, ASSERTION, yaml);
    return symbol ? [symbol] : [];
  });
}

function symbolOf(
  item: unknown,
  name: string,
  kind: SymbolKind,
  yaml: YamlDocument,
): DocumentSymbol | undefined {
  const span = spanOf(item, yaml.text);
  if (!span) return undefined;
  const key = keyOf(item)?.node.range;
  const range = yaml.rangeOfOffsets(...span);
  const selectionRange = key ? yaml.rangeOfOffsets(key[0], key[1]) : range;
  return { name: shortened(name, '(no name)'), kind, range, selectionRange };
}

function caseSymbol(one: OutlineCase): DocumentSymbol {
  const { id, description, range, nameRange, turns } = one;
  const parts: DocumentSymbol[] = turns.map(turnSymbol);
  const own: DocumentSymbol[] = [];
  for (const assertion of one.assertions) {
    // The defaults stand outside of the case, and so may those of an included file.
    if (assertion.path !== one.path || !within(assertion.range, range)) continue;
    const turn = lastBefore(parts, assertion.range.start);
    const owner = turn && contains(turn.range, assertion.range.start) ? turn.children : own;
    owner?.push(assertionSymbol(assertion));
  }
  return {
    name: shortened(id ?? '', '(no id)'),
    kind: CASE,
    range,
    // Behind an alias the id stands elsewhere.
    selectionRange: within(nameRange, range) ? nameRange : range,
    ...(description !== undefined && { detail: visibleLine(description) }),
    children: [...parts, ...own].sort((x, y) => order(x.range.start, y.range.start)),
  };
}

/** The last of the symbols, which stand in order, that begins at or before a place. */
function lastBefore(
  symbols: readonly DocumentSymbol[],
  position: Position,
): DocumentSymbol | undefined {
  let low = 0;
  let high = symbols.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const start = symbols[middle]?.range.start;
    if (start && order(start, position) <= 0) low = middle + 1;
    else high = middle;
  }
  return symbols[low - 1];
}

function order(a: Position, b: Position): number {
  return a.line - b.line || a.character - b.character;
}

function within(inner: Range, outer: Range): boolean {
  return contains(outer, inner.start) && contains(outer, inner.end);
}

function turnSymbol({ label, range, role, turns }: OutlineTurn): DocumentSymbol {
  return {
    name: shortened(label, `(${role})`),
    detail: turns.length === 0 ? role : `${role}, turn ${turns.join(' and ')}`,
    kind: TURN,
    range,
    selectionRange: range,
    children: [],
  };
}

function assertionSymbol({ label, range }: OutlineAssertion): DocumentSymbol {
  const name = shortened(label, '(no type)');
  return { name, detail: 'assertion', kind: ASSERTION, range, selectionRange: range };
}

/** On one line; editors refuse a name without a letter. */
function shortened(text: string, otherwise: string): string {
  return visibleLine(text, LABEL) || otherwise;
}
