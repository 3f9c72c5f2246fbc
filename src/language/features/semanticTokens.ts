import type { SemanticTokens, SemanticTokensLegend } from 'vscode-languageserver-types';
import { isMap, isScalar, isSeq, type Pair, type Scalar } from 'yaml';
import { findAssertionType } from '../../assertions/registry.ts';
import { envReferences } from '../../core/environment.ts';
import { templateVariables } from '../../core/text/template.ts';
import { evalFileSchema } from '../../evalfile/schema.ts';
import { mentionsIn } from '../../schema/mentions.ts';
import { isBlockText } from '../../yaml/nodes.ts';
import type { YamlDocument } from '../../yaml/yamlDocument.ts';
import type { EvalDocument } from '../ports.ts';
import type { EvalSymbol } from '../symbols/symbolTable.ts';

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

const [, ...ROLES] = SEMANTIC_TOKENS.tokenModifiers;

/** Lists whose items are messages or what the user says. */
const TALK = ['transcript', 'history', 'turns'];

/** The colours of symbols, where the file declares them. */
const SYMBOLS: Readonly<Partial<Record<EvalSymbol['kind'], TokenType>>> = {
  case: 'class',
  model: 'variable',
  target: 'variable',
};

interface Surroundings {
  readonly depth: number;
  readonly under: string;
  readonly item: boolean;
}

export function semanticTokens({ yaml }: EvalDocument): SemanticTokens {
  const symbols = symbolTokens(yaml);
  const environment = environmentTexts(yaml);
  const tokens = new Tokens(yaml);

  let next = 0;
  /** Scalars are met in the order of the text. */
  const symbolAt = ({ range }: Scalar): Meaning | undefined => {
    const start = range?.[0] ?? 0;
    while ((symbols[next]?.start ?? start) < start) next += 1;
    return symbols[next]?.start === start ? symbols[next]?.meaning : undefined;
  };
  const walk = (node: unknown, around: Surroundings): void => {
    if (isMap(node)) {
      for (const pair of node.items) walkEntry(pair, around);
    } else if (isSeq(node)) {
      const inside = { ...around, item: true };
      for (const item of node.items) walk(item, inside);
    } else if (isScalar(node)) {
      addScalar(node, undefined);
    }
  };
  const addScalar = (node: Scalar, own: Meaning | undefined): void => {
    const meaning = own ?? symbolAt(node);
    if (meaning) tokens.add(node, meaning);
    else tokens.addVariables(node, environment);
  };
  const walkEntry = ({ key, value }: Pair, around: Surroundings): void => {
    const name = isScalar(key) ? String(key.value) : '';
    const role = isSpoken(around) ? roleToken(name) : undefined;
    const meaning = isScalar(key) ? (role ?? symbolAt(key)) : undefined;
    if (isScalar(key) && meaning) tokens.add(key, meaning);
    if (isScalar(value)) addScalar(value, tokenOfValue(name, String(value.value), around));
    else walk(value, { depth: around.depth + 1, under: name, item: false });
  };
  walk(yaml.root, { depth: 0, under: '', item: false });
  return { data: tokens.data };
}

interface SymbolToken {
  /** The offset of the scalar that it stands in. */
  readonly start: number;
  readonly meaning: Meaning;
}

/** What declared symbols mean, in the order of the text. */
function symbolTokens(yaml: YamlDocument): SymbolToken[] {
  const names = mentionsIn(evalFileSchema, yaml.value).names.filter(
    ({ kind }) => SYMBOLS[kind] !== undefined,
  );
  const declared = new Set(
    names.flatMap(({ kind, role, text }) => (role === 'declaration' ? [`${kind} ${text}`] : [])),
  );
  return names
    .flatMap(({ kind, role, text, path, part }) => {
      const type = SYMBOLS[kind];
      const scalar = yaml.scalarAt(path, part);
      if (!type || !scalar || !declared.has(`${kind} ${text}`)) return [];
      const meaning = role === 'declaration' ? { type, modifier: role } : { type };
      return [{ start: scalar.start, meaning }];
    })
    .sort((a, b) => a.start - b.start);
}

/** Where the texts begin that variables of the environment are filled into. */
function environmentTexts(yaml: YamlDocument): ReadonlySet<number> {
  return new Set(
    mentionsIn(evalFileSchema, yaml.value).templates.flatMap(({ kind, path }) => {
      const scalar = kind === 'env' ? yaml.scalarAt(path) : undefined;
      return scalar ? [scalar.start] : [];
    }),
  );
}

function roleToken(name: string): Meaning | undefined {
  const modifier = ROLES.find((one) => one === name);
  return modifier && { type: 'keyword', modifier };
}

function tokenOfValue(key: string, value: string, around: Surroundings): Meaning | undefined {
  if (key === 'role' && isSpoken(around)) return roleToken(value);
  const isType = key === 'type' && around.under === 'assert' && findAssertionType(value);
  return isType ? { type: 'function' } : undefined;
}

/** A message, or a turn of a script: in a list of a case. */
function isSpoken({ depth, under, item }: Surroundings): boolean {
  return depth === 2 && item && TALK.includes(under);
}

interface Meaning {
  readonly type: TokenType;
  readonly modifier?: Modifier;
}

/** Tokens as LSP wants them: five numbers each, places relative to the token before. */
class Tokens {
  readonly #yaml: YamlDocument;
  readonly data: number[] = [];
  #line = 0;
  #character = 0;

  constructor(yaml: YamlDocument) {
    this.#yaml = yaml;
  }

  /** A scalar as a whole, without its quotes. */
  add(node: Scalar, meaning: Meaning): void {
    const [start, end] = node.range ?? [0, 0];
    const quotes = node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE' ? 1 : 0;
    if (!isBlockText(node)) this.#push(start + quotes, end - quotes, meaning);
  }

  /** The variables in a text, as it is written. */
  addVariables({ value, range }: Scalar, environment: ReadonlySet<number>): void {
    if (typeof value !== 'string' || !value.includes('{')) return;
    const [start, end] = range ?? [0, 0];
    const text = this.#yaml.text.slice(start, end);
    const templates = text.includes('{{') ? templateVariables(text) : [];
    const references = environment.has(start) ? envReferences(text) : [];
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
    this.data.push(
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
