import { isMapping, type Mapping, mappingOf, parseJson } from '../../core/data/data.ts';
import { parsed } from '../fields.ts';

/**
 * The messages of an answer of Chat Completions or Responses: whole, wrapped by a log, or as the
 * events of a stream. Undefined if it is none of these.
 */
export function answerOf(given: unknown): unknown[] | undefined {
  if (typeof given === 'string' && /^(event|data):/m.test(given)) return streamed(given);
  const value = parsed(given);
  if (Array.isArray(value)) return value;
  if (!isMapping(value)) return undefined;
  if (Array.isArray(value.output)) return value.output;
  if (Array.isArray(value.choices)) return messagesIn(value.choices);
  if (typeof value.role === 'string') return [value];
  const { body, string } = value;
  return body === undefined && string === undefined ? undefined : answerOf(body ?? string);
}

function messagesIn(choices: readonly unknown[]): unknown[] | undefined {
  const { message } = mappingOf(choices[0]);
  return isMapping(message) ? [message] : undefined;
}

function streamed(text: string): unknown[] | undefined {
  const events = [...text.matchAll(/^data: ?(.+)$/gm)].flatMap(([, data = '']) => {
    const event = parseJson(data);
    return isMapping(event) ? [event] : [];
  });
  const done = events.find(({ type }) => type === 'response.completed');
  if (done) return answerOf(mappingOf(done.response));
  const deltas = events.flatMap(({ choices }) =>
    Array.isArray(choices) ? [mappingOf(mappingOf(choices[0]).delta)] : [],
  );
  return deltas.length > 0 ? [assembled(deltas)] : undefined;
}

/** The message that the pieces of a stream of Chat Completions make. */
function assembled(deltas: readonly Mapping[]): Mapping {
  const content = deltas.map((delta) => delta.content ?? '').join('');
  const calls: { id: string; name: string; arguments: string }[] = [];
  for (const { tool_calls: pieces } of deltas) {
    for (const piece of Array.isArray(pieces) ? pieces.map(mappingOf) : []) {
      const called = mappingOf(piece.function);
      const index = Number(piece.index ?? 0);
      const call = calls[index] ?? { id: '', name: '', arguments: '' };
      // Some endpoints repeat both with every piece.
      call.id ||= String(piece.id ?? '');
      call.name ||= String(called.name ?? '');
      call.arguments += called.arguments ?? '';
      calls[index] = call;
    }
  }
  const toolCalls = calls.map(({ id, ...called }) => ({ id, function: called }));
  return { role: 'assistant', content, ...(toolCalls.length > 0 && { tool_calls: toolCalls }) };
}
