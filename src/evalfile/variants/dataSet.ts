import * as z from 'zod';
import { isMapping, type Mapping, type Path, valueAt } from '../../core/data/data.ts';
import { LIMITS, readable } from '../../core/limits.ts';
import { toolSchema } from '../../core/message.ts';
import { errorAt, isError, type Problem, type Range } from '../../core/problem.ts';
import type { Step, Work } from '../../node/cooperative.ts';
import { sha256 } from '../../node/hashes.ts';
import { locateProblem, valueProblems } from '../../schema/valueProblems.ts';
import type { YamlDocument } from '../../yaml/yamlDocument.ts';
import { type Slices, textOfBytes } from '../files.ts';
import {
  type LoadedTranscript,
  lineFault,
  lineRange,
  parseTranscript,
  type Roles,
  readTranscript,
  sideKey,
  unreadNote,
} from '../transcript.ts';

/** A conversation whose location is known but that hasn't been read yet. */
export interface FoundConversation {
  /** Its id in the file, if any. */
  readonly id?: string;
  /** 1-based: its line number in a `.jsonl` file, or else its position in the list. */
  readonly number: number;
  readonly tags: readonly string[];
  /** The conversation's keys that are ignored. */
  readonly unread: readonly string[];
  readonly place: Place;
  /** SHA-256 hash of its line in a `.jsonl` file. */
  readonly digest?: string;
  /** Why the conversation can't be read. */
  readonly fault?: Problem | undefined;
}

/**
 * A path into the whole file, or into one of its lines. A line's offsets are in bytes if the file is read in slices, or
 * else in UTF-16 units.
 */
type Place =
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'line'; readonly start: number; readonly end: number; readonly path: Path };

/** A line of a file, without its line break. */
export interface DataLine {
  readonly content: string;
  readonly start: number;
  readonly end: number;
}

export interface ConversationSearch {
  /** Whether the file contains several conversations, rather than a single one. */
  readonly isSet: boolean;
  readonly conversations: readonly FoundConversation[];
  /** Why the file can't be read. */
  readonly problems: readonly Problem[];
}

export interface RecordedConversation extends LoadedTranscript {
  readonly facts: RecordedFacts;
}

/**
 * Finds the conversations of a file. A list of messages, or `.jsonl` lines that are all messages, are one conversation;
 * otherwise, each line, each item of a list, or each value of a mapping by id is one.
 */
export function* findConversations(
  text: string,
  path: string,
  roles: Roles | undefined,
): Work<ConversationSearch> {
  return path.endsWith('.jsonl')
    ? yield* findInLines(text, path, roles)
    : yield* findInDocument(yield* parseTranscript(text, path), roles);
}

/** Number of lines to process between pauses. */
const LINES = 50;

function* findInLines(
  text: string,
  path: string,
  roles: Roles | undefined,
): Work<ConversationSearch> {
  const finder = new LineFinder(path, roles);
  let start = 0;
  for (let line = 0; start <= text.length && !finder.isOver; line += 1) {
    if (line % LINES === 0) yield;
    const next = text.indexOf('\n', start);
    const end = next < 0 ? text.length : next;
    if (end === start) {
      finder.skip();
      start += 1;
      continue;
    }
    const content = text.slice(start, end).replace(/\r$/, '');
    finder.add({ content, start, end: start + content.length });
    start = end + 1;
  }
  return finder.found();
}

/** Finds the conversations in a sequence of lines. */
class LineFinder {
  readonly #path: string;
  readonly #roles: Roles | undefined;
  readonly #conversations: FoundConversation[] = [];
  /** Whether at least one line is certain to be a conversation. */
  #isSet = false;
  /** Whether any line exceeds a limit; if so, the lines aren't read as one conversation. */
  #isTooMuch = false;
  #lines = 0;
  #faults = 0;

  constructor(path: string, roles: Roles | undefined) {
    this.#path = path;
    this.#roles = roles;
  }

  /** Whether the limit is reached, so that reading can stop. */
  get isOver(): boolean {
    return this.#conversations.length > LIMITS.variants || this.#lines > LIMITS.dataLines;
  }

  /** Skips empty lines. */
  skip(lines = 1): void {
    this.#lines += lines;
  }

  /** Adds a line that is too large to read. */
  addLong(offsets: Omit<DataLine, 'content'>): void {
    this.#isTooMuch = true;
    this.#lines += 1;
    const message = `The line has more than ${readable(LIMITS.transcript)} bytes.`;
    const range = lineRange(this.#lines - 1);
    this.#addFault(offsets, errorAt(this.#path, range, 'line-too-long', message));
  }

  add({ content, ...offsets }: DataLine): void {
    if (content.length > LIMITS.transcript) {
      this.addLong(offsets);
      return;
    }
    const line = this.#lines;
    this.#lines += 1;
    if (content.trim() === '') return;
    const fault = lineFault(content, line, this.#path, this.#faults < LIMITS.problems);
    if (fault) {
      this.#isTooMuch ||= fault.code === 'too-much';
      this.#addFault(offsets, fault);
      return;
    }
    const value: unknown = JSON.parse(content.replace(/^\uFEFF/, ' '));
    const found = conversationIn(value, [], line + 1, this.#roles);
    const problem = faultOf(found, this.#path, lineRange(line, content.length));
    if (found) this.#isSet = true;
    if (problem) this.#addFault(offsets, problem);
    else if (found) {
      const place: Place = { kind: 'line', ...offsets, path: found.path };
      this.#conversations.push({ ...found, place, digest: sha256(content) });
    }
  }

  #addFault(offsets: Omit<DataLine, 'content'>, fault: Problem): void {
    const place: Place = { kind: 'line', ...offsets, path: [] };
    this.#faults += 1;
    this.#conversations.push({ number: this.#lines, tags: [], unread: [], place, fault });
  }

  found(): ConversationSearch {
    if (this.#lines > LIMITS.dataLines) return tooMany(this.#path, 'lines');
    if (this.isOver) return tooMany(this.#path, 'conversations');
    // If no line is a conversation, the lines are its messages.
    return this.#isSet || this.#isTooMuch
      ? { isSet: true, conversations: this.#conversations, problems: [] }
      : SINGLE_CONVERSATION;
  }
}

const EXPECTED_CONVERSATION =
  'Expected a conversation: a list of messages, or an object with `messages`.';

/** Why a value in a dataset isn't a conversation with a name. */
function faultOf(
  found: SeenConversation | undefined,
  path: string,
  range: Range,
): Problem | undefined {
  if (!found) return errorAt(path, range, 'not-a-conversation', EXPECTED_CONVERSATION);
  if ((found.id?.length ?? 0) <= LIMITS.caseId) return undefined;
  const message = `The \`id\` has more than ${LIMITS.caseId} characters.`;
  return errorAt(path, range, 'id-too-long', message);
}

const SINGLE_CONVERSATION: ConversationSearch = {
  isSet: false,
  conversations: [{ number: 1, tags: [], unread: [], place: { kind: 'path', path: [] } }],
  problems: [],
};

function* findInDocument(
  document: YamlDocument,
  roles: Roles | undefined,
): Work<ConversationSearch> {
  const { value, problems, path } = document;
  if (problems.some(isError)) return { isSet: false, conversations: [], problems };
  yield;
  const whole = isMapping(value) ? conversationIn(value, [], 1, roles) : undefined;
  if (whole) {
    const place: Place = { kind: 'path', path: whole.path };
    return { isSet: false, conversations: [{ ...whole, place }], problems: [] };
  }
  const items: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(Object(value));
  if (items.length > LIMITS.variants && !Array.isArray(value))
    return tooMany(path, 'conversations');
  const found = items.map(([key, item], index) => {
    const one = conversationIn(item, [key], index + 1, roles);
    return one && typeof key === 'string' && one.id === undefined ? { ...one, id: key } : one;
  });
  if (!found.some(Boolean)) {
    if (Array.isArray(value)) return SINGLE_CONVERSATION;
    const message = 'Expected a list of messages, or of conversations with `messages`.';
    const problem = errorAt(path, document.keyRangeOf([]), 'not-a-list', message);
    return { isSet: false, conversations: [], problems: [problem] };
  }
  if (items.length > LIMITS.variants) return tooMany(path, 'conversations');
  const conversations = found.map((one, index): FoundConversation => {
    const at = [items[index]?.[0] ?? index];
    const fault = faultOf(one, path, document.keyRangeOf(at));
    if (one && !fault) return { ...one, place: { kind: 'path', path: one.path } };
    return { number: index + 1, tags: [], unread: [], place: { kind: 'path', path: at }, fault };
  });
  return { isSet: true, conversations, problems: [] };
}

function tooMany(path: string, what: 'conversations' | 'lines'): ConversationSearch {
  const isLines = what === 'lines';
  const code = isLines ? 'too-many-lines' : 'too-many-variants';
  const most = isLines ? LIMITS.dataLines : LIMITS.variants;
  const message = `The file has more than ${readable(most)} ${what}. Split it.`;
  return { isSet: true, conversations: [], problems: [errorAt(path, lineRange(0), code, message)] };
}

interface SeenConversation extends Omit<FoundConversation, 'place' | 'fault'> {
  /** The path of the list of messages. */
  readonly path: Path;
}

/** The conversation that a value contains: a list of messages, an object that contains one, or `[id, object]`. */
function conversationIn(
  value: unknown,
  path: Path,
  number: number,
  roles: Roles | undefined,
): SeenConversation | undefined {
  if (Array.isArray(value)) {
    const [first, second] = value as unknown[];
    if (value.length === 2 && ['string', 'number'].includes(typeof first) && isMapping(second)) {
      const inner = conversationIn(second, [...path, 1], number, roles);
      return inner && { ...inner, id: inner.id ?? String(first) };
    }
    return value.some(isMapping) ? { number, tags: [], unread: [], path } : undefined;
  }
  const key = isMapping(value) ? messagesKey(value, roles) : undefined;
  if (!isMapping(value) || key === undefined) return undefined;
  const { id, tags } = value;
  const unread = Object.keys(value).filter((one) => one !== key && !isFact(one));
  const named = typeof id === 'number' || (typeof id === 'string' && id !== '');
  return {
    number,
    tags: Array.isArray(tags) ? tags.filter((one) => typeof one === 'string') : [],
    unread,
    path,
    ...(named && { id: String(id) }),
  };
}

/**
 * The key that contains the messages. With `roles`, this can be the key of the only list whose items use these names.
 */
function messagesKey(value: Mapping, roles: Roles | undefined): string | undefined {
  if (Object.hasOwn(value, 'messages')) return 'messages';
  if (!roles) return undefined;
  const keys = Object.keys(value).filter((key) => sideKey(value[key], roles) !== undefined);
  return keys.length === 1 ? keys[0] : undefined;
}

/** Reads a conversation that was found. @param document the document with its line, or with the whole file */
export function* readConversation(
  document: YamlDocument,
  { place, unread }: FoundConversation,
  roles: Roles | undefined,
): Work<RecordedConversation> {
  yield;
  if (document.problems.some(isError)) {
    return { messages: [], notes: [], facts: {}, problems: document.problems };
  }
  const value = valueAt(document.value, place.path);
  const key = isMapping(value) ? messagesKey(value, roles) : undefined;
  const given = isMapping(value) ? factsIn(value) : {};
  const faults = valueProblems(factsSchema, given).map((problem) =>
    locateProblem(problem, document, place.path),
  );
  const steps = key === undefined ? [] : [key];
  const messages = valueAt(value, steps);
  const at = [...place.path, ...steps];
  const read = readTranscript(messages, document, at, 'ignored', roles);
  return {
    messages: read.messages,
    notes: unread.length > 0 ? [...read.notes, unreadNote('the conversation', unread)] : read.notes,
    problems: [...document.problems, ...faults, ...read.problems],
    facts: faults.length > 0 ? {} : factsSchema.parse(given),
  };
}

/** Data in a conversation that overrides the case's data. */
const factsSchema = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  role: z.string().min(1).optional(),
  topics: z.array(z.string().min(1)).optional(),
  // Logs can contain other keys, too.
  tools: z
    .array(z.union([z.object({ function: toolSchema.strip() }), toolSchema.strip()]))
    .optional(),
  expectations: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
  context: z.record(z.string(), z.unknown()).optional(),
  tags: z.array(z.string().min(1)).optional(),
});

type RecordedFacts = z.infer<typeof factsSchema>;

function isFact(key: string): boolean {
  return Object.hasOwn(factsSchema.shape, key);
}

/** The facts in a conversation's keys. Other tools write null for missing values. */
function factsIn(value: Mapping): Mapping {
  const facts = Object.entries(value).filter(([key, one]) => one !== null && isFact(key));
  return Object.fromEntries(facts);
}

/** Like `findConversations`, but doesn't keep all lines in memory. @throws FileError */
export async function findInSlices(
  slices: Slices,
  path: string,
  roles: Roles | undefined,
  step: Step,
): Promise<ConversationSearch> {
  const finder = new LineFinder(path, roles);
  const lines = new LineReader(finder);
  for await (const slice of slices.inOrder()) {
    lines.add(slice);
    if (finder.isOver) return finder.found();
    await step();
  }
  lines.end();
  return finder.found();
}

/** Reads one line. @throws FileError */
export async function lineIn(slices: Slices, { start, end }: Omit<DataLine, 'content'>) {
  return textOfBytes(await slices.between(start, end));
}

const LINE_BREAK = 0x0a;
const RETURN = 0x0d;

/** Splits a file's bytes into lines. Offsets are in bytes. */
class LineReader {
  readonly #finder: LineFinder;
  #start = 0;
  #open: Uint8Array[] = [];
  #length = 0;

  constructor(finder: LineFinder) {
    this.#finder = finder;
  }

  add(slice: Uint8Array): void {
    let from = 0;
    for (let to = slice.indexOf(LINE_BREAK); to >= 0; to = slice.indexOf(LINE_BREAK, from)) {
      if (to === from && this.#length === 0) {
        this.#finder.skip();
        this.#start += 1;
      } else {
        this.#take(slice.subarray(from, to));
        this.end();
      }
      if (this.#finder.isOver) return;
      from = to + 1;
    }
    if (from < slice.length) this.#take(Uint8Array.from(slice.subarray(from)));
  }

  /** Adds bytes to the current line. Bytes beyond the limit per line are counted but not kept. */
  #take(bytes: Uint8Array): void {
    if (this.#length <= LIMITS.transcript) this.#open.push(bytes);
    this.#length += bytes.length;
  }

  end(): void {
    const [one, ...more] = this.#open;
    const bytes = one && more.length === 0 ? one : Buffer.concat(this.#open);
    const isLong = this.#length > LIMITS.transcript;
    const returned = !isLong && bytes.at(-1) === RETURN ? 1 : 0;
    const [start, end] = [this.#start, this.#start + this.#length - returned];
    this.#start += this.#length + 1;
    this.#open = [];
    this.#length = 0;
    if (isLong) this.#finder.addLong({ start, end });
    else {
      const content = textOfBytes(bytes.subarray(0, bytes.length - returned));
      this.#finder.add({ content, start, end });
    }
  }
}
