import * as z from 'zod';
import type { ToolCall } from '../core/message.ts';
import type { MessageProblem } from './dialect.ts';

export const textPartSchema = z.strictObject({
  type: z.literal('text').meta({ description: 'A part of text.' }),
  text: z.string().meta({ description: 'The text.' }),
});

export const contentSchema = z.union([z.string(), z.null(), z.array(textPartSchema)]);

export const toolCallSchema = z.strictObject({
  id: z.string().min(1).meta({ description: 'Names the call; its result refers to it.' }),
  type: z.literal('function').optional(),
  function: z.strictObject({
    name: z.string().min(1).meta({ description: 'Name of the tool.' }),
    arguments: z
      .union([z.string(), z.record(z.string(), z.unknown())])
      .optional()
      .meta({ description: 'JSON, as text or as a mapping.' }),
  }),
});

/** The text of a message's content; parts are joined by a blank line. */
export function readContent(content: unknown): string | { readonly problem: MessageProblem } {
  if (content === null || content === undefined) return '';
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) {
    return fault(['content'], 'wrong-type', '`content` must be a text or a list of parts.');
  }
  const texts: string[] = [];
  for (const [index, part] of content.entries()) {
    const read = textPartSchema.safeParse(part);
    if (read.success) {
      texts.push(read.data.text);
      continue;
    }
    const type: unknown = Reflect.get(Object(part), 'type');
    if (type !== 'text') {
      const shown = JSON.stringify(type) ?? 'nothing';
      return fault(
        ['content', index, ...(type === undefined ? [] : ['type'])],
        'unknown-part',
        `${shown} is no type of part that can be read here. Parts of type "text" can.`,
      );
    }
    return fault(['content', index], 'wrong-type', 'A text part is `{type: text, text: …}`.');
  }
  return texts.join('\n\n');
}

function fault(path: (string | number)[], code: string, message: string) {
  return { problem: { path, code, message } };
}

/** Tool calls in OpenAI's form. Arguments that are JSON in a text are parsed, else kept as text. */
export function readToolCalls(
  calls: unknown,
): readonly ToolCall[] | { readonly problems: readonly MessageProblem[] } {
  if (calls === null || calls === undefined) return [];
  if (!Array.isArray(calls)) {
    const message = '`tool_calls` must be a list of calls.';
    return { problems: [{ path: ['tool_calls'], code: 'wrong-type', message }] };
  }
  const problems: MessageProblem[] = [];
  const read: ToolCall[] = [];
  for (const [index, call] of calls.entries()) {
    const path = ['tool_calls', index];
    const parsed = toolCallSchema.safeParse(call);
    if (parsed.success) {
      const { id, function: called } = parsed.data;
      read.push({ id, name: called.name, arguments: parseArguments(called.arguments ?? {}) });
      continue;
    }
    for (const issue of parsed.error.issues) {
      problems.push(callProblem(path, issue));
    }
  }
  return problems.length > 0 ? { problems } : read;
}

function callProblem(path: (string | number)[], issue: z.core.$ZodIssue): MessageProblem {
  const keys = issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key));
  const place = [...path, ...keys];
  const field = keys.join('.');
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? '';
    const message = `There is no key "${key}" in a tool call.`;
    return { path: [...place, key], code: 'unknown-key', message, onKey: true };
  }
  if (field === 'function.name' || field === 'function') {
    return { path, code: 'call-without-name', message: 'This tool call names no tool.' };
  }
  if (field === 'id')
    return { path, code: 'call-without-id', message: 'This tool call has no id.' };
  return { path: place, code: 'wrong-type', message: `\`${field}\`: ${issue.message}.` };
}

function parseArguments(given: unknown): unknown {
  if (typeof given !== 'string') return given;
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}
