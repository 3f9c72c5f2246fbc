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
import { binarySearchLast, pushAll, uniqueBy } from '../core/data/data.ts';
import { ReasonedError } from '../core/errors.ts';
import { LIMITS, readable } from '../core/limits.ts';
import type { Work } from '../node/cooperative.ts';
import { eachNode, isFlow, type Style, styleOf } from './nodes.ts';
import { explainSyntaxError, isUnclosed, type SyntaxFault } from './syntaxErrors.ts';

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
  let opened: number[] | undefined;
  const faults = errors.map(({ code, message, pos: [start, end] }): SyntaxFault => {
    const place = { start, end: Math.max(start, end) };
    const own = OWN_MESSAGES[code];
    const said = message.split('\n')[0] ?? '';
    if (isUnclosed(said)) opened ??= openings(contents);
    const from = isUnclosed(said) && binarySearchLast(opened ?? [], (one) => one < start);
    const explained = explainSyntaxError(said, text, from || start);
    const fault = own ? { ...own, ...place } : { code: 'yaml-syntax', ...place, ...explained };
    if (own?.code === TABS || (!own && explained.start !== undefined)) misleading.add(fault);
    return fault;
  });
  const sure = faults.findIndex((fault) => misleading.has(fault));
  const shown = faults.filter(({ code }, index) => sure < 0 || index <= sure || code === TABS);
  return uniqueBy(shown, ({ message, start }) => `${start} ${message}`);
}

const QUOTED: readonly Style[] = ['single', 'double'];

/** Starts of quoted texts, lists in brackets, and mappings in braces. The parser reports only the ends of unclosed ones. */
function openings(contents: Node | null): number[] {
  const starts: number[] = [];
  eachNode(contents, (node) => {
    const opens = isScalar(node) ? QUOTED.includes(styleOf(node)) : isFlow(node);
    if (opens && node.range) starts.push(node.range[0]);
  });
  return starts;
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
