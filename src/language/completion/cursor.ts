import { type Path, valueAt } from '../../core/data/data.ts';
import type { Position, Range } from '../../core/problem.ts';
import type { Work } from '../../node/cooperative.ts';
import { readLeniently } from '../../yaml/documentValue.ts';
import { findMark, type MarkedYaml, type MarkSearchResult } from '../../yaml/markedYaml.ts';
import { type Slice, sliceAt, wholeSlice } from './slice.ts';

export interface Cursor {
  /** The file's data, reduced to the case at the cursor. A long case is shortened. */
  readonly root: unknown;
  /** The path of the value, or of the key that is being typed. */
  readonly path: Path;
  readonly onKey: boolean;
  readonly style: MarkedYaml['style'];
  /** Whether the line has an unclosed quote, which the completion closes. */
  readonly unclosedQuote: boolean;
  readonly typed: string;
  /** The range of the text to replace, without its quotes. */
  readonly range: Range;
  /** Whether the cursor is right after a colon that needs a space. */
  readonly needsSpace: boolean;
  readonly hasColon: boolean;
  readonly inFlow: boolean;
  /** Whether a new mapping can start here: at the start of a line, or after a dash. */
  readonly canStartMapping: boolean;
  /** Columns of the typed text and its key, relative to the line's first word. */
  readonly indent: { readonly own: number; readonly key: number };
  /** Set after `{{`. */
  readonly variable?: VariableCursor;
  /** The whole case at the cursor; undefined if there is none. */
  readonly wholeCase: () => Work<unknown>;
}

export interface VariableCursor {
  /** The range to replace: from after the opening braces to the end of the closing braces. */
  readonly range: Range;
  /** Whether the text starts with the braces and therefore needs quotes: `user: {{name`. */
  readonly needsQuotes: boolean;
}

/** Inserted at the cursor, so that incomplete YAML parses. */
const MARK = 'turnlightcursor';

export function isMarked(text: string): boolean {
  return text.includes(MARK);
}

/** Longer lines are truncated. */
const MAX_LINE = 10_000;

const VARIABLE = /\{\{[ \t]*((?:[A-Za-z_][\w.-]*)?)$/;

/** Undefined in comments, and for positions outside of the text. */
export function* cursorAt(text: string, position: Position): Work<Cursor | undefined> {
  const slice = text.includes(MARK) ? undefined : sliceAt(text, position);
  if (!slice) return undefined;
  const cursor = yield* cursorInSlice(slice, position);
  // An alias whose anchor is in another case.
  return cursor === 'dangling' ? yield* cursorInText(text, position) : cursor;
}

/** Like `cursorAt`, for text other than eval files. */
export function* cursorInText(text: string, position: Position): Work<Cursor | undefined> {
  const slice = text.includes(MARK) ? undefined : wholeSlice(text, position);
  const cursor = slice && (yield* cursorInSlice(slice, position));
  return cursor === 'dangling' ? undefined : cursor;
}

/** The variable that is being typed in a line of plain text. */
export function variableIn(line: string, position: Position): VariableCursor | undefined {
  const column = Math.min(position.character, line.length);
  const [, name] = VARIABLE.exec(line.slice(0, column)) ?? [];
  if (name === undefined) return undefined;
  const rest = restLength(line.slice(column));
  return { needsQuotes: false, range: rangeAround(position, column, name.length, rest) };
}

/** Number of characters in the rest of the variable, including its closing braces. */
function restLength(after: string): number {
  return /^[\w.-]*(?:[ \t]*\}{1,2})?/.exec(after)?.[0].length ?? 0;
}

interface Attempt extends MarkSearchResult {
  readonly text: string;
  readonly unclosedQuote?: boolean;
  readonly needsSpace?: boolean;
}

function* cursorInSlice(slice: Slice, position: Position): Work<Cursor | undefined | 'dangling'> {
  const { text, offset } = slice;
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const before = text.slice(lineStart, offset);
  const after = /[^\r\n]*/y.exec(text.slice(offset, offset + MAX_LINE))?.[0] ?? '';
  const variable = VARIABLE.exec(before);
  // Replaces `{{name}}` with the mark, because unquoted braces would be a mapping.
  const attempt: Attempt = variable
    ? yield* putMark(slice, MARK, variable[0].length, restLength(after))
    : yield* locate(slice, before, after);
  const { found, dangling } = attempt;
  if (!found) return undefined;
  if (dangling && slice.partial) return 'dangling';
  const mark = attempt.text.indexOf(MARK);
  const typed = attempt.text.slice(found.start, mark);
  const rest = attempt.text.slice(mark + MARK.length, found.end);
  const range = rangeAround(position, before.length, typed.length, rest.length);
  const needsQuotes = found.style === 'plain' && mark === found.start;
  const braced = variable?.[needsQuotes ? 0 : 1] ?? '';
  const variableRange = rangeAround(position, before.length, braced.length, restLength(after));
  const margin = /^\s*/.exec(before)?.[0].length ?? 0;
  const column = (at: number) => at - (attempt.text.lastIndexOf('\n', at - 1) + 1);
  const lead = attempt.text.slice(attempt.text.lastIndexOf('\n', mark) + 1, found.start);
  return {
    root: found.root,
    path: found.path,
    onKey: found.onKey,
    style: /[\r\n]/.test(typed + rest) && found.style !== 'block' ? 'block' : found.style,
    unclosedQuote: attempt.unclosedQuote ?? false,
    typed,
    range,
    needsSpace: attempt.needsSpace ?? false,
    hasColon: /^["']?[ \t]*:/.test(after.slice(rest.length)),
    inFlow: found.inFlow,
    canStartMapping: found.style === 'plain' && !found.inFlow && /^[ \t]*(?:-[ \t]+)*$/.test(lead),
    indent: {
      own: column(found.start) - margin,
      key: found.keyStart === undefined ? 0 : column(found.keyStart) - margin,
    },
    ...(variable && { variable: { needsQuotes, range: variableRange } }),
    wholeCase: () => wholeCase(slice, found),
  };
}

/** Replaces the text around the cursor. */
function* putMark(
  { text, offset }: Slice,
  insert: string,
  before: number,
  after: number,
): Work<Attempt> {
  const marked = text.slice(0, offset - before) + insert + text.slice(offset + after);
  return { ...(yield* findMark(marked, MARK)), text: marked };
}

/** Tries the unchanged text first, then likely corrections. */
function* locate(slice: Slice, before: string, after: string): Work<Attempt> {
  const put = (insert: string, skipped = 0) => putMark(slice, insert, 0, skipped);
  const word = /^[\w.-]*/.exec(after)?.[0] ?? '';
  if (/(?:^|[\s{,])["']?[\w-]+["']?:$/.test(before) && /^[ \t]*(?:[}\],].*)?$/.test(after)) {
    const spaced = yield* put(` ${MARK}`);
    if (spaced.found && !spaced.found.onKey && spaced.found.style === 'plain') {
      return { ...spaced, needsSpace: true };
    }
  }
  const plain = yield* put(MARK);
  const quote = findUnclosedQuote(before);
  if (quote !== undefined && plain.faults > 0 && !after.includes(quote)) {
    const closed = yield* put(`${MARK}${word}${quote}`, word.length);
    const { style } = closed.found ?? {};
    if (style === 'single' || style === 'double') return { ...closed, unclosedQuote: true };
  }
  // A key that is being typed absorbs the next line: th| assert: []
  if (plain.found?.onKey && /[\r\n]/.test(plain.text.slice(plain.found.start, plain.found.end))) {
    return yield* put(`${MARK}${word}: `, word.length);
  }
  return plain;
}

/** The quote that is opened but not closed in the line. */
function findUnclosedQuote(line: string): string | undefined {
  if (line.length > MAX_LINE) return undefined;
  let open: string | undefined;
  let begins = true;
  for (const [index, character] of [...line].entries()) {
    if (open === undefined) {
      if (begins && (character === '"' || character === "'")) open = character;
      else if (character === '#' && /\s/.test(line[index - 1] ?? ' ')) return undefined;
      begins = /[\s[{,]/.test(character) ? begins || character !== ' ' : /[:-]/.test(character);
    } else if (character === open) {
      open = undefined;
      begins = false;
    }
  }
  return open;
}

function rangeAround({ line }: Position, character: number, before: number, after: number): Range {
  return {
    start: { line, character: Math.max(0, character - before) },
    end: { line, character: character + after },
  };
}

function* wholeCase({ wholeCase: text }: Slice, { root, path }: MarkedYaml): Work<unknown> {
  if (path[0] !== 'cases') return undefined;
  const cases = text === undefined ? valueAt(root, ['cases']) : yield* readLeniently(text);
  return Array.isArray(cases) ? cases[text === undefined ? Number(path[1]) : 0] : undefined;
}
