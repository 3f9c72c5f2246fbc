import {
  isMapping,
  type Mapping,
  mappingOf,
  parseJsonText,
  stringOf,
  textIn,
} from '../../core/data/data.ts';
import type { Message } from '../../core/message.ts';
import { caseFromMessages, readConversation } from '../conversation.ts';
import { listIn, mapAssertion, reportUnknownKeys, toolsIn } from '../fields.ts';
import type { DraftCase, Importer, Ledger, Say } from '../importer.ts';

const NAMES = ['id', 'conversation_id', 'thread_id'];

const KNOWN = [
  ...NAMES,
  'query',
  'response',
  'messages',
  'conversation',
  'tool_definitions',
  'ground_truth',
  'context',
  'line_number',
];

/** Rows for Azure's evaluators, and rows with their results. */
export const azureData: Importer = {
  name: 'Azure evaluation data',
  takes: '`query` and `response`, `conversation`, or `messages` with `tool_definitions`',
  tag: 'azure',
  matches: (value) => isMapping(value) && rowsIn(value).some(isRow),
  read: (rows, ledger) => ({
    cases: rows.flatMap(({ line, value }) =>
      rowsIn(mappingOf(value)).flatMap((row) => caseFor(line, row, ledger) ?? []),
    ),
  }),
};

/** The rows in an `evaluate` result, with the original names of their inputs. */
function rowsIn(value: Mapping): Mapping[] {
  const rows = Array.isArray(value.rows) && isMapping(value.metrics) ? value.rows : [value];
  return rows.map((row) => {
    const entries = Object.entries(mappingOf(row));
    return Object.fromEntries(entries.map(([key, one]) => [key.replace(/^inputs\./, ''), one]));
  });
}

function isRow(row: Mapping): boolean {
  const has = (key: string) => row[key] !== undefined && row[key] !== null;
  return (
    (has('query') && has('response')) ||
    isMapping(parseJsonText(row.conversation)) ||
    (has('tool_definitions') && has('messages'))
  );
}

function caseFor(line: number, row: Mapping, ledger: Ledger): DraftCase | undefined {
  if (!isRow(row)) {
    ledger.broken(line, 'This row has no `query` with a `response`, and no `conversation`.');
    return undefined;
  }
  const conversation = mappingOf(parseJsonText(row.conversation));
  const asked = [...said(row.query, 'user'), ...said(row.response, 'assistant')];
  const list = listIn(row, 'messages') ?? listIn(conversation, 'messages') ?? asked;
  const say = ledger.lostAt(line);
  const messages = readConversation(renameContext(list, say), line, ledger);
  if (!messages) return undefined;
  const outputs = Object.keys(row).filter((key) => key.startsWith('outputs.'));
  reportUnknownKeys(row, [...KNOWN, ...outputs], say);
  const context = retrievedIn(row.context) ?? retrievedIn(conversation.context);
  const recorded = {
    line,
    name: textIn(row, ...NAMES),
    keys: {
      tools: toolsIn(row.tool_definitions, say),
      expectations: textIn(row, 'ground_truth'),
    },
    assert: evaluatorsIn(row, say),
  };
  return caseFromMessages(context ? addContext(messages, context) : messages, recorded, ledger);
}

function said(value: unknown, role: string): unknown[] {
  const given = parseJsonText(value);
  return Array.isArray(given) ? given : [{ role, content: stringOf(given ?? '') }];
}

/** A reply's own `context` becomes its retrieval context. */
function renameContext(list: readonly unknown[], say: Say): unknown[] {
  return list.map((message) => {
    if (!isMapping(message) || message.context === undefined) return message;
    const { context, ...rest } = message;
    const retrieved = retrievedIn(context);
    if (retrieved && rest.role === 'assistant') return { ...rest, retrieval_context: retrieved };
    if (retrieved) say('`context` of a user message has no Turnlight equivalent.');
    return rest;
  });
}

/** The retrieved texts in a context: text, or citations with an id and text. */
function retrievedIn(context: unknown): string[] | undefined {
  const texts = (listIn(mappingOf(context), 'citations') ?? [context]).flatMap((one) => {
    const text = isMapping(one) ? (textIn(one, 'content') ?? JSON.stringify(one)) : one;
    return typeof text === 'string' && text.trim() !== '' ? [text] : [];
  });
  return texts.length > 0 ? texts : undefined;
}

/** Adds Azure's context to the last reply. */
function addContext(messages: readonly Message[], context: readonly string[]): Message[] {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages.map((message, index) =>
    index === last && message.role === 'assistant'
      ? { ...message, retrievalContext: [...(message.retrievalContext ?? []), ...context] }
      : message,
  );
}

/** The evaluators that judged a row: `outputs.coherence.coherence` comes from `coherence`. */
function evaluatorsIn(row: Mapping, say: Say): unknown[] {
  const names = new Set(
    Object.keys(row).flatMap((key) => /^outputs\.([^.]+)\./.exec(key)?.[1] ?? []),
  );
  return [...names].flatMap((name) => {
    const threshold = [`outputs.${name}.${name}_threshold`, `outputs.${name}.threshold`]
      .map((key) => row[key])
      .find((one) => typeof one === 'number');
    return mapAssertion({ type: `${name}Evaluator`, threshold }, say);
  });
}
