import { isMapping, type Mapping, mappingOf } from '../core/data/data.ts';
import type { Message } from '../core/message.ts';
import { readMessages } from '../messages/readMessages.ts';
import { callsIn } from './exchanges.ts';
import type { DraftCase, Ledger } from './importer.ts';

const SIDES: readonly Message['role'][] = ['user', 'assistant'];

/** Maximum number of calls to list in a case. */
const MAX_CALLS = 12;

interface Recorded {
  readonly line: number;
  readonly name?: string | undefined;
  readonly keys?: Mapping;
  /** The other tool's own checks. Default: checks that need no model. */
  readonly assert?: readonly unknown[];
}

/** A recorded conversation as a case; undefined if its messages can't be read. */
export function caseFromList(
  list: unknown,
  recorded: Recorded,
  ledger: Ledger,
): DraftCase | undefined {
  const messages = readConversation(list, recorded.line, ledger);
  return messages && caseOf(messages, recorded);
}

function caseOf(
  messages: readonly Message[],
  { line, name, keys = {}, assert = [] }: Recorded,
): DraftCase {
  return {
    line,
    name,
    opening: messages.find(({ role }) => role === 'user')?.content,
    keys: { ...keys, transcript: messages.map(shorthandOf) },
    assert: assert.length > 0 ? assert : plainChecks(messages),
    suggestions: assert.length > 0 ? [] : suggestionsFor(messages, keys),
  };
}

/** Messages as a case; undefined, with an entry in the ledger, if a side never speaks. */
export function caseFromMessages(
  messages: readonly Message[],
  recorded: Recorded,
  ledger: Ledger,
): DraftCase | undefined {
  const missing = SIDES.find((side) => !messages.some(({ role }) => role === side));
  if (!missing) return caseOf(messages, recorded);
  ledger.broken(recorded.line, `This conversation has no message from the ${missing}.`);
  return undefined;
}

/** Reads canonical messages. Problems and parts that can't be shown go into the ledger. */
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
  const said = list.filter((one) => !isEmptyInstruction(one));
  if (said.length < list.length) ledger.lost(line, `${what} has instructions without a text.`);
  if (said.length === 0) return [];
  return readPart(said, /^no-(user|assistant)-message$/, { line, what }, ledger);
}

/** Some instrumentations record that there are instructions, but not their text. */
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
  const { messages, notes, problems } = readMessages(list);
  const problem = problems.find(({ code }) => !excused.test(code));
  if (problem) {
    ledger.broken(line, `${what} is left out. ${problem.message}`);
    return undefined;
  }
  for (const note of notes) ledger.lost(line, note.replace(/^Message \d+: /, 'Not shown: '));
  return messages.map(({ message }) => message);
}

/** A message as a person would write it. */
export function shorthandOf(message: Message): Mapping {
  if (message.role === 'tool') return { tool: message.content, tool_call_id: message.callId };
  if (message.role !== 'assistant') return { [message.role]: message.content };
  const { content, toolCalls, retrievalContext, agent } = message;
  return {
    assistant: content === '' ? null : content,
    ...(toolCalls && {
      tool_calls: toolCalls.map(({ id, name, arguments: given }) => ({
        id,
        function: {
          name,
          arguments: isMapping(given) || typeof given === 'string' ? given : JSON.stringify(given),
        },
      })),
    }),
    ...(retrievalContext && { retrieval_context: retrievalContext }),
    ...(agent && { agent }),
  };
}

/** Checks that pass for the conversation as is and need no model. */
function plainChecks(messages: readonly Message[]): unknown[] {
  const calls = callsIn(messages).slice(0, MAX_CALLS);
  const tools = calls.map(({ name }) => name);
  const sides = messages.map(({ role }) => role).filter((role) => SIDES.includes(role));
  const turns = sides.filter((side, index) => side !== sides[index - 1]);
  const replies = turns.filter((side) => side === 'assistant').length;
  return [
    // A single reply has nothing to repeat.
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
