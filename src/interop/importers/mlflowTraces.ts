import { addTo, isMapping, type Mapping, mappingOf } from '../../core/data.ts';
import type { Message } from '../../core/message.ts';
import { looksLikeMessages } from '../../messages/readMessages.ts';
import { partOf, spokenCase } from '../conversation.ts';
import { conversationOf, type Exchange } from '../exchanges.ts';
import { listIn, parsed, textIn, toolsIn } from '../fields.ts';
import type { DraftCase, Importer, Ledger } from '../importer.ts';
import { answerOf } from './chatAnswer.ts';
import { byStart, type Span, spanOf } from './spanAttributes.ts';

const SESSION = 'mlflow.trace.session';

/** Where an application's own inputs and outputs hold what was said. */
const SAID = ['message', 'question', 'query', 'input', 'prompt', 'user_input', 'text', 'request'];
const ANSWERED = ['response', 'answer', 'output', 'content', 'reply', 'text', 'message', 'result'];

/** MLflow's traces, as `Trace.to_json` and `search_traces` write them. */
export const mlflowTraces: Importer = {
  name: 'MLflow traces',
  takes: 'traces with `info` and `data`, or rows of `search_traces`',
  tag: 'mlflow',
  matches: (value) => isMapping(value) && tracesIn(value).some(isTrace),
  read(rows, ledger) {
    const sessions = new Map<string, Trace[]>();
    for (const { line, value } of rows) {
      for (const one of tracesIn(mappingOf(value))) {
        if (!isTrace(one)) continue;
        const trace = traceOf(one, line, ledger);
        addTo(sessions, trace.session ?? trace.id, trace);
      }
    }
    return {
      cases: [...sessions.values()].flatMap((traces) => caseFor(traces, ledger) ?? []),
    };
  },
};

interface Trace {
  readonly line: number;
  readonly id: string;
  readonly session: string | undefined;
  readonly time: string;
  readonly exchanges: readonly Exchange[];
  readonly tools: unknown[] | undefined;
}

function tracesIn(value: Mapping): Mapping[] {
  return (listIn(value, 'traces') ?? [value]).map(mappingOf);
}

function isTrace(value: Mapping): boolean {
  if (isMapping(value.info) && isMapping(value.data)) return true;
  const asks = Object.hasOwn(value, 'request') && Object.hasOwn(value, 'response');
  return asks && ['trace_metadata', 'trace_id', 'spans'].some((key) => Object.hasOwn(value, key));
}

function traceOf(value: Mapping, line: number, ledger: Ledger): Trace {
  const info = isMapping(value.info) ? value.info : value;
  const data = isMapping(value.data) ? value.data : value;
  const metadata = mappingOf(parsed(info.trace_metadata ?? info.request_metadata));
  const id = textIn(info, 'trace_id', 'request_id') ?? `line-${line}`;
  const count = listIn(info, 'assessments')?.length ?? 0;
  if (count > 0) ledger.lost(line, `${count} assessments have no counterpart in an eval file.`);
  const spans = (listIn(data, 'spans') ?? []).map((span) => spanOf(span, line, {}));
  const asked = spans.sort(byStart).flatMap((span) => {
    const read = exchangeOf(
      inputsOf(span),
      outputsOf(span),
      { line, what: `A span of ${id}` },
      ledger,
    );
    return isModel(span) && read ? [{ span, read }] : [];
  });
  const root = spans.find(({ parent }) => parent === '');
  const own = exchangeOf(
    parsed(data.request) ?? (root && inputsOf(root)),
    parsed(data.response) ?? (root && outputsOf(root)),
    { line, what: `The trace ${id}` },
    ledger,
  );
  const given = asked.map(({ span }) => mappingOf(inputsOf(span)).tools).find(Array.isArray);
  return {
    line,
    id,
    session: textIn(metadata, SESSION) ?? textIn(mappingOf(info.tags), SESSION),
    time: textIn(info, 'request_time', 'timestamp_ms') ?? '',
    exchanges: asked.length > 0 ? asked.map(({ read }) => read) : own ? [own] : [],
    tools: toolsIn(given, line, ledger),
  };
}

function isModel({ attributes }: Span): boolean {
  return ['CHAT_MODEL', 'LLM'].includes(String(parsed(attributes['mlflow.spanType'])));
}

function inputsOf({ attributes }: Span): unknown {
  return parsed(attributes['mlflow.spanInputs']);
}

function outputsOf({ attributes }: Span): unknown {
  return parsed(attributes['mlflow.spanOutputs']);
}

/** Messages of a model, or an application's own words; undefined if neither is found. */
function exchangeOf(
  inputs: unknown,
  outputs: unknown,
  piece: { readonly line: number; readonly what: string },
  ledger: Ledger,
): Exchange | undefined {
  const given = saidIn(inputs);
  const answer = answerIn(outputs);
  if (!given || !answer) return undefined;
  const input = partOf(given, piece, ledger);
  const output = partOf(answer, piece, ledger);
  return input && output ? { input, output } : undefined;
}

function saidIn(inputs: unknown): unknown[] | undefined {
  if (typeof inputs === 'string') return [{ user: inputs }];
  const given = mappingOf(inputs);
  const list = listIn(given, 'messages', 'input', 'history');
  if (list && looksLikeMessages(list)) return list;
  const text = textIn(given, ...SAID);
  return text === undefined ? undefined : [{ user: text }];
}

function answerIn(outputs: unknown): unknown[] | undefined {
  if (typeof outputs === 'string') return outputs === '' ? undefined : [{ assistant: outputs }];
  const answered = answerOf(outputs) ?? listIn(mappingOf(outputs), 'messages');
  if (answered && looksLikeMessages(answered)) return answered;
  const text = textIn(mappingOf(outputs), ...ANSWERED);
  return text === undefined ? undefined : [{ assistant: text }];
}

function caseFor(traces: readonly Trace[], ledger: Ledger): DraftCase | undefined {
  const ordered = [...traces].sort((a, b) => (a.time < b.time ? -1 : Number(a.time > b.time)));
  const [first] = ordered;
  if (!first) return undefined;
  const messages: readonly Message[] = conversationOf(ordered.flatMap((one) => one.exchanges));
  const tools = ordered.findLast((one) => one.tools)?.tools;
  return spokenCase(messages, { line: first.line, name: first.session, keys: { tools } }, ledger);
}
