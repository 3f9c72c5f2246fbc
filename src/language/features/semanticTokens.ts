import type { SemanticTokens, SemanticTokensLegend } from 'vscode-languageserver-types';
import { isMap, isScalar, isSeq, type Pair, type Scalar } from 'yaml';
import { findAssertionType } from '../../assertions/registry.ts';
import { envReferences } from '../../core/environment.ts';
import { templateVariables } from '../../core/template.ts';
import { isBlockText, keyOf, valueUnder } from '../../yaml/nodes.ts';
import type { YamlDocument } from '../../yaml/yamlDocument.ts';
import type { EvalDocument } from '../ports.ts';

/**
 * Types that every editor has colours for: `keyword` are roles, `function` assertion types, `class`
 * ids of cases, `variable` names of models and targets, `parameter` variables of templates, `macro`
 * variables of the environment. The modifiers after `declaration` are the roles.
 */
export const SEMANTIC_TOKENS = {
  tokenTypes: ['keyword', 'function', 'class', 'variable', 'parameter', 'macro'],
  tokenModifiers: ['declaration', 'user', 'assistant', 'system', 'developer', 'tool'],
} as const satisfies SemanticTokensLegend;

type TokenType = (typeof SEMANTIC_TOKENS.tokenTypes)[number];
type Modifier = (typeof SEMANTIC_TOKENS.tokenModifiers)[number];

const ROLES: readonly Modifier[] = ['user', 'assistant', 'system', 'developer', 'tool'];

/** Lists whose items are messages or what the user says. */
const TALK = ['transcript', 'turns'];

/** Keys under which a name of `models` or `targets` may stand, or a model or target itself. */
const NAMING = ['judge', 'model', 'target'];

/** Where names are declared. */
const DECLARING = ['models', 'targets'];

/** What a node stands in. */
interface Place {
  /** How many maps are around it. */
  readonly depth: number;
  /** The key that it stands under. */
  readonly under: string;
  /** Whether it is an item of a list there. */
  readonly item: boolean;
  /** Whether variables of the environment are read there. */
  readonly env: boolean;
}

/** The tokens of the whole file. */
export function semanticTokens({ yaml }: EvalDocument): SemanticTokens {
  const tokens = new Tokens(yaml);
  const names = new Set(DECLARING.flatMap((list) => keysUnder(yaml.root, list)));

  const walk = (node: unknown, place: Place): void => {
    if (isSeq(node)) {
      const within = { ...place, item: true };
      for (const item of node.items) walk(item, within);
    } else if (isMap(node)) {
      for (const pair of node.items) walkEntry(pair, place);
    } else if (isScalar(node)) {
      tokens.addVariables(node, place.env);
    }
  };
  const walkEntry = (pair: Pair, place: Place): void => {
    const key = keyOf(pair);
    const name = key?.name ?? '';
    const ofKey = key && tokenOfKey(name, place);
    if (key && ofKey) tokens.add(key.node, ofKey);
    const { value } = pair;
    const ofValue = isScalar(value)
      ? tokenOfValue(name, String(value.value), place, names)
      : undefined;
    if (isScalar(value) && ofValue) {
      tokens.add(value, ofValue);
      return;
    }
    const { depth } = place;
    const env = place.env || NAMING.includes(name) || (depth === 0 && DECLARING.includes(name));
    walk(value, { depth: depth + 1, under: name, item: false, env });
  };
  walk(yaml.root, { depth: 0, under: '', item: false, env: false });
  return { data: tokens.encoded() };
}

function keysUnder(root: unknown, name: string): string[] {
  const map = valueUnder(root, name);
  return isMap(map) ? map.items.flatMap((pair) => keyOf(pair)?.name ?? []) : [];
}

function tokenOfKey(name: string, place: Place): Meaning | undefined {
  const role = ROLES.find((one) => one === name);
  if (role && speaks(place)) return { type: 'keyword', modifier: role };
  return place.depth === 1 && DECLARING.includes(place.under) && !place.item
    ? { type: 'variable', modifier: 'declaration' }
    : undefined;
}

function tokenOfValue(
  key: string,
  value: string,
  place: Place,
  names: ReadonlySet<string>,
): Meaning | undefined {
  if (key === 'role' && speaks(place)) {
    const modifier = ROLES.find((one) => one === value);
    return modifier && { type: 'keyword', modifier };
  }
  if (key === 'type' && place.under === 'assert' && findAssertionType(value)) {
    return { type: 'function' };
  }
  if (key === 'id' && place.under === 'cases' && place.depth === 1 && place.item) {
    return { type: 'class', modifier: 'declaration' };
  }
  return NAMING.includes(key) && names.has(value) ? { type: 'variable' } : undefined;
}

/** A message, or a turn of a script: in a list of a case. */
function speaks({ depth, under, item }: Place): boolean {
  return depth === 2 && item && TALK.includes(under);
}

interface Meaning {
  readonly type: TokenType;
  readonly modifier?: Modifier;
}

/** Tokens as LSP wants them: five numbers each, places relative to the token before. */
class Tokens {
  readonly #yaml: YamlDocument;
  readonly #data: number[] = [];
  #line = 0;
  #character = 0;

  constructor(yaml: YamlDocument) {
    this.#yaml = yaml;
  }

  encoded(): number[] {
    return this.#data;
  }

  /** A scalar as a whole, without its quotes. */
  add(node: Scalar, meaning: Meaning): void {
    const [start, end] = node.range ?? [0, 0];
    const quotes = node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE' ? 1 : 0;
    if (!isBlockText(node)) this.#push(start + quotes, end - quotes, meaning);
  }

  /** The variables in a text, as it is written. */
  addVariables(node: Scalar, withEnv: boolean): void {
    const [start, end] = node.range ?? [0, 0];
    const text = this.#yaml.text.slice(start, end);
    const templates = text.includes('{{') ? templateVariables(text) : [];
    const references = withEnv && text.includes('$') ? envReferences(text) : [];
    const found = [
      ...templates.map((one) => ({ ...one, type: 'parameter' as const })),
      ...references.map((one) => ({ ...one, type: 'macro' as const })),
    ].sort((a, b) => a.offset - b.offset);
    for (const { offset, length, type } of found) {
      this.#push(start + offset, start + offset + length, { type });
    }
  }

  /** A token stands on one line: of `{{ name` broken there, no part is one. */
  #push(from: number, to: number, { type, modifier }: Meaning): void {
    const { start, end } = this.#yaml.rangeOfOffsets(from, to);
    if (start.line !== end.line || to <= from) return;
    const sameLine = start.line === this.#line;
    this.#data.push(
      start.line - this.#line,
      sameLine ? start.character - this.#character : start.character,
      to - from,
      SEMANTIC_TOKENS.tokenTypes.indexOf(type),
      modifier ? 1 << SEMANTIC_TOKENS.tokenModifiers.indexOf(modifier) : 0,
    );
    this.#line = start.line;
    this.#character = start.character;
  }
}
