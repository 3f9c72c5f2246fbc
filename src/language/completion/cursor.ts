import { type Path, valueAt } from '../../core/data/data.ts';
import type { Position, Range } from '../../core/problem.ts';
import type { Work } from '../../node/cooperative.ts';
import { readLeniently } from '../../yaml/documentValue.ts';
import { findMark, type Marked, type MarkSearchResult } from '../../yaml/markedYaml.ts';
import { type Slice, sliceAt, wholeSlice } from './slice.ts';

/** Where a key or value is being written. */
export interface Cursor {
  /** Of the file, with the case at the cursor alone; a long case without its other turns. */
  readonly root: unknown;
  /** To the value; to the owner and the key where a key is written. */
  readonly path: Path;
  readonly onKey: boolean;
  readonly style: Marked['style'];
  /** A quote that is opened and not closed in its line; the completion closes it. */
  readonly halfOpen: boolean;
  readonly typed: string;
  /** What stands there already, within its quotes; all of it is replaced. */
  readonly range: Range;
  /** The cursor is right after a colon, which needs a blank. */
  readonly blankNeeded: boolean;
  readonly hasColon: boolean;
  readonly inFlow: boolean;
  /** A new mapping could begin here: the first thing in its line or after a dash. */
  readonly begins: boolean;
  /** Columns from the line's first word: of what is written, and of the key it belongs to. */
  readonly indent: { readonly own: number; readonly key: number };
  /** `{{` stands before it: a variable. */
  readonly variable?: VariableCursor;
  /** The whole case at the cursor; undefined if there is none. */
  readonly wholeCase: () => Work<unknown>;
}

export interface VariableCursor {
  /** From after the braces up to those that close, which are replaced. */
  readonly range: Range;
  /** The text begins with the braces and has no quotes yet: `user: {{name`. */
  readonly bare: boolean;
}

/** Stands where the cursor is, so that half-written YAML parses. */
const MARK = 'turnlightcursor';

/** Whether a text is the one that is being typed. */
export function isMarked(text: string): boolean {
  return text.includes(MARK);
}

/** Characters of a line, farther than which nothing is looked for in it. */
const LONG_LINE = 10_000;

const VARIABLE = /\{\{[ \t]*((?:[A-Za-z_][\w.-]*)?)$/;

/** Undefined if no YAML can be completed: in comments, and outside of the text. */
export function* cursorAt(text: string, position: Position): Work<Cursor | undefined> {
  const slice = text.includes(MARK) ? undefined : sliceAt(text, position);
  if (!slice) return undefined;
  const cursor = yield* cursorInSlice(slice, position);
  // An alias of what stands in another case.
  if (cursor !== 'dangling') return cursor;
  const whole = wholeSlice(text, position);
  const again = whole && (yield* cursorInSlice(whole, position));
  return again === 'dangling' ? undefined : again;
}

/** As `cursorAt`, of a text that is no eval file. */
export function* cursorInText(text: string, position: Position): Work<Cursor | undefined> {
  const slice = text.includes(MARK) ? undefined : wholeSlice(text, position);
  const cursor = slice && (yield* cursorInSlice(slice, position));
  return cursor === 'dangling' ? undefined : cursor;
}

/** The variable that is being written in a line of plain text. */
export function variableIn(
  line: string,
  { line: number, character }: Position,
): VariableCursor | undefined {
  const column = Math.min(character, line.length);
  const variable = VARIABLE.exec(line.slice(0, column));
  if (!variable) return undefined;
  const rest = restOf(line.slice(column));
  const before = (variable[1] ?? '').length;
  return { bare: false, range: around({ line: number, character: column }, column, before, rest) };
}

/** How much of a variable stands after the cursor, with the braces that close it. */
function restOf(after: string): number {
  return /^[\w.-]*(?:[ \t]*\}{1,2})?/.exec(after)?.[0].length ?? 0;
}

interface Attempt extends MarkSearchResult {
  readonly text: string;
  readonly halfOpen?: boolean;
  readonly blankNeeded?: boolean;
}

function* cursorInSlice(slice: Slice, position: Position): Work<Cursor | undefined | 'dangling'> {
  const { text, offset } = slice;
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const before = text.slice(lineStart, offset);
  const after = /[^\r\n]*/y.exec(text.slice(offset, offset + LONG_LINE))?.[0] ?? '';
  const variable = VARIABLE.exec(before);
  const attempt = variable
    ? yield* markVariable(slice, variable[0].length, after)
    : yield* locate(slice, before, after);
  const { found, dangling } = attempt;
  if (!found) return undefined;
  if (dangling && slice.partial) return 'dangling';
  const mark = attempt.text.indexOf(MARK);
  const typed = attempt.text.slice(found.start, mark);
  const rest = attempt.text.slice(mark + MARK.length, found.end);
  const range = around(position, before.length, typed.length, rest.length);
  const margin = /^\s*/.exec(before)?.[0].length ?? 0;
  const column = (at: number) => at - (attempt.text.lastIndexOf('\n', at - 1) + 1);
  const lead = attempt.text.slice(attempt.text.lastIndexOf('\n', mark) + 1, found.start);
  return {
    root: found.root,
    path: found.path,
    onKey: found.onKey,
    style: /[\r\n]/.test(typed + rest) && found.style !== 'block' ? 'block' : found.style,
    halfOpen: attempt.halfOpen ?? false,
    typed,
    range,
    blankNeeded: attempt.blankNeeded ?? false,
    hasColon: /^["']?[ \t]*:/.test(after.slice(rest.length)),
    inFlow: found.inFlow,
    begins: found.style === 'plain' && !found.inFlow && /^[ \t]*(?:-[ \t]+)*$/.test(lead),
    indent: {
      own: column(found.start) - margin,
      key: found.keyStart === undefined ? 0 : column(found.keyStart) - margin,
    },
    ...(variable && { variable: variableCursor(variable, found, mark, position, before, after) }),
    wholeCase: () => wholeCase(slice, found),
  };
}

/** The mark instead of `{{name}}`: without quotes, braces would be a mapping. */
function* markVariable({ text, offset }: Slice, typed: number, after: string): Work<Attempt> {
  const rest = restOf(after);
  const marked = `${text.slice(0, offset - typed)}${MARK}${text.slice(offset + rest)}`;
  return { ...(yield* findMark(marked, MARK)), text: marked };
}

function variableCursor(
  variable: RegExpExecArray,
  found: Marked,
  mark: number,
  position: Position,
  before: string,
  after: string,
): VariableCursor {
  const bare = found.style === 'plain' && mark === found.start;
  const name = variable[1] ?? '';
  const from = bare ? variable[0].length : name.length;
  const rest = restOf(after);
  return { bare, range: around(position, before.length, from, rest) };
}

/** Tries the text as it stands first, then as it is most likely meant. */
function* locate({ text, offset }: Slice, before: string, after: string): Work<Attempt> {
  const put = function* (insert: string, skipped = 0): Work<Attempt> {
    const marked = text.slice(0, offset) + insert + text.slice(offset + skipped);
    return { ...(yield* findMark(marked, MARK)), text: marked };
  };
  const word = /^[\w.-]*/.exec(after)?.[0] ?? '';
  if (/(?:^|[\s{,])["']?[\w-]+["']?:$/.test(before) && /^[ \t]*(?:[}\],].*)?$/.test(after)) {
    const spaced = yield* put(` ${MARK}`);
    if (spaced.found && !spaced.found.onKey && spaced.found.style === 'plain') {
      return { ...spaced, blankNeeded: true };
    }
  }
  const plain = yield* put(MARK);
  const quote = openQuote(before);
  if (quote !== undefined && plain.faults > 0 && !after.includes(quote)) {
    const closed = yield* put(`${MARK}${word}${quote}`, word.length);
    const { style } = closed.found ?? {};
    if (style === 'single' || style === 'double') return { ...closed, halfOpen: true };
  }
  // A key that is being typed swallows the next line:
  //     th|
  //     assert: []
  if (plain.found?.onKey && /[\r\n]/.test(plain.text.slice(plain.found.start, plain.found.end))) {
    return yield* put(`${MARK}${word}: `, word.length);
  }
  return plain;
}

/** The quote that begins a text in this line and does not end it. */
function openQuote(line: string): string | undefined {
  if (line.length > LONG_LINE) return undefined;
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

function around({ line }: Position, character: number, before: number, after: number): Range {
  return {
    start: { line, character: Math.max(0, character - before) },
    end: { line, character: character + after },
  };
}

function* wholeCase({ wholeCase: text }: Slice, { root, path }: Marked): Work<unknown> {
  if (path[0] !== 'cases') return undefined;
  const cases = text === undefined ? valueAt(root, ['cases']) : yield* readLeniently(text);
  return Array.isArray(cases) ? cases[text === undefined ? Number(path[1]) : 0] : undefined;
}
