import { addTo, isMapping, type Mapping, mappingOf } from '../../core/data/data.ts';
import { counted } from '../../core/text/format.ts';
import { caseFromMessages } from '../conversation.ts';
import { listIn, parseJsonText, textIn } from '../fields.ts';
import type { DraftCase, Importer, Ledger } from '../importer.ts';
import { traceDataSchema } from '../mlflow/api.ts';
import {
  compare,
  conversationInTrace,
  joinTraces,
  readSpans,
  SESSION,
  type Span,
  type TraceConversation,
} from '../mlflow/session.ts';

/** MLflow's traces, as written by `Trace.to_json` and `search_traces`. */
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
    return { cases: [...sessions.values()].flatMap((traces) => caseFor(traces, ledger) ?? []) };
  },
};

interface Trace extends TraceConversation {
  readonly line: number;
  readonly id: string;
  readonly session: string | undefined;
  readonly time: string;
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
  const metadata = mappingOf(parseJsonText(info.trace_metadata ?? info.request_metadata));
  const id = textIn(info, 'trace_id', 'request_id') ?? `line-${line}`;
  const count = listIn(info, 'assessments')?.length ?? 0;
  if (count > 0) ledger.lost(line, `${count} assessments have no counterpart in an eval file.`);
  const talk = conversationInTrace(spansIn(data));
  if (talk.besides > 0) {
    const requests = counted(talk.besides, 'request');
    ledger.lost(line, `Left out ${requests} of ${id} to models outside the conversation.`);
  }
  return {
    ...talk,
    line,
    id,
    session: textIn(metadata, SESSION) ?? textIn(mappingOf(info.tags), SESSION),
    time: textIn(info, 'request_time', 'timestamp_ms') ?? '',
  };
}

/** For a row without spans, its request and response become one. */
function spansIn(data: Mapping): Span[] {
  const spans = (listIn(data, 'spans') ?? []).map(parseJsonText);
  const read = readSpans(traceDataSchema.safeParse({ spans }).data?.spans ?? []);
  if (read.length > 0) return read;
  const { request: inputs, response: outputs } = data;
  const own = { inputs: parseJsonText(inputs), outputs: parseJsonText(outputs), tools: undefined };
  return [{ id: '', parent: undefined, start: 0, type: '', name: '', ...own }];
}

function caseFor(traces: readonly Trace[], ledger: Ledger): DraftCase | undefined {
  const ordered = [...traces].sort((a, b) => compare(a.time, b.time));
  const [first] = ordered;
  if (!first) return undefined;
  const { messages, tools, branches } = joinTraces(ordered);
  if (branches > 0) {
    const requests = counted(branches, 'request');
    ledger.lost(first.line, `Left out ${requests} that don't continue the conversation.`);
  }
  const keys = tools.length > 0 ? { tools } : {};
  return caseFromMessages(messages, { line: first.line, name: first.session, keys }, ledger);
}
