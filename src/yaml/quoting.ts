import { Document, Pair, Scalar, stringify, visit, YAMLMap } from 'yaml';
import type { Fix, Position, Range } from '../core/problem.ts';
import type { Style } from './nodes.ts';

/**
 * Quotes everything that a YAML 1.1 or 1.2 parser would misread: in YAML 1.1, `on`, `y`, `1_000`, and `12:30` aren't
 * strings.
 */
const OPTIONS = { schema: 'core', compat: 'yaml-1.1', version: '1.2' } as const;

/** Prevents the library from adding line breaks. */
const LAYOUT = { lineWidth: 0, simpleKeys: true, nullStr: '', blockQuote: 'literal' } as const;

/** A value on one line. */
export type YamlScalar = string | number | boolean | null;

/** Characters that some parsers drop or read as line breaks, so they must be escaped. */
const UNSEEN = /[\u2028\u2029\ufeff]/g;

/** Maximum length of a key: YAML doesn't allow longer keys on one line, so the library doesn't write them that way. */
const MAX_KEY_LENGTH = 1_024;

/** Matches characters that end a string within brackets or start a key there. */
const ENDS_IN_FLOW = /[[\]{},]|^[?:]/;

/**
 * Writes a scalar on one line, as a value or a key.
 *
 * @param inFlow whether the scalar is within `[…]` or `{…}`
 */
export function writeWord(value: YamlScalar, inFlow = false): string {
  if (typeof value !== 'string') return stringify(value).trimEnd();
  const json = JSON.stringify(value);
  if (json.length > MAX_KEY_LENGTH || value.search(UNSEEN) >= 0)
    return json.replace(UNSEEN, escaped);
  const written = asKey(value);
  return inFlow && written === value && ENDS_IN_FLOW.test(value) ? quoted(value) : written;
}

/** Cached, because the same words are written on every keystroke. */
const KNOWN = new Map<string, string>();
const MAX_KNOWN = 1_000;

/** Writes text as a key, because the library never wraps keys. */
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

/** Reused, because creating a document costs more than writing a word. */
const KEY = new Document<YAMLMap, false>(null, OPTIONS);

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Quotes text without line breaks, using single quotes if double quotes would need escapes. */
export function quoted(text: string): string {
  return /["\\]/.test(text) ? `'${text.replaceAll("'", "''")}'` : `"${text}"`;
}

/** Puts a range in quotes. @param text its text */
export function quoteFix(text: string, range: Range): Pick<Fix, 'rewrite'> {
  return { rewrite: { title: 'Put in quotes', range, text: quoted(text) } };
}

/** Inserts a missing space. */
export function spaceFix(at: Position): Pick<Fix, 'rewrite'> {
  const range = { start: at, end: at };
  return { rewrite: { title: 'Insert the missing space', range, text: ' ' } };
}

/** Writes text inside existing quotes or an existing block; undefined for a line break in single quotes. */
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

/** Writes a value on one line, however deeply it is nested. */
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
  /** Whether the fragment goes on separate lines below its key. */
  readonly below: boolean;
}

/** Writes a value as a person would: unless they are in brackets, lists and mappings go on separate lines. */
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
      // A block that keeps its trailing empty lines would also keep empty lines that follow it.
      const text = typeof node.value === 'string' ? node.value : '';
      const tail = text.slice(text.trimEnd().length);
      const endsEmpty = text.endsWith('\n') && tail.indexOf('\n') < tail.length - 1;
      if (endsEmpty || text.search(UNSEEN) >= 0) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  const layout = {
    ...LAYOUT,
    // Long keys must be written as `? …`.
    simpleKeys: false,
    nullStr: 'null',
    doubleQuotedMinMultiLineLength: Infinity,
  };
  return document.toString(layout).replace(UNSEEN, escaped).replace(/\n$/, '');
}

export function writeEntry(key: string, { text, below }: YamlFragment): string {
  return `${writeWord(key)}:${below ? `\n${indented(text, STEP)}` : ` ${text}`}`;
}

export const STEP = 2;

/** Indents every line; empty lines stay empty. */
export function indented(text: string, columns: number): string {
  // Doesn't use `^`, because that also matches after U+2028.
  return text.replace(/(?<=^|\n)(?=[^\r\n])/g, ' '.repeat(columns));
}
