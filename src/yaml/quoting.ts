import { Document, Pair, Scalar, stringify, visit, YAMLMap } from 'yaml';
import type { Style } from './nodes.ts';

/**
 * Quotes whatever a YAML 1.1 or 1.2 reader would misread: in YAML 1.1, `on`, `y`, `1_000`, and `12:30` aren't strings.
 */
const OPTIONS = { schema: 'core', compat: 'yaml-1.1', version: '1.2' } as const;

/** Keeps the library from adding line breaks. */
const LAYOUT = { lineWidth: 0, simpleKeys: true, nullStr: '', blockQuote: 'literal' } as const;

/** A value on one line. */
export type YamlScalar = string | number | boolean | null;

/** Characters that some readers drop or read as line breaks, so they are escaped. */
const UNSEEN = /[\u2028\u2029\ufeff]/g;

/** YAML doesn't allow longer keys on one line, so the library doesn't write them. */
const MAX_KEY_LENGTH = 1_024;

/** Characters that end a string in brackets or start a key there. */
const ENDS_IN_FLOW = /[[\]{},]|^[?:]/;

/**
 * Writes a scalar on one line, as a value or a key.
 *
 * @param inFlow whether it's in `[…]` or `{…}`
 */
export function writeWord(value: YamlScalar, inFlow = false): string {
  if (typeof value !== 'string') return stringify(value).trimEnd();
  const json = JSON.stringify(value);
  if (json.length > MAX_KEY_LENGTH || value.search(UNSEEN) >= 0)
    return json.replace(UNSEEN, escaped);
  const written = asKey(value);
  return inFlow && written === value && ENDS_IN_FLOW.test(value) ? quoted(value) : written;
}

/** Cached, because every keystroke writes the same words. */
const KNOWN = new Map<string, string>();
const MAX_KNOWN = 1_000;

/** Writes text as a key, because keys are never wrapped. */
function asKey(text: string): string {
  const known = KNOWN.get(text);
  if (known !== undefined) return known;
  const map = new YAMLMap(KEY.schema);
  map.items.push(new Pair(new Scalar(text), null));
  KEY.contents = map;
  const written = KEY.toString(LAYOUT).replace(/:\n$/, '');
  if (KNOWN.size >= MAX_KNOWN) KNOWN.clear();
  KNOWN.set(text, written);
  return written;
}

/** Reused, since creating one costs more than writing a word. */
const KEY = new Document<YAMLMap, false>(null, OPTIONS);

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Quotes text without line breaks, using single quotes if double quotes would need escapes. */
export function quoted(text: string): string {
  return /["\\]/.test(text) ? `'${text.replaceAll("'", "''")}'` : `"${text}"`;
}

/** Writes text inside existing quotes or a block; undefined for a line break in single quotes. */
export function writeWithin(text: string, style: Style, inFlow = false): string | undefined {
  switch (style) {
    case 'plain':
      return writeWord(text, inFlow);
    case 'single':
      return /\p{Cc}|[\u2028\u2029\ufeff]/u.test(text) ? undefined : text.replaceAll("'", "''");
    case 'double':
      return JSON.stringify(text).replace(UNSEEN, escaped).slice(1, -1);
    case 'block':
      return text;
  }
}

/** Writes a value, however deep, on one line. */
export function writeInline(value: unknown, inFlow = false): string {
  if (Array.isArray(value)) return `[${value.map((one) => writeInline(one, true)).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(
      ([key, inner]) => `${writeWord(key, true)}: ${writeInline(inner, true)}`,
    );
    return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
  }
  return writeWord(value as YamlScalar, inFlow);
}

/** A value as YAML, for use after a key or a dash. */
export interface YamlFragment {
  readonly value: unknown;
  /** Starts at column 0. */
  readonly text: string;
  /** Whether it goes on separate lines, below its key. */
  readonly below: boolean;
}

/** Writes a value as a person would: lists and mappings outside of brackets go on their own lines. */
export function write(value: unknown, inFlow = false): YamlFragment {
  const inline = { value, text: writeInline(value, inFlow), below: false };
  if (inFlow) return inline;
  if (typeof value === 'string') {
    return value.includes('\n') ? { ...inline, text: blockOf([value]).slice('- '.length) } : inline;
  }
  const several = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  return several ? { value, text: blockOf(value), below: true } : inline;
}

function blockOf(value: object): string {
  const document = new Document(value, OPTIONS);
  visit(document, {
    Scalar(_key, node) {
      // A block with trailing empty lines would also keep the empty lines after it.
      const text = typeof node.value === 'string' ? node.value : '';
      if (/\n\s*\n$/.test(text) || text.search(UNSEEN) >= 0) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  const layout = { ...LAYOUT, nullStr: 'null', doubleQuotedMinMultiLineLength: Infinity };
  return document.toString(layout).replace(UNSEEN, escaped).replace(/\n$/, '');
}

export function writeEntry(key: string, { text, below }: YamlFragment): string {
  return `${writeWord(key)}:${below ? `\n${indented(text, STEP)}` : ` ${text}`}`;
}

export const STEP = 2;

/** Indents every line; empty lines stay empty. */
export function indented(text: string, columns: number): string {
  // Not `^`, because it also matches after U+2028.
  return text.replace(/(?<=^|\n)(?=[^\r\n])/g, ' '.repeat(columns));
}
