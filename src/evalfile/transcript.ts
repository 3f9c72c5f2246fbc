import {
  type OpenEnd,
  openEnd,
  type SourcedMessage,
  toConversation,
} from '../core/conversation.ts';
import {
  isMapping,
  jsonExcess,
  type Mapping,
  type Path,
  stringOf,
  uniqueBy,
} from '../core/data/data.ts';
import { LIMITS, readable } from '../core/limits.ts';
import type { Message } from '../core/message.ts';
import {
  errorAt,
  isError,
  limitProblems,
  type Problem,
  type Range,
  START,
} from '../core/problem.ts';
import type { GivenImage } from '../messages/dialect.ts';
import { readMessages } from '../messages/readMessages.ts';
import { runSync, type Work } from '../node/cooperative.ts';
import { locateProblem } from '../schema/valueProblems.ts';
import { readYaml, type YamlDocument } from '../yaml/yamlDocument.ts';

export interface LoadedTranscript {
  /** The messages, without their images. */
  readonly messages: readonly SourcedMessage[];
  /** The images to read. */
  readonly images?: readonly PlacedImage[];
  readonly notes: readonly string[];
  readonly problems: readonly Problem[];
}

/** An image and its part's location. */
export interface PlacedImage {
  /** Index of its message. */
  readonly message: number;
  readonly given: GivenImage;
  readonly document: YamlDocument;
  readonly path: Path;
}

/**
 * Reads the messages at `base` in a document.
 *
 * @param unknownKeys whether unknown keys are errors, as in an eval file, or ignored with a warning for each
 * @param roles the names that the document uses for the sides
 */
export function readTranscript(
  given: unknown,
  document: YamlDocument,
  base: Path,
  unknownKeys: 'refused' | 'ignored',
  roles?: Roles,
): LoadedTranscript {
  const { list, unread } = translateRoles(given, roles);
  const read = readMessages(list);
  const strict = unknownKeys === 'refused';
  const problems = [...read.problems, ...(strict ? read.unknownKeys : [])].map((problem) => {
    const { path, onKey = path.length <= 1 } = problem;
    const isForeign = problem.code === 'unknown-role';
    const message = isForeign ? `${problem.message} ${NAME_SIDES}` : problem.message;
    const placed = locateProblem({ ...problem, message, onKey }, document, base);
    return base.length + path.length === 0 ? atStart(placed) : placed;
  });
  const messages = read.messages.map(({ message, index }) => ({
    message,
    source: { path: document.path, range: document.entryRangeOf([...base, index]) },
  }));
  for (const problem of strict ? [] : uniqueBy(read.unknownKeys, ({ path }) => path.at(-1))) {
    const message = `${problem.message} It is ignored.`;
    const located = locateProblem({ ...problem, message }, document, base);
    problems.push({ ...located, severity: 'warning' });
  }
  const end = problems.some(isError) ? undefined : openEnd(toConversation(messages));
  if (end) {
    const range = document.keyRangeOf([...base, read.messages.at(-1)?.index ?? 0]);
    const problem = errorAt(document.path, range, 'conversation-unfinished', UNFINISHED[end]);
    problems.push({ ...problem, severity: 'warning' });
  }
  const notes = unread.length > 0 ? [...read.notes, unreadNote('messages', unread)] : read.notes;
  const images = read.messages.flatMap(({ images = [] }, message) =>
    images.map((given) => ({ message, given, document, path: [...base, ...given.at] })),
  );
  return { messages, notes, problems, ...(images.length > 0 && { images }) };
}

/** A note for judges about ignored keys. @param whose what has these keys, such as `messages` */
export function unreadNote(whose: string, keys: readonly string[]): string {
  return `Keys of ${whose} that are not read: ${keys.map((key) => `\`${key}\``).join(', ')}.`;
}

const NAME_SIDES =
  'If it is a side of the conversation, map it to a role under `roles` in the case.';

const UNFINISHED: Readonly<Record<OpenEnd, string>> = {
  user: 'The conversation does not end with the assistant. Judges see a note about it.',
  'tool-call':
    'The conversation ends with a tool call and no reply after it. Judges see a note about it.',
};

/** Reduces the range of a problem with a whole file to its first character. */
function atStart(problem: Problem): Problem {
  const { start, end } = problem.range;
  if (start.line === end.line) return problem;
  const range = { start, end: { line: start.line, character: start.character + 1 } };
  return { ...problem, range };
}

/** Like `readTranscriptFile`, but synchronous. */
export function loadTranscript(text: string, path: string): LoadedTranscript {
  return runSync(readTranscriptFile(text, path));
}

/** Reads a transcript file: a list in `.json` or `.yaml`, or one message per line in `.jsonl`. */
export function* readTranscriptFile(
  text: string,
  path: string,
  roles?: Roles,
): Work<LoadedTranscript> {
  const document = yield* parseTranscript(text, path);
  yield;
  const { problems } = document;
  if (problems.some(isError)) return { messages: [], notes: [], problems: limitProblems(problems) };
  const read = readTranscript(document.value, document, [], 'ignored', roles);
  return { ...read, problems: limitProblems([...problems, ...read.problems]) };
}

/** Parses a file as YAML. The value of a `.jsonl` file is the list of its lines, and JSON must be valid JSON. */
export function* parseTranscript(text: string, path: string): Work<YamlDocument> {
  if (path.endsWith('.jsonl')) return yield* parseLines(text, path);
  const document = yield* readYaml(text, path);
  const isJson = path.endsWith('.json') && jsonExcess(text, Number.POSITIVE_INFINITY) === undefined;
  const fault = isJson ? jsonFault(text) : undefined;
  if (!fault) return document;
  const at = Math.min(fault.offset, Math.max(0, text.length - 1));
  const range = document.rangeOfOffsets(at, Math.min(at + 1, text.length));
  const message = `This is not valid JSON: ${fault.message}.`;
  return { ...document, problems: [errorAt(path, range, 'json-syntax', message)] };
}

/** Prefix that turns all lines into one list. */
const DASH = '- ';

/** Number of lines to process between pauses. */
const LINES = 200;

/** The range of a line of JSON. @param line from 0 */
export function lineRange(line: number, length = 1): Range {
  return { start: { line, character: 0 }, end: { line, character: length } };
}

/**
 * Why a line isn't valid JSON.
 *
 * @param line from 0
 * @param isLocated whether to find the location in the line, which takes longer
 */
export function lineFault(
  content: string,
  line: number,
  path: string,
  isLocated = true,
): Problem | undefined {
  const range = lineRange(line, content.length);
  const excess = jsonExcess(content);
  if (excess !== undefined) return errorAt(path, range, 'too-much', `The line ${excess}.`);
  const fault = jsonFault(content, isLocated);
  if (!fault) return undefined;
  const start = { line, character: Math.min(fault.offset, content.length) };
  const message = `This line is not valid JSON: ${fault.message}.`;
  return errorAt(path, { ...range, start }, 'json-syntax', message);
}

function* parseLines(text: string, path: string): Work<YamlDocument> {
  if (hasMoreLines(text, LIMITS.dataLines)) {
    const message = `The file has more than ${readable(LIMITS.dataLines)} lines. Split it.`;
    const problem = errorAt(path, START, 'too-many-lines', message);
    return { ...(yield* readYaml('', path)), value: [], problems: [problem] };
  }
  const items: string[] = [];
  const faults: Problem[] = [];
  for (const [line, content] of text.split(/\r?\n/).entries()) {
    if (line % LINES === 0) yield;
    if (faults.length === LIMITS.syntaxErrors) break;
    const blank = content.trim() === '';
    const fault = blank ? undefined : lineFault(content, line, path);
    if (fault) faults.push(fault);
    items.push(blank ? '' : `${DASH}${content.replace(/^\uFEFF/, ' ')}`);
  }
  const document = yield* readYaml(items.join('\n'), path, { line: 0, character: -DASH.length });
  return {
    ...document,
    value: document.value ?? [],
    problems: faults.length > 0 ? faults : document.problems,
  };
}

function hasMoreLines(text: string, most: number): boolean {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0 && lines <= most; at = text.indexOf('\n', at + 1)) {
    lines += 1;
  }
  return lines > most;
}

/**
 * Why text isn't valid JSON, without a period, and the offset; undefined if it's valid. A byte order mark is allowed.
 *
 * @param isLocated whether to find the offset if the engine doesn't report it; if false, it is 0
 */
export function jsonFault(given: string, isLocated = true) {
  const text = given.replace(/^\uFEFF/, ' ');
  const error = failureOf(text);
  if (!error) return undefined;
  // After the first comma, the engine's message contains a quote from the text.
  const message = error.message.replace(/(?:, | in JSON| at position|\.\.\.).*$/s, '');
  return { message, offset: positionIn(error) ?? (isLocated ? firstFault(text) : 0) };
}

function failureOf(text: string): Error | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(stringOf(error));
  }
}

function positionIn({ message }: Error): number | undefined {
  const [, position] = /at position (\d+)/.exec(message) ?? [];
  return position === undefined ? undefined : Number(position);
}

/**
 * Finds the offset of an error whose location the engine doesn't report, by binary search for the longest valid prefix.
 */
function firstFault(text: string): number {
  if (isValidStart(text)) return text.length;
  let sound = 0;
  let broken = text.length + 1;
  while (broken - sound > 1) {
    const middle = (sound + broken) >> 1;
    if (isValidStart(text.slice(0, middle))) sound = middle;
    else broken = middle;
  }
  return sound;
}

function isValidStart(text: string): boolean {
  const error = failureOf(text);
  if (!error || /end of JSON|Unterminated/.test(error.message)) return true;
  return (positionIn(error) ?? -1) >= text.length;
}

/** The names that another tool's file uses for the sides of a conversation. */
export type Roles = Readonly<Record<string, Message['role']>>;

/** Other tools' keys for a message's text, for use if the side isn't under `role`. */
export const TEXT_KEYS = ['content', 'text', 'value', 'utterance', 'message'];

/** Our messages' other keys. */
const KEPT_KEYS = ['tool_calls', 'tool_call_id', 'retrieval_context', 'agent'];

/**
 * Replaces a file's names for the sides; `unread` lists the ignored keys. With `{usr: user, sys: assistant}`:
 *
 * {"role": "usr", "content": "Hi"}           replaces the role {"speaker": "usr", "text": "Hi", "id": 3}  finds the key
 * that contains the side in all messages; ignores `id` {"usr": "Hi"}                              replaces the key
 */
export function translateRoles(
  list: unknown,
  roles: Roles | undefined,
): { readonly list: unknown; readonly unread: readonly string[] } {
  if (!roles || !Array.isArray(list)) return { list, unread: [] };
  const key = sideKey(list, roles) ?? 'role';
  const unread = new Set<string>();
  const translated = list.map((item: unknown) => {
    if (!isMapping(item)) return item;
    const side = sideNamed(item[key], roles);
    if (side === undefined) return translateKey(item, roles);
    if (key === 'role') return { ...item, role: side };
    const text = TEXT_KEYS.find((one) => Object.hasOwn(item, one));
    const kept = KEPT_KEYS.filter((one) => Object.hasOwn(item, one));
    for (const one of Object.keys(item)) {
      if (![key, text, ...kept].includes(one)) unread.add(one);
    }
    return {
      role: side,
      ...(text !== undefined && { content: item[text] }),
      ...Object.fromEntries(kept.map((one) => [one, item[one]])),
    };
  });
  return { list: translated, unread: [...unread] };
}

/** The key that contains the side in every message of a list; undefined if there is none. */
export function sideKey(list: unknown, roles: Roles): string | undefined {
  if (!Array.isArray(list) || !isMapping(list[0])) return undefined;
  const [first] = list;
  const known = (item: unknown, key: string) =>
    isMapping(item) && sideNamed(item[key], roles) !== undefined;
  return Object.keys(first).find(
    (key) =>
      list.every((item) => known(item, key)) &&
      list.some((item) => Object.hasOwn(roles, stringOf(item[key]))),
  );
}

const SIDES: readonly string[] = [
  'system',
  'developer',
  'user',
  'assistant',
  'tool',
] satisfies Message['role'][];

export function sideNamed(name: unknown, roles: Roles): Message['role'] | undefined {
  if (typeof name !== 'string') return undefined;
  if (Object.hasOwn(roles, name)) return roles[name];
  return SIDES.includes(name) ? (name as Message['role']) : undefined;
}

function translateKey(item: Mapping, roles: Roles): Mapping {
  const [own, ...more] = Object.keys(item).filter((key) => Object.hasOwn(roles, key));
  if (own === undefined || more.length > 0 || Object.hasOwn(item, 'role')) return item;
  const { [own]: text, ...rest } = item;
  return { [stringOf(roles[own])]: text, ...rest };
}
