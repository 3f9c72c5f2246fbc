import {
  Composer,
  type CST,
  type Document,
  isScalar,
  Lexer,
  type Node,
  Parser,
  YAMLParseError,
} from 'yaml';
import { pushAll, uniqueBy } from '../core/data/data.ts';
import { ReasonedError } from '../core/errors.ts';
import { LIMITS, readable } from '../core/limits.ts';
import type { Work } from '../node/cooperative.ts';
import { eachNode, type Style, styleOf } from './nodes.ts';

const PARSE_LIMITS = ['too-deep', 'too-many-tokens', 'too-many-errors'] as const;

/** Thrown for text that exceeds a limit. */
export class ParseLimitError extends ReasonedError<(typeof PARSE_LIMITS)[number]> {
  override readonly name = 'ParseLimitError';
}

type Fault = ConstructorParameters<typeof YAMLParseError>;

/** Number of lexemes between pauses. */
const LEXEMES_PER_STEP = 500;

/**
 * The first document in a text, and the second one if there are several.
 *
 * @throws ParseLimitError
 */
function* documentsIn(text: string): Work<readonly Document.Parsed[]> {
  let faults = 0;
  // Each error takes up several kilobytes.
  const countFault = () => {
    faults += 1;
    if (faults <= LIMITS.syntaxErrors) return;
    const most = readable(LIMITS.syntaxErrors);
    const message = `This is not valid YAML: it has more than ${most} syntax errors.`;
    throw new ParseLimitError('too-many-errors', message);
  };
  const composer = new Composer(OPTIONS);
  const { onError } = composer as unknown as { onError(...fault: Fault): void };
  Object.assign(composer, {
    onError(...fault: Fault) {
      countFault();
      onError(...fault);
    },
  });
  const documents: Document.Parsed[] = [];
  for (const token of tokensWithin(text)) {
    if (token?.type === 'error') countFault();
    if (token) pushAll(documents, composer.next(token));
    else yield;
    if (documents.length > 1) return documents;
  }
  yield;
  return [...documents, ...composer.end(true, text.length)];
}

/** Yields a text's tokens, and undefined wherever reading can pause. @throws ParseLimitError */
export function* tokensWithin(text: string): Generator<CST.Token | undefined> {
  const parser = new Parser();
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    count += 1;
    if (count % LEXEMES_PER_STEP === 0) yield;
    if (count > LIMITS.tokens) {
      const message = `The text has more than ${readable(LIMITS.tokens)} YAML tokens. Split it.`;
      throw new ParseLimitError('too-many-tokens', message);
    }
    if (parser.stack.length > LIMITS.depth) {
      const message = `The text is nested more than ${LIMITS.depth} levels deep. Flatten it.`;
      throw new ParseLimitError('too-deep', message);
    }
  }
  yield;
  yield* parser.end();
}

/** A YAML syntax error. Offsets are in UTF-16 units. */
export interface SyntaxFault {
  readonly code: string;
  readonly message: string;
  readonly start: number;
  readonly end: number;
  /** How to fix the range: by quoting it, or by adding a space after it. */
  readonly needs?: 'quote' | 'blank';
}

const TABS = 'tab-indent';

const OPTIONS = { uniqueKeys: false, merge: false, version: '1.2', prettyErrors: false } as const;

/** Parses text, valid or not; undefined if it exceeds a limit. */
export function* parse(text: string): Work<Document.Parsed | undefined> {
  const read = yield* parseOrRefuse(text);
  return read instanceof ParseLimitError ? undefined : read;
}

/** Like `parse`, but returns the limit if the text exceeds one. */
export function* parseOrRefuse(text: string): Work<Document.Parsed | ParseLimitError> {
  try {
    const [document, second] = yield* documentsIn(text);
    if (!document) throw new Error('Internal error: a YAML text without a document.');
    if (second) {
      const [start, end] = second.range;
      document.errors.push(new YAMLParseError([start, end], 'MULTIPLE_DOCS', ''));
    }
    return document;
  } catch (error) {
    if (error instanceof ParseLimitError) return error;
    throw error;
  }
}

/** @param text the text that was parsed */
export function faultsOf({ errors, contents }: Document.Parsed, text: string): SyntaxFault[] {
  /** Errors after which the rest of the text may be misread. */
  const misleading = new Set<SyntaxFault>();
  const faults = errors.map(({ code, message, pos: [start, end] }): SyntaxFault => {
    const place = { start, end: Math.max(start, end) };
    const own = OWN_MESSAGES[code];
    const explained = explainSyntaxError(message.split('\n')[0] ?? '', text, start);
    const fault = own
      ? { ...own, ...place }
      : { code: 'yaml-syntax', ...place, ...openedAt(message, start, contents), ...explained };
    if (own?.code === TABS || (!own && explained.start !== undefined)) misleading.add(fault);
    return fault;
  });
  const sure = faults.findIndex((fault) => misleading.has(fault));
  const shown = faults.filter(({ code }, index) => sure < 0 || index <= sure || code === TABS);
  return uniqueBy(shown, ({ message, start }) => `${start} ${message}`);
}

const QUOTED: readonly Style[] = ['single', 'double'];

/** Start of a string that has no closing quote. The parser only reports where it ends. */
function openedAt(said: string, end: number, contents: Node | null) {
  if (!said.startsWith('Missing closing')) return undefined;
  let opened: Pick<SyntaxFault, 'start' | 'end'> | undefined;
  eachNode(contents, (node) => {
    if (!isScalar(node) || !node.range || node.range[0] >= end) return;
    const [start, behind] = node.range;
    if (QUOTED.includes(styleOf(node))) opened = { start, end: behind };
  });
  return opened;
}

const OWN_MESSAGES: Readonly<Record<string, Pick<SyntaxFault, 'code' | 'message'>>> = {
  TAB_AS_INDENT: { code: TABS, message: "YAML can't be indented with tabs. Use spaces." },
  MULTIPLE_DOCS: {
    code: 'several-documents',
    message: 'A second document starts here. Keep one suite per file.',
  },
};

const UNREADABLE: readonly string[] = [
  'yaml-syntax',
  TABS,
  'several-documents',
  ...PARSE_LIMITS,
  'bad-key',
  'unknown-alias',
  'circular-alias',
];

/** Whether a problem prevents the text, or one of its items, from being read correctly. */
export function isUnreadable({ code }: Pick<SyntaxFault, 'code'>): boolean {
  return UNREADABLE.includes(code);
}

/** An explanation, including the text to fix or to indent, if known. */
type SyntaxExplanation = Partial<SyntaxFault> & Pick<SyntaxFault, 'message'>;

/** Explanations for the parser's messages. */
const EXPLANATIONS: readonly (readonly [RegExp, (found: RegExpExecArray) => string])[] = [
  [/^Missing closing .quote/, () => 'This text has no closing quote.'],
  [
    /^Flow (?:map|sequence) .* end with a (.)$/,
    ([, bracket]) => `This has no closing "${bracket}".`,
  ],
  [/^All .* items must start at the same column/, () => WRONG_INDENT],
  [/^Sequence item without - indicator/, () => WRONG_INDENT],
  [/^A block sequence may not be used as an implicit map key/, () => WRONG_INDENT],
  [/^Nested mappings are not allowed/, () => NEEDS_QUOTES],
  [/^Implicit keys need to be on a single line/, () => EXPECTED_ENTRY],
  [/^Implicit map keys need to be followed by map values/, () => EXPECTED_ENTRY],
  [
    /^Plain value cannot start with .*(.)$/,
    ([, sign]) => `Text that starts with "${sign}" needs quotes.`,
  ],
  [
    /^Invalid escape sequence (.*)$/,
    ([, written]) => `"${written}" is not an escape. Write "\\\\" for a backslash.`,
  ],
  [
    /^Unexpected scalar/,
    () => 'Text continues after its closing quote. Use the other kind of quotes around it.',
  ],
  [/^Unexpected block-seq-ind/, () => 'Start the list on the next line, or write it as [a, b].'],
  [/^Unexpected flow-(?:map|seq)-end/, () => 'This closing bracket has no opening bracket.'],
  [/^Block scalar header/, () => 'Start the text on the next line.'],
];

const WRONG_INDENT = 'This line is not indented like the lines around it.';
const EXPECTED_ENTRY = 'Expected `key: value`, with a space after the colon.';
const NEEDS_QUOTES = 'Text that contains ": " needs quotes.';

/** Matches `-id: a`, `- id:a`, and text with a colon after a key. */
const GLUED_DASH = /^([ \t]*)-(?=[a-z_][\w-]*:)/;
const GLUED_COLON = /^([ \t]*(?:- +)*)([a-z_]\w*:)(?=["'\w[{])/;
const COLON_TEXT = /^([ \t]*(?:- +)*[a-z_]\w*: +)([^\s"'[{&*!|>#](?:.*?\S)?)(?: +#.*)?$/s;

/** Matches a value that starts with a variable, which YAML reads as a mapping. */
const VARIABLE_FIRST = /^([ \t]*(?:- +)*(?:[a-z_]\w*: +)?)(\{\{.*?\S)(?: +#.*)?$/s;

/** @param said the parser's error message @param at the offset that it is about */
function explainSyntaxError(said: string, text: string, at: number): SyntaxExplanation {
  const first = text.lastIndexOf('\n', at - 1) + 1;
  const [line = ''] = text.slice(first).split(/\r?\n/, 1);
  const [, indent, ...glued] = GLUED_DASH.exec(line) ?? GLUED_COLON.exec(line) ?? [];
  if (indent !== undefined) {
    const [sign = '-'] = glued;
    const start = first + indent.length;
    const message = `Put a space after "${sign}".`;
    return { message, start, end: start + sign.length, needs: 'blank' };
  }
  const [, before, variable] = VARIABLE_FIRST.exec(line) ?? [];
  if (before !== undefined && variable !== undefined) {
    const start = first + before.length;
    const message = 'Text that starts with "{{" needs quotes.';
    return { message, start, end: start + variable.length, needs: 'quote' };
  }
  for (const [pattern, words] of EXPLANATIONS) {
    const found = pattern.exec(said);
    if (!found) continue;
    const message = words(found);
    if (message === WRONG_INDENT) return misplaced(first, line.length);
    if (message !== NEEDS_QUOTES) return { message };
    // The colon is on the next line, which YAML reads as part of this text.
    if (!/:(?:\s|$)/.test(line.slice(at - first))) return nextMisplaced(text, first + line.length);
    const [, head = '', value] = COLON_TEXT.exec(line) ?? [];
    if (value === undefined) return { message };
    const start = first + head.length;
    return { message, start, end: start + value.length, needs: 'quote' };
  }
  return { message: `This is not valid YAML: ${said}` };
}

function misplaced(start: number, length: number): SyntaxExplanation {
  return { message: WRONG_INDENT, start, end: start + length };
}

/** @param end the end of the previous line */
function nextMisplaced(text: string, end: number): SyntaxExplanation {
  const [blank = '', words = ''] = /^(?:\s*(?:#.*)?\n)*([ \t]*\S.*)?/.exec(text.slice(end)) ?? [];
  return misplaced(end + blank.length - words.length, words.length);
}
