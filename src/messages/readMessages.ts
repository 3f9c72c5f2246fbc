import type * as z from 'zod';
import { groupBy, isMapping, memoize, type Path, pushAll, valueAt } from '../core/data/data.ts';
import { LIMITS } from '../core/limits.ts';
import type { Message } from '../core/message.ts';
import { closest } from '../core/text/closest.ts';
import { visibleLine } from '../core/text/visibleText.ts';
import { problemUnder, unknownKeyProblem, type ValueProblem } from '../schema/valueProblems.ts';
import {
  type Dialect,
  type GivenImage,
  type Item,
  type ParsedMessage,
  type ReadMessage,
  refused,
} from './dialect.ts';
import { unknownType } from './parts.ts';
import { dialects } from './registry.ts';
import { SHORTHANDS } from './shorthand.ts';

export interface ReadMessages {
  /** Canonical messages, without their images, each with the index of the item that it comes from. */
  readonly messages: readonly {
    readonly message: Message;
    readonly index: number;
    /** Paths start with the item's index. */
    readonly images?: readonly GivenImage[];
  }[];
  readonly notes: readonly string[];
  /** Keys that were ignored. In handwritten lists, they are problems. */
  readonly unknownKeys: readonly ValueProblem[];
  /** Problems whose paths start with the item's index; empty if everything was read. */
  readonly problems: readonly ValueProblem[];
}

/**
 * Reads a list of messages in any dialect, item by item. Nothing is dropped: unreadable items become problems, and
 * parts with nothing to show become notes.
 */
export function readMessages(list: unknown): ReadMessages {
  if (!Array.isArray(list)) return failed('not-a-list', notAList(list));
  if (list.length === 0) return failed('empty-list', 'The conversation has no messages.');
  return readItems(list);
}

/** Names of the dialects that the items seem to be in. */
export function dialectsIn(list: readonly unknown[]): string[] {
  const names = list.flatMap(
    (item) => (isMapping(item) && dialects.find((one) => one.matches(item))?.name) || [],
  );
  return [...new Set(names)];
}

export function looksLikeMessages(list: readonly unknown[]): boolean {
  return (
    list.length > 0 &&
    list.every((item) => isMapping(item) && dialects.some((dialect) => dialect.matches(item)))
  );
}

const readItems = memoize((list: readonly unknown[]): ReadMessages => {
  const messages: ReadMessages['messages'][number][] = [];
  const notes: string[] = [];
  const problems: ValueProblem[] = [];
  const unknownKeys: ValueProblem[] = [];
  const open = new OpenCalls();
  let unread = 0;
  let ahead: ForeignMessage | undefined;

  for (const [index, item] of list.entries()) {
    // The list is refused, and no more problems are shown.
    if (problems.length >= LIMITS.problems) break;
    const placed = (problem: ValueProblem) => ({
      ...problemUnder([index], problem),
      message: `Message ${index + 1}${fieldOf(problem)}: ${problem.message}`,
    });
    const report = (problem: ValueProblem) => problems.push(placed(problem));
    const read = ahead ?? readItem(item, index);
    ahead = undefined;
    if ('problems' in read) {
      if (isEmptyReply(item, read)) {
        ahead = readItem(list[index + 1], index + 1);
        if (startsWithCall(ahead)) {
          notes.push(`Message ${index + 1}: An empty message before a tool call.`);
          continue;
        }
      }
      read.problems.forEach(report);
      unread += 1;
      continue;
    }
    pushAll(unknownKeys, read.unknownKeys.map(placed));
    pushAll(
      notes,
      read.notes.map((note) => `Message ${index + 1}: ${note}`),
    );
    for (const parsed of read.messages) {
      const { message } = parsed;
      if (message.role !== 'tool') {
        if (message.role === 'assistant') open.add(message.toolCalls ?? [], read.newIds);
        const images = parsed.images?.map((one) => ({ ...one, at: [index, ...one.at] }));
        messages.push({ message, index, ...(images && { images }) });
        continue;
      }
      const answered = open.answer(message.callId, parsed);
      if ('id' in answered) messages.push({ message: { ...message, callId: answered.id }, index });
      // The call may be in a message that couldn't be read; that has already been reported.
      else if (unread === 0) report(answered.problem);
    }
  }
  if (problems.length === 0)
    pushAll(problems, missingSides(messages.map(({ message }) => message)));
  return { messages, notes: [...notes, ...ignoredKeys(unknownKeys)], unknownKeys, problems };
});

function ignoredKeys(unknown: readonly ValueProblem[]): string[] {
  const byKey = groupBy(unknown, ({ path }) =>
    path.filter((step) => typeof step === 'string').join('.'),
  );
  return [...byKey].map(([key, [first, ...more]]) => {
    const others = more.length > 0 ? `, and ${more.length} more` : '';
    const message = `Message ${Number(first?.path[0] ?? 0) + 1}${others}`;
    return `${message}: Ignored the unknown key "${visibleLine(key, MAX_KEY)}".`;
  });
}

const MAX_KEY = 60;

/**
 * Whether this is the first of two messages that streaming endpoints write for a call: `{assistant: ""}`, then the
 * call.
 */
function isEmptyReply(item: unknown, read: ForeignMessage): boolean {
  if (!('problems' in read) || !isMapping(item) || item.role !== 'assistant') return false;
  return read.problems.every(({ code }) => code === 'empty-content');
}

function startsWithCall(read: ForeignMessage): boolean {
  const first = 'messages' in read ? read.messages[0]?.message : undefined;
  return first?.role === 'assistant' && first.toolCalls !== undefined;
}

/** Calls that don't have a result yet. */
class OpenCalls {
  readonly #ids = new Map<string, number>();
  /** Calls without an id in the last message that contains calls, in order. */
  #unnamed: string[] = [];

  add(calls: readonly { readonly id: string }[], newIds: ReadonlySet<string>): void {
    if (calls.length > 0) this.#unnamed = calls.flatMap(({ id }) => (newIds.has(id) ? [id] : []));
    for (const { id } of calls) this.#ids.set(id, (this.#ids.get(id) ?? 0) + 1);
  }

  answer(
    given: string,
    { joinsOpenCall, idAt = ['tool_call_id'] }: ParsedMessage,
  ): { readonly id: string } | { readonly problem: ValueProblem } {
    const next = given === NO_ID ? (this.#unnamed.shift() ?? '') : given;
    const [only = ''] = this.#ids.size === 1 ? this.#ids.keys() : [];
    const id = joinsOpenCall && this.#ids.get(only) === 1 ? only : next;
    const count = this.#ids.get(id);
    if (id === '') {
      const open = [...this.#ids.values()].reduce((sum, one) => sum + one, 0);
      const one = open === 0 ? 'no' : 'one';
      const waiting = open > 1 ? `${open} earlier calls are` : `${one} earlier call is`;
      const message = `This tool result has no \`${idAt.at(-1)}\`, and ${waiting} waiting for a result.`;
      const path = idAt.slice(0, idAt.findLastIndex((step) => typeof step === 'number') + 1);
      return { problem: { path, code: 'result-without-id', message } };
    }
    if (count === undefined) {
      const meant = closest(id, this.#ids.keys());
      const message = `No open tool call has the id "${id}".`;
      const fix = meant && { replacement: meant };
      return { problem: { path: idAt, code: 'unmatched-result', message, ...fix } };
    }
    if (count === 1) this.#ids.delete(id);
    else this.#ids.set(id, count - 1);
    return { id };
  }
}

/** Matches text that would be a message with a space after its colon. */
const GLUED_SIDE = new RegExp(`^(?:${SHORTHANDS.join('|')}):(?=\\S)`);

function readItem(item: unknown, index: number): ForeignMessage {
  const [key] = (typeof item === 'string' && GLUED_SIDE.exec(item)) || [];
  if (key !== undefined) {
    const message = `Put a space after "${key}".`;
    const problem = { path: [], code: 'message-not-object', message, blankAfter: key.length };
    return unreadable({ problems: [problem] });
  }
  if (!isMapping(item)) {
    const message =
      'A message must be a mapping, such as `user: Hi` or `{role: user, content: Hi}`.';
    return unreadable(refused([], 'message-not-object', message));
  }
  const dialect = dialects.find((one) => one.matches(item));
  if (!dialect) return unreadable({ problems: [missingRole(item)] });
  let known: readonly string[] | undefined;
  const knownIn = () => {
    known ??= knownKeys(item);
    return known;
  };
  const correct = (problem: ValueProblem) => correctKey(problem, item, knownIn);
  const read = readForeign(dialect, item, index, correct);
  if (!('problems' in read)) return read;
  const problems = read.problems.map(correct);
  // For a message in another dialect, further problems would be misleading.
  const elsewhere = problems.filter((problem, index) => problem !== read.problems[index]);
  return unreadable({ problems: elsewhere.length > 0 ? elsewhere : problems });
}

function unreadable(why: ReadMessage): ForeignMessage {
  return { ...why, unknownKeys: [], newIds: new Set() };
}

const SHAPES = dialects.flatMap(({ schema }) => shapesOf(schema));
const TYPES = [...new Set([...dialects].reverse().flatMap(({ types }) => types))];

function shapesOf(schema: z.core.$ZodType): z.ZodObject[] {
  const { options } = schema._zod.def as unknown as { options?: readonly z.core.$ZodType[] };
  return options ? options.flatMap(shapesOf) : [schema as z.ZodObject];
}

/** Corrects a misspelled key. A key or type can belong to a different dialect than the rest of the message. */
function correctKey(
  problem: ValueProblem,
  item: Item,
  knownIn: () => readonly string[],
): ValueProblem {
  const key = problem.path.at(-1);
  if (problem.code === 'unknown-key' && problem.path.length === 1 && typeof key === 'string') {
    // If two keys are equally close, the key from the message's own dialect comes first.
    const own = problem.replacement === undefined ? [] : [problem.replacement];
    const free = own.filter((one) => !Object.hasOwn(item, one));
    const elsewhere = unknownKeyProblem([], key, [...new Set([...free, ...knownIn()])]);
    return [undefined, problem.replacement].includes(elsewhere.replacement) ? problem : elsewhere;
  }
  if (problem.code === 'unknown-part' && typeof key === 'string' && !problem.replacement) {
    const type = valueAt(item, problem.path);
    const elsewhere = unknownType(problem.path, type, TYPES);
    return [undefined, type].includes(elsewhere.replacement) ? problem : elsewhere;
  }
  return problem;
}

/** The keys that a message with this role can have in any dialect, and that this message doesn't have. */
function knownKeys(item: Item): string[] {
  const shapes = SHAPES.filter(({ shape }) => fitsRole(shape.role, item.role));
  const known = shapes.flatMap(({ shape }) => Object.keys(shape));
  return [...new Set(known)].filter((one) => !Object.hasOwn(item, one));
}

function fitsRole(schema: unknown, role: unknown): boolean {
  if (schema === undefined) return role === undefined;
  return (schema as z.ZodType).safeParse(role).success;
}

/** The field that a problem is about, unless the problem's message already names it. */
function fieldOf({ path, code }: ValueProblem): string {
  const field = code === 'unknown-key' ? path.slice(0, -1) : path;
  return field.length === 0 ? '' : `, \`${field.join('.')}\``;
}

function missingRole(item: Item): ValueProblem {
  const known = new Set(SHAPES.flatMap(({ shape }) => Object.keys(shape)));
  for (const key of Object.keys(item).filter((one) => !known.has(one))) {
    const meant = unknownKeyProblem([], key, ['role', 'type', ...SHORTHANDS]);
    if (meant.replacement !== undefined) return meant;
  }
  const lists = listsIn(item);
  const message =
    lists.length > 0
      ? `This is not a message but has messages under ${lists.join(' and ')}. ${KEEP_LIST}`
      : `The message has no role. Write one of ${SHORTHANDS.map((side) => `\`${side}: …\``).join(', ')}, or \`role\` and \`content\`.`;
  return { path: [], code: 'missing-role', message };
}

function notAList(given: unknown): string {
  const lists = isMapping(given) ? listsIn(given) : [];
  const hint =
    lists.length > 0
      ? ` This has messages under ${lists.join(' and ')}. ${KEEP_LIST}`
      : ' Start each message with "- ".';
  return `A conversation must be a list of messages.${hint}`;
}

const KEEP_LIST = 'Keep only the list, with nothing around it.';

const LISTS = ['messages', 'turns', 'input', 'output', 'query', 'response', 'conversation'];

function listsIn(item: Item): string[] {
  return LISTS.filter((key) => {
    const list = item[key];
    return Array.isArray(list) && list.some(isMapping);
  }).map((key) => `\`${key}\``);
}

function missingSides(messages: readonly Message[]): ValueProblem[] {
  const missing = (['user', 'assistant'] as const).filter(
    (side) => !messages.some(({ role }) => role === side),
  );
  return missing.map((side) => ({
    path: [],
    code: `no-${side}-message`,
    message: `The conversation has no message from the ${side}, so there is nothing to judge.`,
  }));
}

function failed(code: string, message: string): ReadMessages {
  return { messages: [], notes: [], unknownKeys: [], ...refused([], code, message) };
}

/** A message from another tool, with changes made by the reader. */
type ForeignMessage = ReadMessage & {
  readonly unknownKeys: readonly ValueProblem[];
  /** Ids that the reader gave to calls without an id. */
  readonly newIds: ReadonlySet<string>;
};

/** The id for a result that doesn't name its call. */
const NO_ID = '(no id)';

const WITHOUT_ID: readonly string[] = ['call-without-id', 'result-without-id'];

/** Maximum number of rounds. Each round can reveal problems that previous ones hid. */
const MAX_ROUNDS = 20;

/**
 * Reads a message in its dialect. Other tools add keys with every version, so it ignores unknown keys, and adds missing
 * ids to calls and results. Anything else that is wrong is a problem.
 *
 * @param correct finds the right spelling of a misspelled key in any dialect
 */
function readForeign(
  dialect: Dialect,
  item: Item,
  index: number,
  correct: (problem: ValueProblem) => ValueProblem,
): ForeignMessage {
  const unknownKeys: ValueProblem[] = [];
  const newIds = new Set<string>();
  const first = dialect.read(item, index);
  let read = first;
  let known: unknown = item;
  for (let round = 0; 'problems' in read && !dialect.isOurs && round < MAX_ROUNDS; round += 1) {
    const unknown = read.problems.map(correct).filter(isUnknownKey);
    const lacking = read.problems.filter(({ code }) => WITHOUT_ID.includes(code));
    if (unknown.length + lacking.length < read.problems.length) break;
    known = structuredClone(known);
    const ownerOf = (path: Path) => Object(valueAt(known, path.slice(0, -1)));
    for (const { path } of unknown) Reflect.deleteProperty(ownerOf(path), path.at(-1) ?? '');
    for (const { missing, code } of lacking) {
      if (missing === undefined) return unreadable(first);
      const id = code === 'call-without-id' ? `call_${index + 1}_${newIds.size + 1}` : NO_ID;
      if (id !== NO_ID) newIds.add(id);
      Reflect.set(ownerOf(missing), missing.at(-1) ?? '', id);
    }
    pushAll(unknownKeys, unknown);
    read = dialect.read(known as Item, index);
  }
  return 'problems' in read ? unreadable(first) : { ...read, unknownKeys, newIds };
}

/**
 * Whether a problem is an unknown key. A misspelled key isn't unknown: it is rejected, and the correct spelling is
 * suggested.
 */
function isUnknownKey({ code, replacement }: ValueProblem): boolean {
  return code === 'unknown-key' && replacement === undefined;
}
