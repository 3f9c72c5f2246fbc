import {
  addTo,
  isMapping,
  type Mapping,
  mappingOf,
  parseJson,
  parseJsonText,
  stringOf,
  textIn,
} from '../../core/data/data.ts';
import { dialectsIn, looksLikeMessages } from '../../messages/readMessages.ts';
import { caseFromMessages, readConversation, readPartial } from '../conversation.ts';
import { type Exchange, findConversation } from '../exchanges.ts';
import { FEEDBACK_KEYS, feedbackIn, feedbackOnTurns, withoutFeedback } from '../feedback.ts';
import { listIn, reportUnknownKeys, toolsIn } from '../fields.ts';
import type { DraftCase, Importer, ImportRow, Ledger } from '../importer.ts';

const SESSION = ['conversation_id', 'session_id', 'thread_id', 'conversation', 'session'];
const NAMES = ['id', 'custom_id', 'name', 'dialogue_id', 'dialog_id', ...SESSION];

const REQUEST_KEYS = ['messages', 'input', 'instructions', 'tools', 'functions', 'model'];
const ANSWER_KEYS = ['response', 'output', 'choices'];

/** Keys that can be ignored without loss. */
const IGNORED_KEYS = [
  ...['request', 'body', 'interactions', 'cassette', 'method', 'url', 'uri'],
  ...['object', 'created', 'created_at', 'stream', 'store'],
];
const TASK = ['task_id', 'taskId', 'task'];
const TRIAL = ['trial', 'trial_id', 'attempt', 'repetition'];
const KNOWN = [
  ...[...NAMES, ...REQUEST_KEYS, ...ANSWER_KEYS, ...IGNORED_KEYS],
  ...[...TASK, ...TRIAL, ...FEEDBACK_KEYS],
];

/** Who gave feedback, if the log doesn't say. */
const PERSON = 'log';

/** Logged conversations: lists of messages, and requests with their answers. */
export const chatLog: Importer = {
  name: 'chat logs',
  takes: 'messages, or OpenAI requests and answers of Chat Completions and Responses',
  tag: 'chat-log',
  matches: (value) =>
    Array.isArray(value)
      ? looksLikeMessages(value)
      : isMapping(value) && exchangesOf(value).length > 0,
  read(rows, ledger) {
    const sessions = new Map<unknown, LoggedRow[]>();
    for (const row of rows) {
      const session = isMapping(row.value) ? textIn(row.value, ...SESSION) : undefined;
      addTo(sessions, session ?? row, loggedRow(row, ledger));
    }
    const requests = rows.flatMap(({ value }) => exchangesOf(mappingOf(value)));
    const lists = [
      ...rows.flatMap(({ value }) => (Array.isArray(value) ? [value] : [])),
      ...requests.map(({ request }) => inputOf(request)),
    ];
    return {
      cases: [...sessions.values()].flatMap((one) => caseFor(one, ledger) ?? []),
      versions: lists.flatMap(dialectsIn).map((name) => `${name} messages`),
      producers: requests.flatMap(({ request }) => textIn(request, 'model') ?? []),
    };
  },
};

interface LoggedExchange extends Exchange {
  readonly line: number;
}

interface LoggedRow extends ImportRow {
  readonly exchanges: readonly LoggedExchange[];
  readonly tools?: unknown[] | undefined;
}

function loggedRow(row: ImportRow, ledger: Ledger): LoggedRow {
  const { line, value } = row;
  if (Array.isArray(value)) {
    const messages = readConversation(withoutFeedback(value), line, ledger);
    return { ...row, exchanges: messages ? [{ line, input: messages, output: [] }] : [] };
  }
  const log = mappingOf(value);
  reportUnknownKeys(log, KNOWN, ledger.lostAt(line));
  const read = exchangesOf(log);
  const exchanges = read.flatMap(({ request, answer }) => {
    const input = readPartial(
      withoutFeedback(inputOf(request)),
      { line, what: 'A request' },
      ledger,
    );
    if (!input) return [];
    const answered = answerOf(answer);
    if (answer !== undefined && answer !== null && answered === undefined) {
      const reason = "it can't be read. It may be compressed or cut off.";
      ledger.broken(line, `An answer was left out because ${reason}`);
    }
    const output = answered && readPartial(answered, { line, what: 'An answer' }, ledger);
    return [{ line, input, output: output ?? [] }];
  });
  const last = read.at(-1);
  const tools = last?.request.tools ?? last?.request.functions;
  return { ...row, exchanges, tools: toolsIn(tools, ledger.lostAt(line)) };
}

function exchangesOf(log: Mapping): { readonly request: Mapping; readonly answer: unknown }[] {
  const several = listIn(log, 'interactions');
  if (several) return several.flatMap((one) => exchangesOf(mappingOf(one)));
  const request = [log.request, log.body, log].map(requestIn).find((one) => one !== undefined);
  if (!request) return [];
  const answer = log.response ?? (request === log ? ownAnswer(log) : undefined);
  return [{ request, answer }];
}

function requestIn(value: unknown): Mapping | undefined {
  const given = parseJsonText(value);
  if (!isMapping(given)) return undefined;
  if (looksLikeRequest(given)) return given;
  const inner = parseJsonText(given.body);
  return isMapping(inner) && looksLikeRequest(inner) ? inner : undefined;
}

function looksLikeRequest(given: Mapping): boolean {
  const list = listIn(given, 'messages', 'input');
  if (list) return looksLikeMessages(list);
  const answered = ['output', 'response', 'instructions'].some((key) => Object.hasOwn(given, key));
  return typeof given.input === 'string' && Object.hasOwn(given, 'model') && answered;
}

function ownAnswer({ choices, output }: Mapping): unknown {
  if (choices !== undefined) return { choices };
  return output === undefined ? undefined : { output };
}

function inputOf(request: Mapping): unknown[] {
  const list = listIn(request, 'messages', 'input') ?? [{ user: stringOf(request.input ?? '') }];
  const instructions = textIn(request, 'instructions');
  return instructions === undefined ? list : [{ system: instructions }, ...list];
}

function caseFor(reads: readonly LoggedRow[], ledger: Ledger): DraftCase | undefined {
  const [first] = reads;
  const { messages, branches, refused } = findConversation(
    reads.flatMap(({ exchanges }) => exchanges),
    ({ line }) => `the request on line ${line}`,
    ledger.comparisons,
  );
  if (first && refused !== undefined) {
    ledger.broken(first.line, `This conversation is unclear: ${refused}`);
    return undefined;
  }
  if (!first || messages.length === 0) return undefined;
  ledger.skip('requests', 'do not continue the conversation', branches.length);
  for (const branch of branches) {
    ledger.lost(branch.line, 'A request that does not continue the conversation was left out.');
  }
  const { line, value } = first;
  const tools = reads.findLast((read) => read.tools)?.tools;
  const log = mappingOf(value);
  const [name, task, trial] = [NAMES, TASK, TRIAL].map((keys) => textIn(log, ...keys));
  const recorded = {
    line,
    name,
    keys: { tools },
    feedback: [
      ...reads.flatMap((one) => feedbackIn(mappingOf(one.value), PERSON)),
      ...(reads.length === 1
        ? feedbackOnTurns(Array.isArray(value) ? value : (listIn(log, 'messages') ?? []), PERSON)
        : []),
    ],
    task: nameOf('task', task),
    trial: nameOf('trial', trial),
  };
  return caseFromMessages(messages, recorded, ledger);
}

/** A name from a file, which can be a bare number. */
function nameOf(word: string, given: string | undefined): string | undefined {
  return given !== undefined && /^\d/.test(given) ? `${word}-${given}` : given;
}

/** The messages in a Chat Completions or Responses answer, even if the answer is streamed or wrapped by a log. */
function answerOf(given: unknown): unknown[] | undefined {
  if (typeof given === 'string' && /^(event|data):/m.test(given)) return answerInStream(given);
  const value = parseJsonText(given);
  if (Array.isArray(value)) return value;
  if (!isMapping(value)) return undefined;
  if (Array.isArray(value.output)) return value.output;
  if (Array.isArray(value.choices)) {
    const { message } = mappingOf(value.choices[0]);
    return isMapping(message) ? [message] : undefined;
  }
  if (typeof value.role === 'string') return [value];
  const { body, string } = value;
  return body === undefined && string === undefined ? undefined : answerOf(body ?? string);
}

function answerInStream(text: string): unknown[] | undefined {
  const events = [...text.matchAll(/^data: ?(.+)$/gm)].flatMap(([, data = '']) => {
    const event = parseJson(data);
    return isMapping(event) ? [event] : [];
  });
  const done = events.find(({ type }) => type === 'response.completed');
  if (done) return answerOf(mappingOf(done.response));
  const deltas = events.flatMap(({ choices }) =>
    Array.isArray(choices) ? [mappingOf(mappingOf(choices[0]).delta)] : [],
  );
  return deltas.length > 0 ? [joinDeltas(deltas)] : undefined;
}

/** The message in the deltas of a Chat Completions stream. */
function joinDeltas(deltas: readonly Mapping[]): Mapping {
  const content = deltas.map((delta) => delta.content ?? '').join('');
  const calls = new Map<unknown, { id: string; name: string; arguments: string }>();
  for (const { tool_calls: pieces } of deltas) {
    for (const piece of Array.isArray(pieces) ? pieces.map(mappingOf) : []) {
      const called = mappingOf(piece.function);
      const index = piece.index ?? 0;
      const call = calls.get(index) ?? { id: '', name: '', arguments: '' };
      // Some endpoints repeat both in every delta.
      call.id ||= stringOf(piece.id ?? '');
      call.name ||= stringOf(called.name ?? '');
      call.arguments += called.arguments ?? '';
      calls.set(index, call);
    }
  }
  const toolCalls = [...calls.values()].map(({ id, ...called }) => ({ id, function: called }));
  return { role: 'assistant', content, ...(toolCalls.length > 0 && { tool_calls: toolCalls }) };
}
