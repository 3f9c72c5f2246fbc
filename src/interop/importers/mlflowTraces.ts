import { isMapping, type Mapping, mappingOf, parseJsonText, textIn } from '../../core/data/data.ts';
import { counted } from '../../core/text/format.ts';
import { listIn } from '../fields.ts';
import type { Importer, Ledger } from '../importer.ts';
import { type Assessment, traceDataSchema, traceInfoSchema } from '../mlflow/api.ts';
import { feedbackOf, isFeedback } from '../mlflow/labels.ts';
import { conversationInTrace, readSpans, SESSION, type Span } from '../mlflow/session.ts';
import { casesOfTraces, skipBesides, type Trace } from '../traceCases.ts';

/** MLflow's traces, as written by `Trace.to_json` and `search_traces`. */
export const mlflowTraces: Importer = {
  name: 'MLflow traces',
  takes: 'traces with `info` and `data`, or rows of `search_traces`',
  tag: 'mlflow',
  matches: (value) => isMapping(value) && tracesIn(value).some(isTrace),
  read(rows, ledger) {
    const found = rows.flatMap(({ line, value }) =>
      tracesIn(mappingOf(value))
        .filter(isTrace)
        .map((one) => ({ line, ...partsOf(one) })),
    );
    return {
      cases: casesOfTraces(
        found.map((one) => traceOf(one, ledger)),
        ledger,
      ),
      versions: found.flatMap(({ metadata }) => {
        const version = textIn(metadata, 'mlflow.trace_schema.version');
        return version === undefined ? [] : [`trace schema ${version}`];
      }),
    };
  },
};

function tracesIn(value: Mapping): Mapping[] {
  return (listIn(value, 'traces') ?? [value]).map(mappingOf);
}

function isTrace(value: Mapping): boolean {
  if (isMapping(value.info) && isMapping(value.data)) return true;
  const asks = Object.hasOwn(value, 'request') && Object.hasOwn(value, 'response');
  return asks && ['trace_metadata', 'trace_id', 'spans'].some((key) => Object.hasOwn(value, key));
}

function partsOf(value: Mapping) {
  const info = isMapping(value.info) ? value.info : value;
  const data = isMapping(value.data) ? value.data : value;
  return {
    info,
    data,
    metadata: mappingOf(parseJsonText(info.trace_metadata ?? info.request_metadata)),
  };
}

type Parts = ReturnType<typeof partsOf> & { readonly line: number };

function traceOf({ line, info, data, metadata }: Parts, ledger: Ledger): Trace {
  const id = textIn(info, 'trace_id', 'request_id') ?? `line-${line}`;
  const assessments = assessmentsIn(info, line, ledger);
  const talk = conversationInTrace(spansIn(data));
  skipBesides(talk, { id, line }, ledger);
  return {
    ...talk,
    line,
    id,
    session: textIn(metadata, SESSION) ?? textIn(mappingOf(info.tags), SESSION),
    time: textIn(info, 'request_time', 'timestamp_ms') ?? '',
    feedbackOn: (turn) => assessments.map((one) => feedbackOf(one, turn)),
  };
}

/** People's feedback. Reports other assessments. */
function assessmentsIn(info: Mapping, line: number, ledger: Ledger): Assessment[] {
  const given = listIn(info, 'assessments') ?? [];
  const { data = { assessments: [] } } = traceInfoSchema
    .pick({ assessments: true })
    .safeParse({ assessments: given });
  const own = data.assessments.filter(isFeedback);
  const others = given.length - own.length;
  if (others > 0) {
    const which = counted(others, 'assessment');
    ledger.lost(line, `${which} can't become labels: not from people, or without feedback.`);
  }
  return own;
}

/** A row's spans. For a row without spans, its request and response become one span. */
function spansIn(data: Mapping): Span[] {
  const spans = (listIn(data, 'spans') ?? []).map(parseJsonText);
  const read = readSpans(traceDataSchema.safeParse({ spans }).data?.spans ?? []);
  if (read.length > 0) return read;
  const { request: inputs, response: outputs } = data;
  const own = { inputs: parseJsonText(inputs), outputs: parseJsonText(outputs), tools: undefined };
  return [{ id: '', parent: undefined, start: 0, type: '', name: '', ...own }];
}
