import { jsonOrText, type Mapping, mappingOf } from '../../core/data/data.ts';
import { attributesOf } from '../importers/spanAttributes.ts';
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
    const attributes = valuesOf(span.attributes);
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
function valuesOf(given: unknown): Mapping {
  const attributes = attributesOf(given);
  if (Array.isArray(given)) return attributes;
  const values = Object.entries(attributes).map(([key, value]) => [
    key,
    typeof value === 'string' ? jsonOrText(value) : value,
  ]);
  return Object.fromEntries(values);
}
