/** A trace, as defined in a test. */
export interface FakeTrace {
  readonly id: string;
  readonly session?: string;
  readonly spans: readonly FakeSpan[];
  /** Start in nanoseconds; defaults to 0. */
  readonly began?: number;
  /** Whether the spans are stored as artifacts; defaults to false, for the tracking store. */
  readonly inArtifacts?: boolean;
}

export interface FakeSpan {
  readonly id?: string;
  readonly parent?: string;
  readonly type?: string;
  readonly name?: string;
  readonly inputs?: unknown;
  readonly outputs?: unknown;
}

/** A turn from an application that doesn't log model calls: only the input and output texts of its function. */
export function turnTrace(id: string, session: string, question: string, reply: string): FakeTrace {
  return { id, session, spans: [{ inputs: { message: question, session }, outputs: reply }] };
}

/** A turn with a model call that contains all previous messages. */
export function chatTrace(
  id: string,
  session: string,
  messages: readonly object[],
  reply: string,
): FakeTrace {
  const answer = { choices: [{ message: { role: 'assistant', content: reply } }] };
  return {
    id,
    session,
    spans: [
      { inputs: { session }, outputs: reply },
      { type: 'CHAT_MODEL', inputs: { model: 'm', messages }, outputs: answer },
    ],
  };
}

interface Numbered extends FakeSpan {
  readonly id: string;
  readonly number: number;
}

/** Numbers the spans. Spans that name no parent are children of the first one. */
function numbered({ spans }: FakeTrace): Numbered[] {
  return spans.map((span, number) => ({
    ...span,
    id: span.id ?? `span-${number}`,
    number,
    ...(number > 0 && { parent: span.parent ?? spans[0]?.id ?? 'span-0' }),
  }));
}

function attributes({ type = 'UNKNOWN', inputs, outputs }: FakeSpan): [string, unknown][] {
  const all: [string, unknown][] = [
    ['mlflow.spanType', type],
    ['mlflow.spanInputs', inputs],
    ['mlflow.spanOutputs', outputs],
  ];
  return all.filter(([, value]) => value !== undefined);
}

/** Spans as the tracking store returns them, with OTLP values. */
export function storedSpans(trace: FakeTrace): object[] {
  return numbered(trace).map((span) => ({
    trace_id: 'AAAA',
    span_id: span.id,
    ...(span.parent && { parent_span_id: span.parent }),
    name: span.name ?? 'span',
    start_time_unix_nano: (trace.began ?? 0) + span.number,
    attributes: attributes(span).map(([key, value]) => ({ key, value: otlp(value) })),
  }));
}

/** Spans as stored in artifacts, with each value as JSON. */
export function savedSpans(trace: FakeTrace): object[] {
  return numbered(trace).map((span) => ({
    span_id: span.id,
    parent_span_id: span.parent ?? null,
    name: span.name ?? 'span',
    start_time_unix_nano: (trace.began ?? 0) + span.number,
    attributes: Object.fromEntries(
      attributes(span).map(([key, value]) => [key, JSON.stringify(value)]),
    ),
  }));
}

function otlp(value: unknown): object {
  if (typeof value === 'string') return { string_value: value };
  if (typeof value === 'boolean') return { bool_value: value };
  if (typeof value === 'number') {
    return Number.isInteger(value) ? { int_value: value } : { double_value: value };
  }
  if (Array.isArray(value)) return { array_value: { values: value.map(otlp) } };
  if (value === null || value === undefined) return {};
  const values = Object.entries(value).map(([key, one]) => ({ key, value: otlp(one) }));
  return { kvlist_value: { values } };
}
