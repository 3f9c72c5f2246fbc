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
 * Standard token types: `keyword` for roles, `function` for assertion types, `class` for case ids, `variable` for model
 * and target names, `parameter` for template variables, and `macro` for environment variables. The modifiers after
 * `declaration` are the roles.
 */
export const SEMANTIC_TOKENS = {
  tokenTypes: ['keyword', 'function', 'class', 'variable', 'parameter', 'macro'],
  tokenModifiers: ['declaration', 'user', 'assistant', 'system', 'developer', 'tool'],
} as const satisfies SemanticTokensLegend;

type TokenType = (typeof SEMANTIC_TOKENS.tokenTypes)[number];
type Modifier = (typeof SEMANTIC_TOKENS.tokenModifiers)[number];

const [, ...ROLES] = SEMANTIC_TOKENS.tokenModifiers;

const MESSAGE_LISTS = ['transcript', 'history', 'turns'];

const SYMBOLS: Readonly<Partial<Record<EvalSymbol['kind'], TokenType>>> = {
  case: 'class',
  model: 'variable',
  target: 'variable',
};

/** A node's context: its depth, the key above it, and whether it is a list item. */
interface NodeContext {
  readonly depth: number;
  readonly under: string;
  readonly item: boolean;
}

export function semanticTokens({ yaml }: EvalDocument): SemanticTokens {
  const symbols = symbolTokens(yaml);
  const environment = environmentTexts(yaml);
  const tokens = new TokenBuilder(yaml);

  let next = 0;
  /** Must be called with scalars in text order. */
  const symbolAt = ({ range }: Scalar): Meaning | undefined => {
    const start = range?.[0] ?? 0;
    while ((symbols[next]?.start ?? start) < start) next += 1;
    return symbols[next]?.start === start ? symbols[next]?.meaning : undefined;
  };
  const walk = (node: unknown, around: NodeContext): void => {
    if (isMap(node)) for (const pair of node.items) walkEntry(pair, around);
    if (isSeq(node)) for (const item of node.items) walk(item, { ...around, item: true });
    if (isScalar(node)) addScalar(node);
  };
  const addScalar = (node: Scalar, meaning = symbolAt(node)): void => {
    if (meaning) tokens.add(node, meaning);
    else tokens.addVariables(node, environment);
  };
  const walkEntry = ({ key, value }: Pair, around: NodeContext): void => {
    const name = isScalar(key) ? String(key.value) : '';
    const role = isMessage(around) ? roleToken(name) : undefined;
    const meaning = isScalar(key) ? (role ?? symbolAt(key)) : undefined;
    if (isScalar(key) && meaning) tokens.add(key, meaning);
    if (isScalar(value)) addScalar(value, tokenOfValue(name, String(value.value), around));
    else walk(value, { depth: around.depth + 1, under: name, item: false });
  };
  walk(yaml.root, { depth: 0, under: '', item: false });
  return { data: tokens.data };
}

/** The declared symbols and the offsets of their scalars, in text order. */
function symbolTokens(yaml: YamlDocument) {
  const { names } = mentionsIn(evalFileSchema, yaml.value);
  const declared = new Set(
    names.flatMap(({ kind, role, text }) => (role === 'declaration' ? [`${kind} ${text}`] : [])),
  );
  const tokens = names.flatMap(({ kind, role, text, path, part }) => {
    const type = SYMBOLS[kind];
    const scalar = type && declared.has(`${kind} ${text}`) ? yaml.scalarAt(path, part) : undefined;
    if (!type || !scalar) return [];
    const meaning: Meaning = role === 'declaration' ? { type, modifier: role } : { type };
    return [{ start: scalar.start, meaning }];
  });
  return tokens.sort((a, b) => a.start - b.start);
}

/** Offsets of the texts that can contain environment variables. */
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

function tokenOfValue(key: string, value: string, around: NodeContext): Meaning | undefined {
  if (key === 'role' && isMessage(around)) return roleToken(value);
  const isType = key === 'type' && around.under === 'assert' && findAssertionType(value);
  return isType ? { type: 'function' } : undefined;
}

/** Whether the node is a message or a scripted turn in a case. */
function isMessage({ depth, under, item }: NodeContext): boolean {
  return depth === 2 && item && MESSAGE_LISTS.includes(under);
}

interface Meaning {
  readonly type: TokenType;
  readonly modifier?: Modifier;
}

/** LSP's encoding: five numbers per token, with positions relative to the previous token. */
class TokenBuilder {
  readonly #yaml: YamlDocument;
  readonly data: number[] = [];
  #line = 0;
  #character = 0;

  constructor(yaml: YamlDocument) {
    this.#yaml = yaml;
  }

  /** Adds a whole scalar, without its quotes. */
  add(node: Scalar, meaning: Meaning): void {
    const [start, end] = node.range ?? [0, 0];
    const quotes = node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE' ? 1 : 0;
    if (!isBlockText(node)) this.#push(start + quotes, end - quotes, meaning);
  }

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

  /** Adds a token. Tokens can't span lines, so variables with a line break are skipped. */
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
