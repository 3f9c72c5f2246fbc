import { groupBy, isMapping, type Mapping, stringOf } from '../core/data/data.ts';
import { readable } from '../core/limits.ts';
import type { Message } from '../core/message.ts';
import { visibleLine } from '../core/text/visibleText.ts';
import { resultText } from '../messages/content.ts';
import { looksLikeMessages, readMessages } from '../messages/readMessages.ts';
import { canonicalJson } from '../node/hashes.ts';

/** Keys in calls that mean the same, in order of preference. */
const NAMES = ['name', 'toolName', 'tool_name'];
const IDS = ['call_id', 'tool_call_id', 'toolCallId', 'tool_use_id', 'id'];
const ARGUMENTS = ['arguments', 'args', 'input', 'input_parameters', 'parameters'];
const RESULTS = ['result', 'output', 'response', 'content'];

interface ReportedCalls {
  readonly messages: readonly Message[];
  readonly notes: readonly string[];
  /** The first problem, if any. */
  readonly problem?: string;
}

/** Matches the types of items that are results: `tool_result`, `function_response`, `function_call_output`. */
const RESULT_TYPE = /result|response|output/;

const MAX_NAME = 100;

const MAX_CALLS = 10_000;

interface PlainCall {
  readonly id: string;
  readonly name: string;
  given: unknown;
  result: unknown;
}

/**
 * Reads tool calls and their results. Calls can be in OpenAI's format, or `{name, arguments}` with any framework's key
 * names, and each one either contains its result or is followed by it. They can also be whole messages in any dialect,
 * of which only those after the last user message count.
 *
 * @param reply number of the reply, from 1; used in the ids of calls without an id
 */
export function readReportedCalls(value: unknown, reply: number): ReportedCalls {
  const list = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
  if (list.length === 0) return { messages: [], notes: [] };
  if (list.length > MAX_CALLS) {
    const problem = `A reply can have at most ${readable(MAX_CALLS)} calls, but this one has ${readable(list.length)}.`;
    return { messages: [], notes: [], problem };
  }
  const lost: string[] = [];
  const messages = list.some(isMessage) ? list : toOpenaiMessages(list, reply, lost);
  if (!messages) {
    const problem = 'Expected a list of tool calls, each with a `name` and `arguments`.';
    return { messages: [], notes: [], problem };
  }
  const prompt = { role: 'user', content: 'so that the calls read as a conversation' };
  const end = { role: 'assistant', content: 'so that there is a reply' };
  const read = readMessages([prompt, ...messages, end]);
  const notes = read.notes.map((note) => note.replace(/^Message \d+(, and \d+ more)?: /, ''));
  const [first] = read.problems;
  const all = read.messages.map(({ message }) => message);
  return {
    messages: all.slice(all.findLastIndex(({ role }) => role === 'user') + 1, -1),
    notes: [...notes, ...lost],
    ...(first && { problem: first.message.replace(/^Message \d+/, 'A call') }),
  };
}

const CALL_TYPE = /^(?:function_call(?:_output)?|tool[-_](?:call|use|result|call_response))$/;

/** Whether an arbitrary value is definitely a tool call or its result. */
export function isReportedCall(value: unknown): boolean {
  if (!isMapping(value)) return false;
  if (isMapping(value.function)) return textAt(value.function, NAMES) !== undefined;
  if (typeof value.type === 'string' && CALL_TYPE.test(value.type)) return true;
  const known = [...NAMES, ...IDS, ...ARGUMENTS, ...RESULTS];
  return (
    textAt(value, NAMES) !== undefined &&
    ('arguments' in value || 'args' in value) &&
    Object.keys(value).every((key) => known.includes(key))
  );
}

/** Adds the calls before the reply, except for calls that the reply itself contains. Calls are matched in order. */
export function prependCalls(
  calls: readonly Message[],
  reply: readonly Message[],
): readonly Message[] {
  const own = reply.flatMap((one) => (one.role === 'assistant' ? (one.toolCalls ?? []) : []));
  const left = new Map([...groupBy(own, keyOf)].map(([key, some]) => [key, some.length]));
  const dropped = new Set<string>();
  const added = calls.flatMap((message): Message[] => {
    if (message.role === 'tool') return dropped.has(message.callId) ? [] : [message];
    if (message.role !== 'assistant') return [];
    const toolCalls = (message.toolCalls ?? []).filter((call) => {
      const count = left.get(keyOf(call)) ?? 0;
      if (count === 0) return true;
      left.set(keyOf(call), count - 1);
      dropped.add(call.id);
      return false;
    });
    return toolCalls.length > 0 ? [{ role: 'assistant', content: '', toolCalls }] : [];
  });
  return [...added, ...reply];
}

function keyOf({ name, arguments: given }: { readonly name: string; readonly arguments: unknown }) {
  return canonicalJson([name, given]) ?? name;
}

/**
 * Whether an item is a whole message. A call from OpenAI's Responses API has a name, so it is read like other calls.
 */
function isMessage(item: unknown): boolean {
  return isMapping(item) && 'role' in item && looksLikeMessages([item]);
}

/** Calls and results in OpenAI's chat format; undefined if an item isn't a call. */
function toOpenaiMessages(
  list: readonly unknown[],
  reply: number,
  lost: string[],
): object[] | undefined {
  const calls: PlainCall[] = [];
  for (const [index, item] of list.entries()) {
    if (!isMapping(item)) return undefined;
    const inner = isMapping(item.function) ? { ...item, ...item.function } : item;
    const answered = resultOf(inner, calls);
    if (answered) {
      answered.call.result = answered.result;
      continue;
    }
    const name = textAt(inner, NAMES);
    if (RESULT_TYPE.test(stringOf(item.type))) {
      lost.push(
        `Left out a tool result that answers no call of its reply: ${visibleLine(name ?? resultText(item), MAX_NAME)}`,
      );
      continue;
    }
    if (name === undefined || name === '') return undefined;
    const given = firstOf(inner, ARGUMENTS) ?? {};
    const result = firstOf(inner, RESULTS);
    const id = textAt(item, IDS);
    const before = calls.find((one) => one.id === id && one.name === name);
    if (before) {
      // Streams and task histories repeat their calls.
      before.given = given;
      before.result = result ?? before.result;
      continue;
    }
    calls.push({ id: id ?? `call_${reply}_${index + 1}`, name, given, result });
  }
  return calls.flatMap(({ id, name, given, result }) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name, arguments: resultText(given) } }],
    },
    ...(result === undefined
      ? []
      : [{ role: 'tool', tool_call_id: id, content: resultText(result) }]),
  ]);
}

/** The earlier open call that an item answers; set if the item has a result but no arguments. */
function resultOf(item: Mapping, calls: readonly PlainCall[]) {
  const result = firstOf(item, RESULTS);
  if (result === undefined || firstOf(item, ARGUMENTS) !== undefined) return undefined;
  const [id, name] = [textAt(item, IDS), textAt(item, NAMES)];
  const call = calls.find(
    (one) => one.result === undefined && (id === undefined ? one.name === name : one.id === id),
  );
  return call && { call, result };
}

function firstOf(item: Mapping, keys: readonly string[]): unknown {
  return keys.map((key) => item[key]).find((value) => value !== undefined && value !== null);
}

function textAt(item: Mapping, keys: readonly string[]): string | undefined {
  const value = firstOf(item, keys);
  return typeof value === 'string' ? value : undefined;
}
