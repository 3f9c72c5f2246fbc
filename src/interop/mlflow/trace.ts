import { isMapping, jsonOrText, mappingOf } from '../../core/data/data.ts';
import type { Message } from '../../core/message.ts';
import { readMessages } from '../../messages/readMessages.ts';
import type { Exchange } from '../exchanges.ts';
import { innermost } from '../innermost.ts';
import type { Span } from './spans.ts';

/** What one trace says of the conversation that it is part of. */
export interface TraceTalk {
  readonly exchanges: readonly Exchange[];
  /** Requests to models that are about something else, such as safety. */
  readonly besides: number;
  /** What the replies of the trace rest on. */
  readonly retrieved: readonly string[];
  readonly tools: unknown;
}

/** Where an application's own function keeps what was said; the first that is there. */
const QUESTIONS = [
  'message',
  'question',
  'query',
  'input',
  'prompt',
  'text',
  'user_input',
  'content',
];
const ANSWERS = ['response', 'answer', 'output', 'content', 'text', 'message', 'result'];

/**
 * Reads a trace: what its models were asked, where the last answer is the trace's own reply, else what
 * its outermost span was given and gave back, with the tools that it used in between.
 */
export function talkOf(spans: readonly Span[]): TraceTalk {
  const root = spans.find(({ parent }) => parent === undefined) ?? spans[0];
  const reply = root && textIn(root.outputs, ANSWERS);
  const models = innermost(
    spans,
    spans.filter(({ type }) => MODEL_TYPES.includes(type)),
  );
  const asked = modelExchanges(models, reply);
  return {
    exchanges: asked ?? plainExchange(root, reply, spans),
    besides: models.length - (asked?.length ?? 0),
    retrieved: spans.filter(({ type }) => type === 'RETRIEVER').flatMap(textsRetrieved),
    tools: spans.map(({ tools }) => tools).findLast((tools) => Array.isArray(tools)),
  };
}

/** Requests that ended in a tool call or in the reply. */
function modelExchanges(
  models: readonly Span[],
  reply: string | undefined,
): Exchange[] | undefined {
  const exchanges = models.flatMap((span) => exchangeOf(span) ?? []);
  const end = exchanges.findLastIndex(({ output }) => {
    const said = output
      .map(({ content }) => content)
      .join('')
      .trim();
    return reply === undefined ? said !== '' : said === reply.trim();
  });
  if (end < 0) return undefined;
  return exchanges.filter(
    ({ output }, index) =>
      index === end ||
      (index < end && output.some((one) => one.role === 'assistant' && one.toolCalls)),
  );
}

const MODEL_TYPES = ['CHAT_MODEL', 'LLM'];

function exchangeOf({ inputs, outputs }: Span): Exchange | undefined {
  const input = messagesIn(requestOf(inputs));
  const output = messagesIn(answerOf(outputs));
  return input && output ? { input, output } : undefined;
}

function requestOf(given: unknown): unknown {
  const inputs = jsonOrMore(given);
  if (Array.isArray(inputs))
    return inputs.length === 1 && Array.isArray(inputs[0]) ? inputs[0] : inputs;
  const { messages, input, instructions, system } = mappingOf(inputs);
  const list = Array.isArray(messages) ? messages : input;
  const said = typeof list === 'string' ? [{ role: 'user', content: list }] : list;
  if (!Array.isArray(said)) return undefined;
  // LangChain logs one list for each conversation of a batch.
  const own = said.length === 1 && Array.isArray(said[0]) ? said[0] : said;
  const told = instructions ?? system;
  return typeof told === 'string' ? [{ role: 'system', content: told }, ...own] : own;
}

function answerOf(given: unknown): unknown {
  const outputs = jsonOrMore(given);
  if (typeof outputs === 'string') return [{ role: 'assistant', content: outputs }];
  if (Array.isArray(outputs)) return outputs;
  const { choices, output, messages, message, generations, role } = mappingOf(outputs);
  if (Array.isArray(choices)) {
    const chosen = mappingOf(choices[0]).message;
    return isMapping(chosen) ? [chosen] : undefined;
  }
  if (Array.isArray(output)) return output;
  if (Array.isArray(messages)) return messages;
  if (isMapping(message)) return [message];
  if (Array.isArray(generations)) {
    const first = Array.isArray(generations[0]) ? generations[0][0] : generations[0];
    return [mappingOf(first).message ?? { role: 'assistant', content: mappingOf(first).text }];
  }
  return role === undefined ? undefined : [outputs];
}

function jsonOrMore(value: unknown): unknown {
  return typeof value === 'string' ? jsonOrText(value) : value;
}

/** Undefined if these are no messages. */
function messagesIn(list: unknown): Message[] | undefined {
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const { messages, problems } = readMessages(list);
  // One side alone is enough: the other stands in the answer, or in the request.
  const wrong = problems.some(({ code }) => !/^no-(user|assistant)-message$/.test(code));
  return wrong ? undefined : messages.map(({ message }) => message);
}

function plainExchange(
  root: Span | undefined,
  reply: string | undefined,
  spans: readonly Span[],
): Exchange[] {
  const question = root && (textIn(root.inputs, QUESTIONS) ?? lastOfUser(root.inputs));
  if (question === undefined || reply === undefined) return [];
  const used = spans.filter(({ type }) => type === 'TOOL');
  const calls = used.map(({ id, name, inputs }) => ({ id, name, arguments: inputs ?? {} }));
  return [
    {
      input: [{ role: 'user', content: question }],
      output: [
        ...(calls.length > 0
          ? [{ role: 'assistant' as const, content: '', toolCalls: calls }]
          : []),
        ...used.map(({ id, outputs }) => ({
          role: 'tool' as const,
          callId: id,
          content: textFor(outputs),
        })),
        { role: 'assistant', content: reply },
      ],
    },
  ];
}

function lastOfUser(inputs: unknown): string | undefined {
  return messagesIn(requestOf(inputs))?.findLast(({ role }) => role === 'user')?.content;
}

/** A text, or the one that stands under one of the keys; that of the last message where there are some. */
function textIn(given: unknown, keys: readonly string[]): string | undefined {
  const value = jsonOrMore(given);
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  const said = messagesIn(answerOf(value))?.findLast(({ role }) => role === 'assistant')?.content;
  if (keys === ANSWERS && said) return said;
  const mapping = mappingOf(value);
  const named = keys
    .map((key) => mapping[key])
    .find((one) => typeof one === 'string' && one !== '');
  if (typeof named === 'string') return named;
  const texts = Object.values(mapping).filter((one) => typeof one === 'string' && one !== '');
  return texts.length === 1 ? String(texts[0]) : undefined;
}

function textsRetrieved({ outputs }: Span): string[] {
  const list = Array.isArray(outputs) ? outputs : [];
  return list.flatMap((one) => {
    if (typeof one === 'string') return [one];
    const { page_content, content, text } = mappingOf(one);
    const found = page_content ?? content ?? text;
    return typeof found === 'string' ? [found] : [];
  });
}

function textFor(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
