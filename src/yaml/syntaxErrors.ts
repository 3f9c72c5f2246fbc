import type { Fix } from '../core/problem.ts';
import { formatList } from '../core/text/format.ts';
import { quoted, STEP } from './quoting.ts';

/** A YAML syntax error. Offsets are in UTF-16 units. */
export interface SyntaxFault {
  readonly code: string;
  readonly message: string;
  readonly start: number;
  readonly end: number;
  /** Like `Fix.rewrite`, with offsets. */
  readonly rewrite?: Omit<NonNullable<Fix['rewrite']>, 'range'> & Span;
  readonly indent?: Fix['indent'];
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** A fault with all of its offsets changed. */
export function moveFault<Fault extends SyntaxFault>(
  fault: Fault,
  move: (offset: number) => number,
): Fault {
  const moved = <One extends Span>(one: One): One => ({
    ...one,
    start: move(one.start),
    end: move(one.end),
  });
  return { ...moved(fault), ...(fault.rewrite && { rewrite: moved(fault.rewrite) }) };
}

/** An explanation, with the text that it is about, if known. */
type SyntaxExplanation = Partial<SyntaxFault> & Pick<SyntaxFault, 'message'>;

/** A line of a text, and the offset of an error in it. */
interface FaultyLine {
  readonly text: string;
  readonly line: string;
  /** Offset of the line in the text. */
  readonly first: number;
  readonly at: number;
}

/** Explanations for the parser's messages. */
const EXPLANATIONS: readonly (readonly [
  RegExp,
  (faulty: FaultyLine, found: RegExpExecArray) => SyntaxExplanation,
])[] = [
  [/^Missing closing .quote/, (faulty) => unclosed(faulty, 'This text has no closing quote.')],
  [
    /^Flow (?:map|sequence) .* end with a (.)$/,
    (faulty, [, bracket]) => unclosed(faulty, `This has no closing "${bracket}".`, bracket),
  ],
  [/^All .* items must start at the same column/, misplaced],
  [/^Sequence item without - indicator/, misplaced],
  [/^A block sequence may not be used as an implicit map key/, misplaced],
  [/^Nested mappings are not allowed/, colonInText],
  [/^Implicit keys need to be on a single line/, lacksColon],
  [/^Implicit map keys need to be followed by map values/, lacksColon],
  [/^Plain value cannot start with .*(.)$/, (faulty, [, sign = '']) => needsQuotes(faulty, sign)],
  [/^Invalid escape sequence (.*)$/, (faulty, [, written = '']) => wrongEscape(faulty, written)],
  [/^Unexpected scalar/, textAfterEnd],
  [/^Unexpected block-seq-ind/, listInLine],
  [
    /^Unexpected flow-(?:map|seq)-end/,
    () => ({ message: 'This closing bracket has no opening bracket.' }),
  ],
  [/^Block scalar header/, () => ({ message: 'Start the text on the next line.' })],
];

/** Whether the parser's message is about something that isn't closed. */
export function isUnclosed(said: string): boolean {
  return /^(?:Missing closing .quote|Flow (?:map|sequence))/.test(said);
}

/** @param said the parser's error message @param at the offset that it is about */
export function explainSyntaxError(said: string, text: string, at: number): SyntaxExplanation {
  const faulty = lineAt(text, at);
  const unspaced = glued(faulty);
  if (unspaced) return unspaced;
  if (valueIn(faulty)?.words.startsWith('{{')) return needsQuotes(faulty, '{{');
  for (const [pattern, explain] of EXPLANATIONS) {
    const found = pattern.exec(said);
    if (found) return explain(faulty, found);
  }
  return { message: `This is not valid YAML: ${said}` };
}

function lineAt(text: string, at: number): FaultyLine {
  const first = text.lastIndexOf('\n', at - 1) + 1;
  const [line = ''] = text.slice(first).split(/\r?\n/, 1);
  return { text, line, first, at };
}

/** Matches `-id: a` and `- id:a`. */
const GLUED_DASH = /^([ \t]*)-(?=[a-z_][\w-]*:)/;
const GLUED_COLON = /^([ \t]*(?:- +)*)([a-z_]\w*:)(?=["'\w[{])/;

function glued({ line, first }: FaultyLine): SyntaxExplanation | undefined {
  const [, indent, sign = '-'] = GLUED_DASH.exec(line) ?? GLUED_COLON.exec(line) ?? [];
  if (indent === undefined) return undefined;
  const start = first + indent.length;
  const end = start + sign.length;
  const rewrite = { title: 'Insert the missing space', start: end, end, text: ' ' };
  return { message: `Put a space after "${sign}".`, start, end, rewrite };
}

/** Matches a line's dashes and key, and the text after them, without a comment. */
const VALUE = /^([ \t]*(?:- +)*(?:[a-z_]\w*: +)?)(\S(?:.*?\S)?)(?: +#.*)?$/s;

/** The text in a line, after its dashes and its key. */
function valueIn({ line, first }: FaultyLine): (Span & { readonly words: string }) | undefined {
  const [, head, words] = VALUE.exec(line) ?? [];
  if (head === undefined || words === undefined) return undefined;
  const start = first + head.length;
  return { words, start, end: start + words.length };
}

/** Replaces the text in a line. */
function rewriteOf(faulty: FaultyLine, text: string, title = 'Put in quotes') {
  const { start = 0, end = 0 } = valueIn(faulty) ?? {};
  return { start, end, rewrite: { title, start, end, text } };
}

function needsQuotes(faulty: FaultyLine, sign: string): SyntaxExplanation {
  const message = `Text that starts with "${sign}" needs quotes.`;
  const { words = '' } = valueIn(faulty) ?? {};
  return { message, ...(words.startsWith(sign) && rewriteOf(faulty, quoted(words))) };
}

/** Text after a closing quote, or after what YAML reads as an alias. */
function textAfterEnd(faulty: FaultyLine): SyntaxExplanation {
  const { words = '' } = valueIn(faulty) ?? {};
  if (words.startsWith('*')) return needsQuotes(faulty, '*');
  const message =
    'Text continues after its closing quote. Put all of it in the other kind of quotes.';
  const hasApostrophe = /^'/.test(words) && words.endsWith("'") && /\w'\w/.test(words);
  const inner = hasApostrophe ? words.slice(1, -1) : words;
  return { message, ...(/^["']/.test(words) && rewriteOf(faulty, quoted(inner))) };
}

function wrongEscape(faulty: FaultyLine, written: string): SyntaxExplanation {
  const message = `"${written}" is not an escape. Write "\\\\" for a backslash.`;
  const [, inner = '\\\\'] = /^"([^"]*)"$/.exec(valueIn(faulty)?.words ?? '') ?? [];
  if (inner.includes('\\\\')) return { message };
  return { message, ...rewriteOf(faulty, quoted(inner), 'Use single quotes') };
}

function colonInText(faulty: FaultyLine): SyntaxExplanation {
  const { text, line, first, at } = faulty;
  // The colon is on the next line, which YAML reads as part of this text.
  if (!/:(?:\s|$)/.test(line.slice(at - first))) {
    const end = first + line.length;
    const [blank = ''] = /^(?:\s*(?:#.*)?\n)*/.exec(text.slice(end)) ?? [];
    return misplaced(lineAt(text, end + blank.length));
  }
  const { words = '' } = valueIn(faulty) ?? {};
  const message = 'Text that contains ": " needs quotes.';
  return { message, ...(/^[^"'[{&*!|>#]/.test(words) && rewriteOf(faulty, quoted(words))) };
}

function listInLine(faulty: FaultyLine): SyntaxExplanation {
  const message = 'Start the list on the next line, or write it as [a, b].';
  const [, item] = /^- +([^-\s[\]{},"'][^[\]{},"']*)$/.exec(valueIn(faulty)?.words ?? '') ?? [];
  return { message, ...(item && rewriteOf(faulty, `[${item}]`, 'Write the list in brackets')) };
}

/** Matches a line's first word, which may be a key without a colon. */
const BARE_KEY = /^[ \t]*(?:- +)*([a-z_][\w-]*)(?=$| +[^\s:])/;

function lacksColon({ line, first, at }: FaultyLine): SyntaxExplanation {
  const message = 'Expected `key: value`, with a space after the colon.';
  const [head = '', key] = BARE_KEY.exec(line) ?? [];
  if (key === undefined) return { message };
  const end = first + head.length;
  const title = `Insert a colon after "${key}"`;
  const rewrite = { title, start: end, end, text: ':', guessed: true } as const;
  return { message, start: at, end: first + line.trimEnd().length, rewrite };
}

/** @param bracket the missing bracket; default: the quote at the start */
function unclosed(
  { text, line, first, at }: FaultyLine,
  message: string,
  bracket?: string,
): SyntaxExplanation {
  const end = first + line.replace(/ #.*$/s, '').trimEnd().length;
  // Nothing follows the opening bracket on its line.
  if (end <= at + 1) return { message };
  const title = `Add the closing ${bracket ?? 'quote'}`;
  const rewrite = {
    title,
    start: end,
    end,
    text: bracket ?? text.charAt(at),
    guessed: true,
  } as const;
  return { message, start: at, end, rewrite };
}

function misplaced(faulty: FaultyLine): SyntaxExplanation {
  const { text, line, first } = faulty;
  const above = lineAt(text, text.slice(0, first).trimEnd().length);
  const unspaced = GLUED_DASH.test(above.line) ? glued(above) : undefined;
  if (unspaced) return unspaced;
  const place = { start: first, end: first + line.length };
  const indent = columnsFor(faulty);
  if (indent.length === 0)
    return { message: 'This line is not indented like the lines around it.', ...place };
  const [columns, found] = [formatList(indent.map(String), 'or'), indentOf(line)];
  return { message: `Indent this line by ${columns} spaces, not ${found}.`, ...place, indent };
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Maximum number of lines to look at. */
const MAX_LINES = 1_000;

/** Matches a line's indentation, its dashes, and its key, if it has one. */
const PARTS = /^( *)((?:- +)*)([\w.-]+:(?=\s|$))?/;

/** Columns at which a line continues a list or mapping that is open above it; the two nearest ones. */
function columnsFor({ text, line, first }: FaultyLine): number[] {
  const isItem = /^\s*-(?: |$)/.test(line);
  const found = indentOf(line);
  const columns: number[] = [];
  let limit = Number.POSITIVE_INFINITY;
  let end = first - 1;
  for (let count = 0; end > 0 && limit > 0 && count < MAX_LINES; count += 1) {
    const start = text.lastIndexOf('\n', end - 1) + 1;
    const above = text.slice(start, end).trimEnd();
    end = start - 1;
    const [, { length: indent } = '', { length: dashes } = '', key] = PARTS.exec(above) ?? [];
    if (/^\s*(?:#|$)/.test(above) || indent >= limit) continue;
    const keyColumn = indent + dashes;
    // A key without a value on its line opens what is below it.
    if (limit === Number.POSITIVE_INFINITY && key && above.endsWith(':'))
      columns.push(keyColumn + STEP);
    if (isItem && dashes > 0) columns.push(indent);
    if (!isItem && key && keyColumn < limit) columns.push(keyColumn);
    limit = indent;
  }
  const away = (column: number) => Math.abs(column - found);
  const others = [...new Set(columns)].filter((column) => column !== found);
  const [nearest = 0] = others.sort((a, b) => away(a) - away(b));
  return others.slice(0, 2).filter((column) => away(column) <= 2 * away(nearest));
}
