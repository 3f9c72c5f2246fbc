import type { DocumentSymbol, SymbolKind } from 'vscode-languageserver-types';
import { isMap, isSeq } from 'yaml';
import { lastOf, valueAt } from '../../core/data/data.ts';
import { visibleLine } from '../../core/presentation/visibleText.ts';
import type { Range } from '../../core/problem.ts';
import { labelOf } from '../../evalfile/case/outline.ts';
import type { OutlineAssertion, OutlineCase, OutlineTurn } from '../../evalfile/loadedSuite.ts';
import { keyOf, spanOf, valueUnder } from '../../yaml/nodes.ts';
import type { YamlDocument } from '../../yaml/yamlDocument.ts';
import type { EvalDocument } from '../ports.ts';
import { comparePositions, contains } from '../range.ts';

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
  return [...topSymbols(yaml), ...cases].sort((a, b) =>
    comparePositions(a.range.start, b.range.start),
  );
}

function topSymbols(yaml: YamlDocument): DocumentSymbol[] {
  if (!isMap(yaml.root)) return [];
  return yaml.root.items.flatMap((pair) => {
    const name = keyOf(pair)?.name;
    if (name === 'models' || name === 'targets') {
      return symbolOf(pair, name, LIST, yaml, namedSymbols(pair.value, yaml));
    }
    return name === 'defaults'
      ? symbolOf(pair, name, LIST, yaml, defaultAssertions(pair.value, yaml))
      : [];
  });
}

function namedSymbols(map: unknown, yaml: YamlDocument): DocumentSymbol[] {
  if (!isMap(map)) return [];
  return map.items.flatMap((pair) => symbolOf(pair, keyOf(pair)?.name ?? '', NAMED, yaml));
}

function defaultAssertions(defaults: unknown, yaml: YamlDocument): DocumentSymbol[] {
  const list = valueUnder(defaults, 'assert');
  if (!isSeq(list)) return [];
  const values = valueAt(yaml.value, ['defaults', 'assert']);
  return list.items.flatMap((item, index) => {
    const label = labelOf(Array.isArray(values) ? values[index] : undefined);
    return symbolOf(item, label, ASSERTION, yaml);
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
  const label = shortened(name, '(no name)');
  return [{ name: label, kind, range, selectionRange, ...(children && { children }) }];
}

function caseSymbol(one: OutlineCase): DocumentSymbol {
  const { id, description, range, nameRange, turns } = one;
  const parts: DocumentSymbol[] = turns.map(turnSymbol);
  const own: DocumentSymbol[] = [];
  for (const assertion of one.assertions) {
    // The defaults stand outside of the case, and so may those of an included file.
    if (assertion.path !== one.path || !within(assertion.range, range)) continue;
    const { start } = assertion.range;
    const turn = lastOf(parts, (one) => comparePositions(one.range.start, start) <= 0);
    const owner = turn && contains(turn.range, start) ? turn.children : own;
    owner?.push(assertionSymbol(assertion));
  }
  return {
    name: shortened(id ?? '', '(no id)'),
    kind: CASE,
    range,
    // Behind an alias the id stands elsewhere.
    selectionRange: within(nameRange, range) ? nameRange : range,
    ...(description !== undefined && { detail: visibleLine(description) }),
    children: [...parts, ...own].sort((x, y) => comparePositions(x.range.start, y.range.start)),
  };
}

function within(inner: Range, outer: Range): boolean {
  return contains(outer, inner.start) && contains(outer, inner.end);
}

function turnSymbol({ label, range, role, turns }: OutlineTurn): DocumentSymbol {
  return {
    name: shortened(label, `(${role})`),
    detail: visibleLine(turns.length === 0 ? role : `${role}, turn ${turns.join(' and ')}`),
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
