import { isMapping, type Mapping, mappingOf } from '../../core/data/data.ts';
import { parsed } from '../fields.ts';

/** A span with its attributes as plain values, its events' too. */
export interface Span {
  readonly line: number;
  readonly id: string;
  readonly parent: string;
  readonly trace: string;
  readonly name: string;
  /** Nanoseconds, as decimal text without leading zeros. */
  readonly start: string;
  readonly attributes: Mapping;
  readonly events: readonly { readonly name: string; readonly attributes: Mapping }[];
}

/** @param resource attributes of what the span is part of */
export function spanOf(value: unknown, line: number, resource: Mapping): Span {
  const span = mappingOf(value);
  const text = (...keys: string[]) => String(keys.map((key) => span[key]).find(isThere) ?? '');
  const context = mappingOf(span.context ?? span.spanContext);
  return {
    line,
    id: text('spanId', 'span_id') || String(context.span_id ?? context.spanId ?? ''),
    parent: text('parentSpanId', 'parent_span_id', 'parent_id'),
    trace: text('traceId', 'trace_id') || String(context.trace_id ?? context.traceId ?? ''),
    name: text('name'),
    start: text('startTimeUnixNano', 'start_time_unix_nano', 'start_time'),
    attributes: { ...resource, ...attributesOf(span.attributes) },
    events: (Array.isArray(span.events) ? span.events : []).map((event) => ({
      name: String(mappingOf(event).name),
      attributes: attributesOf(mappingOf(event).attributes),
    })),
  };
}

export function byStart(a: Span, b: Span): number {
  return a.start.length - b.start.length || (a.start < b.start ? -1 : Number(a.start > b.start));
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** OTLP's list of keys and typed values, or a plain mapping. */
export function attributesOf(given: unknown): Mapping {
  if (!Array.isArray(given)) return mappingOf(given);
  return Object.fromEntries(
    given.filter(isMapping).map(({ key, value }) => [String(key), plainValue(value)]),
  );
}

function plainValue(given: unknown): unknown {
  const value = mappingOf(given);
  const [kind, inner] = Object.entries(value)[0] ?? [];
  switch (kind?.replace(/_v/, 'V')) {
    case 'arrayValue':
      return listOf(inner).map(plainValue);
    case 'kvlistValue':
      return attributesOf(mappingOf(inner).values);
    case 'intValue':
      return Number(inner);
    default:
      // OTLP writes null as a value of no kind.
      return inner ?? null;
  }
}

function listOf(value: unknown): unknown[] {
  const { values } = mappingOf(value);
  return Array.isArray(values) ? values : [];
}

/**
 * What attributes such as `llm.input_messages.0.message.role` say, as the nested value under a
 * prefix; undefined if there are none.
 */
export function nestedUnder(attributes: Mapping, prefix: string): unknown {
  const own = parsed(attributes[prefix]);
  if (typeof own === 'object' && own !== null) return own;
  const root: Record<string, unknown> = Object.create(null);
  let found = false;
  for (const [key, value] of Object.entries(attributes)) {
    if (!key.startsWith(`${prefix}.`)) continue;
    put(root, key.slice(prefix.length + 1).split('.'), value);
    found = true;
  }
  return found ? listed(root) : undefined;
}

function put(root: Record<string, unknown>, steps: readonly string[], value: unknown): void {
  let at = root;
  for (const step of steps.slice(0, -1)) {
    const inner = at[step];
    if (typeof inner === 'object' && inner !== null) at = inner as Record<string, unknown>;
    else {
      const made: Record<string, unknown> = Object.create(null);
      at[step] = made;
      at = made;
    }
  }
  at[steps.at(-1) ?? ''] = value;
}

/** A mapping whose keys are numbers is a list. */
function listed(value: unknown): unknown {
  if (!isMapping(value)) return value;
  const keys = Object.keys(value);
  const isList = keys.length > 0 && keys.every((key) => /^\d{1,6}$/.test(key));
  if (!isList) {
    return Object.fromEntries(keys.map((key) => [key, listed(value[key])]));
  }
  return keys.sort((a, b) => Number(a) - Number(b)).map((key) => listed(value[key]));
}
