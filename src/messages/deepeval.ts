import * as z from 'zod';
import type { Message } from '../core/message.ts';
import { type Missing, valueProblems } from '../schema/valueProblems.ts';
import { NO_NAME, noted, resultText, retrievalContext, toolName, validItems } from './content.ts';
import {
  type Dialect,
  type Item,
  messageSchemas,
  type ParsedMessage,
  type ReadMessage,
  roleIn,
} from './dialect.ts';
import { refuseEmpty, unionBy } from './parts.ts';

const given = z.record(z.string(), z.unknown()).nullish().describe('Arguments of the call.');

const output = z.unknown().optional().describe('What the tool returned.');

const toolSchema = z.strictObject({
  name: toolName,
  input_parameters: given,
  output,
  description: z
    .string()
    .nullish()
    .describe('What the tool does. Not judged; the judge sees only a note.'),
  reasoning: z
    .string()
    .nullish()
    .describe('Why it was called. Not judged; the judge sees only a note.'),
});

const mcpToolSchema = z.strictObject({ name: toolName, args: given, result: output });

const MISSING: Missing = { 'tools_called.name': NO_NAME, 'mcp_tools_called.name': NO_NAME };

const noCalls = z
  .null()
  .optional()
  .meta({ description: "Always null: users don't call tools.", readOnly: true });

const schemas = messageSchemas(['user', 'assistant'], (role) => ({
  content: z.string().describe('The text of the turn.'),
  user_id: noted,
  metadata: noted,
  additional_metadata: noted,
  audio: noted,
  mcp_resources_called: noted,
  mcp_prompts_called: noted,
  ...(role === 'user'
    ? {
        tools_called: noCalls,
        mcp_tools_called: noCalls,
        retrieval_context: noCalls.meta({
          description: 'Always null: only replies have a retrieval context.',
          readOnly: true,
        }),
      }
    : {
        tools_called: z
          .array(toolSchema)
          .nullish()
          .describe("Tools called before this reply, in DeepEval's format."),
        mcp_tools_called: z
          .array(mcpToolSchema)
          .nullish()
          .describe('MCP tools called before this reply.'),
        retrieval_context: retrievalContext,
      }),
}));

const MARKING = [
  'user_id',
  'metadata',
  'additional_metadata',
  'mcp_resources_called',
  'mcp_prompts_called',
] as const;

const NOTED = [...MARKING, 'audio'] as const;

/** Keys that no other dialect has, including the spelling of DeepEval's servers. */
const MARKS = ['tools_called', 'mcp_tools_called', ...MARKING, 'toolsCalled', 'userId'];

/** DeepEval's turns: `{role, content, tools_called?, retrieval_context?}`. */
export const deepeval: Dialect = {
  name: 'DeepEval',
  matches: (item) => Object.hasOwn(item, 'role') && MARKS.some((key) => Object.hasOwn(item, key)),
  schema: unionBy('role', Object.values(schemas)),
  types: [],
  read(item, index) {
    const role = roleIn(item, schemas);
    if (typeof role === 'object') return { problems: [role] };
    // A turn can consist entirely of calls.
    const turn = item.content === undefined ? { ...item, content: '' } : item;
    const problems = valueProblems(schemas[role], turn, { missing: MISSING });
    return problems.length > 0 ? { problems } : readTurn(item, role, index);
  },
};

function readTurn(item: Item, role: 'user' | 'assistant', index: number): ReadMessage {
  const content = typeof item.content === 'string' ? item.content : '';
  const notes = NOTED.filter((key) => item[key] !== undefined && item[key] !== null).map(
    (key) => `\`${key}\` of a turn.`,
  );
  if (role === 'user') {
    return refuseSilent(item, content.trim() === '' ? [] : [{ message: { role, content } }], notes);
  }
  const calls = callsOf(item, index);
  const toolCalls = calls.map(({ call }) => call);
  const results = calls.flatMap(({ call, result }): Message[] =>
    result === undefined ? [] : [{ role: 'tool', callId: call.id, content: result }],
  );
  const context = retrievalContext.safeParse(item.retrieval_context).data;
  const reply = { role, content, ...(context && { retrievalContext: context }) };
  const isSilent = content.trim() === '';
  // In a turn, calls come first, then results, then text.
  const messages: Message[] = [
    ...(toolCalls.length > 0 ? [{ role, content: '', toolCalls }] : []),
    ...results,
    ...(isSilent && !context ? [] : [reply]),
  ];
  const parsed = isSilent && calls.length === 0 ? [] : messages.map((message) => ({ message }));
  return refuseSilent(item, parsed, [...notes, ...calls.flatMap((one) => one.notes)]);
}

/** Drops the notes if a turn has no messages. */
function refuseSilent(item: Item, messages: ParsedMessage[], notes: string[]): ReadMessage {
  return refuseEmpty(item, { messages, notes: messages.length === 0 ? [] : notes });
}

/** DeepEval's calls have no ids, so their positions serve as ids. */
function callsOf(item: Item, index: number) {
  const tools = validItems(toolSchema, item.tools_called).map((one) => ({
    name: one.name,
    given: one.input_parameters,
    result: one.output ?? undefined,
    notes: [
      ...(one.description ? [`The description of "${one.name}".`] : []),
      ...(one.reasoning ? [`Why "${one.name}" was called.`] : []),
    ],
  }));
  const mcp = validItems(mcpToolSchema, item.mcp_tools_called).map(({ name, args, result }) => ({
    name,
    given: args,
    result: result === undefined || result === null ? undefined : mcpText(result),
    notes: [],
  }));
  return [...tools, ...mcp].map(({ name, given, result, notes }, callIndex) => ({
    call: { id: `message-${index + 1}-call-${callIndex + 1}`, name, arguments: given ?? {} },
    result: result === undefined ? undefined : resultText(result),
    notes,
  }));
}

/** The text of an MCP result, which is a list of contents. If all of them are text, the result is their text. */
function mcpText(result: unknown): string {
  const read = z
    .object({ content: z.array(z.object({ type: z.literal('text'), text: z.string() })) })
    .safeParse(result);
  return read.success ? read.data.content.map(({ text }) => text).join('\n\n') : resultText(result);
}
