import { isMapping, type Mapping, mappingOf, memoize } from '../core/data/data.ts';
import type { Message } from '../core/message.ts';
import { readMessages } from '../messages/readMessages.ts';
import { callsIn } from './exchanges.ts';
import type { Feedback } from './feedback.ts';
import type { DraftCase, Ledger } from './importer.ts';
import { guessShape, optionsFor } from './shape.ts';

const SIDES: readonly Message['role'][] = ['user', 'assistant'];

/** Maximum number of calls to list in a case. */
const MAX_CALLS = 12;

interface RecordedInput {
  readonly line: number;
  readonly name?: string | undefined;
  readonly keys?: Mapping;
  readonly feedback?: readonly Feedback[];
  readonly task?: string | undefined;
  readonly trial?: string | undefined;
  /** Assertions from the other tool. By default, uses assertions that need no model. */
  readonly assert?: readonly unknown[];
}

/** A recorded conversation as a case; undefined if its messages can't be read. */
export function caseFromList(
  list: unknown,
  recorded: RecordedInput,
  ledger: Ledger,
): DraftCase | undefined {
  const messages = readConversation(list, recorded.line, ledger);
  return messages && caseOf(messages, recorded);
}

function caseOf(
  messages: readonly Message[],
  { keys = {}, assert = [], ...recorded }: RecordedInput,
): DraftCase {
  return {
    ...recorded,
    opening: messages.find(({ role }) => role === 'user')?.content,
    keys: { ...keys, transcript: messages.map(shorthandOf) },
    assert: assert.length > 0 ? assert : plainChecks(messages),
    suggestions: assert.length > 0 ? [] : suggestionsFor(messages, keys),
  };
}

/** Messages as a case. If a side never speaks, adds a ledger entry and returns undefined. */
export function caseFromMessages(
  messages: readonly Message[],
  recorded: RecordedInput,
  ledger: Ledger,
): DraftCase | undefined {
  const missing = SIDES.find((side) => !messages.some(({ role }) => role === side));
  if (!missing) return caseOf(messages, recorded);
  ledger.broken(recorded.line, `This conversation has no message from the ${missing}.`);
  return undefined;
}

/** Reads canonical messages. Adds problems, and parts that can't be shown, to the ledger. */
export function readConversation(
  list: unknown,
  line: number,
  ledger: Ledger,
): Message[] | undefined {
  return readPart(list, /^$/, { line, what: 'This conversation' }, ledger);
}

interface Origin {
  readonly line: number;
  /** The source of the messages, such as `The span "chat"`. */
  readonly what: string;
}

/** Reads part of a conversation, in which one side may be silent. */
export function readPartial(
  list: readonly unknown[],
  { line, what }: Origin,
  ledger: Ledger,
): Message[] | undefined {
  const said = list.some(isEmptyInstruction)
    ? list.filter((one) => !isEmptyInstruction(one))
    : list;
  if (said.length < list.length) ledger.lost(line, `${what} has instructions without text.`);
  if (said.length === 0) return [];
  return readPart(said, /^no-(user|assistant)-message$/, { line, what }, ledger);
}

/** Whether an instruction has no text: some instrumentations record only that there are instructions. */
function isEmptyInstruction(given: unknown): boolean {
  const { role, content } = mappingOf(given);
  return (role === 'system' || role === 'developer') && (content === null || content === '');
}

function readPart(
  list: unknown,
  excused: RegExp,
  { line, what }: Origin,
  ledger: Ledger,
): Message[] | undefined {
  const { messages, notes, problems } = Array.isArray(list) ? readList(list) : readMessages(list);
  const problem = problems.find(({ code }) => !excused.test(code));
  if (problem) {
    const options = problem.code === 'unknown-role' ? optionsFor(guessShape(list) ?? {}) : '';
    const hint = options === '' ? '' : ` To import it, add ${options}.`;
    ledger.broken(line, `${what} was left out. ${problem.message}${hint}`);
    return undefined;
  }
  for (const note of notes) ledger.lost(line, note.replace(/^Message \d+: /, 'Not shown: '));
  return messages.map(({ message }) => message);
}

/** The messages of a span are read again whenever its conversation grows. */
const readList = memoize((list: readonly unknown[]) => readMessages(list));

/** A message as a person would write it. */
export function shorthandOf(message: Message): Mapping {
  if (message.role === 'tool') return { tool: message.content, tool_call_id: message.callId };
  if (message.role !== 'assistant') return { [message.role]: message.content };
  const { content, toolCalls, retrievalContext, agent } = message;
  return {
    assistant: content === '' ? null : content,
    ...(toolCalls && {
      tool_calls: toolCalls.map(({ id, name, arguments: given, agent: caller }) => ({
        id,
        function: {
          name,
          arguments: isMapping(given) || typeof given === 'string' ? given : JSON.stringify(given),
        },
        ...(caller && { agent: caller }),
      })),
    }),
    ...(retrievalContext && { retrieval_context: retrievalContext }),
    ...(agent && { agent }),
  };
}

/** Assertions that this conversation passes and that need no model. */
function plainChecks(messages: readonly Message[]): unknown[] {
  const calls = callsIn(messages).slice(0, MAX_CALLS);
  const tools = calls.map(({ name }) => name);
  const sides = messages.map(({ role }) => role).filter((role) => SIDES.includes(role));
  const turns = sides.filter((side, index) => side !== sides[index - 1]);
  const replies = turns.filter((side) => side === 'assistant').length;
  return [
    // If there is only one reply, nothing can be repeated.
    replies > 1 ? { type: 'no-repeat' } : { type: 'max-turns', max: turns.length },
    ...(tools.length > 0 ? [{ type: 'tool-sequence', tools }] : []),
  ];
}

function suggestionsFor(messages: readonly Message[], keys: Mapping): unknown[] {
  const has = (role: Message['role']) => messages.some((message) => message.role === role);
  const cites = messages.some((one) => one.role === 'assistant' && one.retrievalContext);
  return [
    { type: 'conversation-completeness' },
    ...(keys.expectations === undefined ? [] : ['The conversation reaches the expected outcome.']),
    ...(has('system') || has('developer') ? ['Every reply follows the instructions.'] : []),
    ...(has('tool') ? ['What the assistant says about tool results matches them.'] : []),
    ...(cites ? [{ type: 'turn-faithfulness' }] : []),
    ...(keys.role === undefined ? [] : [{ type: 'role-adherence' }]),
    ...(keys.topics === undefined ? [] : [{ type: 'topic-adherence' }]),
  ];
}
