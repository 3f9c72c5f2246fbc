import { isMapping, jsonOrText, type Mapping, mappingOf } from '../../core/data.ts';
import type { WireSpan } from './wire.ts';

/** A span with its values as they were logged. */
export interface Span {
  readonly id: string;
  readonly parent: string | undefined;
  /** Nanoseconds since 1970, but for the last digits. */
  readonly start: number;
  readonly type: string;
  readonly name: string;
  readonly inputs: unknown;
  readonly outputs: unknown;
  /** Of a model's span: the tools that it was offered. */
  readonly tools: unknown;
}

/** In the order in which they began. */
export function readSpans(given: readonly WireSpan[]): Span[] {
  const inOrder = [...given].sort((a, b) => startOf(a) - startOf(b));
  return inOrder.map((span) => {
    const attributes = attributesOf(span.attributes);
    return {
      id: span.span_id,
      parent: span.parent_span_id || undefined,
      start: startOf(span),
      type: String(attributes['mlflow.spanType'] ?? ''),
      name: span.name,
      inputs: attributes['mlflow.spanInputs'],
      outputs: attributes['mlflow.spanOutputs'],
      tools: attributes['mlflow.chat.tools'] ?? mappingOf(attributes['mlflow.spanInputs']).tools,
    };
  });
}

function startOf({ start_time_unix_nano: nanoseconds }: WireSpan): number {
  return Number(nanoseconds);
}

/** The tracking store tells them as OTLP does, artifacts as a mapping of JSON texts. */
function attributesOf(given: unknown): Mapping {
  if (Array.isArray(given)) {
    return Object.fromEntries(
      given.filter(isMapping).map(({ key, value }) => [String(key), plain(value)]),
    );
  }
  return Object.fromEntries(
    Object.entries(mappingOf(given)).map(([key, value]) => [
      key,
      typeof value === 'string' ? jsonOrText(value) : value,
    ]),
  );
}

/** The value of OTLP's `{string_value: …}`, at every depth. */
function plain(given: unknown): unknown {
  const [kind, value] = Object.entries(mappingOf(given))[0] ?? [];
  switch (kind) {
    case 'array_value':
      return listIn(value).map(plain);
    case 'kvlist_value':
      return Object.fromEntries(
        listIn(value)
          .filter(isMapping)
          .map((entry) => [String(entry.key), plain(entry.value)]),
      );
    case 'int_value':
      return Number(value);
    default:
      return value ?? null;
  }
}

function listIn(value: unknown): readonly unknown[] {
  const { values } = mappingOf(value);
  return Array.isArray(values) ? values : [];
}
