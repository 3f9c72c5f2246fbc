import type { Message } from '../core/message.ts';
import type { MessageProblem } from './dialect.ts';
import { unknownKey } from './keys.ts';
import { dialects } from './registry.ts';
import { SHORTHANDS } from './shorthand.ts';

export interface ReadMessages {
  /** Canonical messages, each with the index of the item it came from. */
  readonly messages: readonly { readonly message: Message; readonly index: number }[];
  readonly notes: readonly string[];
  /** Paths start with the item's index. Empty: all was read. */
  readonly problems: readonly MessageProblem[];
}

/**
 * Reads a list of messages in any accepted dialect, item by item. Nothing is dropped: what cannot
 * be read is a problem, what has nothing to show is a note.
 */
export function readMessages(list: unknown): ReadMessages {
  if (!Array.isArray(list))
    return failed([], 'not-a-list', 'A conversation is a list of messages.');
  if (list.length === 0) return failed([], 'empty-list', 'The conversation has no messages.');
  const messages: { message: Message; index: number }[] = [];
  const notes: string[] = [];
  const problems: MessageProblem[] = [];
  const open: string[] = [];

  for (const [index, item] of list.entries()) {
    const say = (problem: MessageProblem) =>
      problems.push({
        ...problem,
        path: [index, ...problem.path],
        message: `Message ${index + 1}: ${problem.message}`,
      });
    const read = readItem(item);
    if ('problems' in read) {
      read.problems.forEach(say);
      continue;
    }
    notes.push(...read.notes.map((note) => `Message ${index + 1}: ${note}`));
    for (const message of read.messages) {
      if (message.role === 'assistant') {
        open.push(...(message.toolCalls ?? []).map(({ id }) => id));
      }
      if (message.role !== 'tool') {
        messages.push({ message, index });
        continue;
      }
      const id = read.joinsOpenCall && open.length === 1 ? (open[0] ?? '') : message.callId;
      const at = open.indexOf(id);
      if (id === '') {
        say({
          path: [],
          code: 'result-without-id',
          message: `A tool result needs \`tool_call_id\`: ${open.length} calls are open.`,
        });
      } else if (at < 0) {
        say({
          path: ['tool_call_id'],
          code: 'unmatched-result',
          message: `No open tool call before it has the id "${id}".`,
        });
      } else {
        open.splice(at, 1);
        messages.push({ message: { ...message, callId: id }, index });
      }
    }
  }
  if (problems.length === 0) problems.push(...missingSides(messages.map(({ message }) => message)));
  return { messages, notes, problems };
}

function readItem(item: unknown) {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    const message = 'A message is a mapping, such as `user: Hi` or `{role: user, content: Hi}`.';
    return { problems: [{ path: [], code: 'message-not-object', message }] };
  }
  const record: Readonly<Record<string, unknown>> = { ...item };
  const dialect = dialects.find((one) => one.matches(record));
  if (dialect) return dialect.read(record);
  const [key] = Object.keys(record);
  const meant =
    key === undefined ? undefined : unknownKey(key, ['role', ...SHORTHANDS], 'a message');
  if (meant?.replacement) return { problems: [meant] };
  const message = `It has no role. Write one of ${SHORTHANDS.map((side) => `\`${side}: …\``).join(', ')}, or \`role\` and \`content\`.`;
  return { problems: [{ path: [], code: 'missing-role', message }] };
}

function missingSides(messages: readonly Message[]): MessageProblem[] {
  const missing = (['user', 'assistant'] as const).filter(
    (side) => !messages.some(({ role }) => role === side),
  );
  return missing.map((side) => ({
    path: [],
    code: `no-${side}-message`,
    message: `The conversation has no message of the ${side}: there is nothing to judge.`,
  }));
}

function failed(path: MessageProblem['path'], code: string, message: string): ReadMessages {
  return { messages: [], notes: [], problems: [{ path, code, message }] };
}
