import * as z from 'zod';
import type { ToolCall } from '../core/message.ts';
import type { Missing } from '../schema/valueProblems.ts';
import type { Item } from './dialect.ts';
import type { PartKind, PartKinds } from './parts.ts';

const text = z.string().meta({ description: 'The text.' });

/** A part `{type, text}` and what endpoints add to it. */
export function textKind(type: string, extras: Readonly<Record<string, z.ZodType>> = {}): PartKind {
  return {
    schema: z.strictObject({
      type: z.literal(type).meta({ description: 'A part of text.' }),
      text,
      ...extras,
    }),
    read: (part) => ({ text: String(part.text), notes: notesOfText(part) }),
  };
}

const cited = {
  annotations: z
    .array(z.unknown())
    .nullish()
    .meta({ description: 'Citations; noted, not read.', readOnly: true }),
  logprobs: z
    .array(z.unknown())
    .nullish()
    .meta({ description: 'Noted, not read.', readOnly: true }),
};

/** What a model wrote, with its citations. */
export const outputText = textKind('output_text', cited);
export const inputText = textKind('input_text');

export const refusalKind: PartKind = {
  schema: z.strictObject({
    type: z.literal('refusal').meta({ description: "The model's words where it refused." }),
    refusal: z.string().meta({ description: "The model's words." }),
  }),
  of: ['assistant'],
  read: (part) => ({ text: String(part.refusal) }),
};

/** What OpenAI's chat messages hold. */
export const chatParts: PartKinds = { text: textKind('text'), refusal: refusalKind };

/** One line, however many there are: a text with links may have dozens. */
export function annotationNotes(count: number): string[] {
  if (count === 0) return [];
  return [count === 1 ? 'An annotation of a text.' : `${count} annotations of a text.`];
}

function notesOfText({ annotations, citations, logprobs }: Item): string[] {
  const cites = [annotations, citations].flatMap((list) => (Array.isArray(list) ? list : []));
  const notes = annotationNotes(cites.length);
  if (Array.isArray(logprobs) && logprobs.length > 0) notes.push('Probabilities of tokens.');
  return notes;
}

const functionSchema = z
  .strictObject({
    name: z.string().min(1).meta({ description: 'Name of the tool.' }),
    arguments: z
      .union([z.string(), z.record(z.string(), z.unknown())])
      .optional()
      .meta({ description: 'JSON, as text or as a mapping.' }),
  })
  .meta({ description: 'What is called, and with what.' });

const toolCallSchema = z.strictObject({
  id: z.string().min(1).meta({ description: 'Names the call; its result refers to it.' }),
  type: z.literal('function').optional().meta({ description: 'Always `function`.' }),
  function: functionSchema,
});

const NO_NAME = ['call-without-name', 'This tool call names no tool.'] as const;

/** What a tool call lacks, by the key of its id. */
export function missingOfCall(id: string, name = 'name'): Missing {
  return {
    [name]: NO_NAME,
    [id]: ['call-without-id', `This tool call has no id: give it \`${id.split('.').at(-1)}\`.`],
  };
}

/** What is wrong with calls in OpenAI's form that lack something. */
export const MISSING_OF_CALLS: Missing = {
  ...missingOfCall('tool_calls.id', 'tool_calls.function.name'),
  'tool_calls.function': NO_NAME,
};

/** As an assistant's message holds it. */
export const toolCalls = z
  .array(toolCallSchema)
  .nullish()
  .meta({ description: 'Calls of tools, in OpenAI form.' });

/** Sound calls in OpenAI's form. Arguments that are JSON in a text are parsed, else kept as text. */
export function readToolCalls(calls: unknown): ToolCall[] {
  return (toolCalls.parse(calls) ?? []).map(({ id, function: called }) => ({
    id,
    name: called.name,
    arguments: parseArguments(called.arguments),
  }));
}

/** JSON in a text is parsed; a text that is no JSON stays; nothing means no arguments. */
export function parseArguments(given: unknown): unknown {
  if (given === null || given === undefined) return {};
  if (typeof given !== 'string') return given;
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}

/** What a tool gave back, as a text: a text as it is, nothing as nothing, all else as JSON. */
export function resultText(given: unknown): string {
  if (given === null || given === undefined) return '';
  return typeof given === 'string' ? given : JSON.stringify(given);
}
