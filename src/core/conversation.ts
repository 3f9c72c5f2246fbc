import * as z from 'zod';
import { listOf } from './data/listOf.ts';
import { type Message, toolCallSchema } from './message.ts';
import { sourceSchema } from './problem.ts';

/**
 * A conversation cut into turns. A turn is everything one side says until the other side speaks:
 *
 *     system     You are …          entry (system)
 *     user       Hi                 turn 1 ┐ one user turn
 *     user       anyone there?      turn 1 ┘
 *     assistant  (calls lookup)     turn 2 ┐
 *     tool       {"status": "ok"}   turn 2 │ one assistant turn
 *     assistant  It is on its way.  turn 2 ┘
 *
 * System and developer messages are not turns: between turns they are entries; inside a turn, items.
 */
const systemTextSchema = z.object({
  kind: z.literal('system').meta({ description: 'A system text.' }),
  role: z.enum(['system', 'developer']).meta({ description: 'Role of the message.' }),
  text: z.string().meta({ description: 'The text.' }),
});

const agent = z.string().optional().meta({
  description: 'Name of the agent, if several act as the assistant.',
});

const turnItemSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('text').meta({ description: 'Text.' }),
    text: z.string().meta({ description: 'The text.' }),
    agent,
  }),
  z.object({
    kind: z.literal('tool-call').meta({ description: 'A tool call.' }),
    call: toolCallSchema.meta({ description: 'The call.' }),
    result: z.string().optional().meta({
      description: 'What the tool returned; absent if there is no result.',
    }),
    agent,
  }),
  systemTextSchema,
]);

const turnSchema = z.object({
  kind: z.literal('turn').meta({ description: 'A turn.' }),
  number: z.int().min(1).meta({ description: 'From 1, across both sides.' }),
  side: z.enum(['user', 'assistant']).meta({ description: 'The side that speaks.' }),
  history: z.literal(true).optional().meta({
    description: "True if it is from the case's `history`, before the first live turn.",
  }),
  items: listOf(turnItemSchema).meta({ description: 'Texts and tool calls, in order.' }),
  retrievalContext: listOf(z.string()).optional().meta({
    description: 'What was retrieved for this turn, most relevant first.',
  }),
  expected: z.string().optional().meta({
    description: "What a good reply contains, from the scripted turn's `expected`.",
  }),
  source: sourceSchema.optional().meta({
    description: 'The turn in its file; for a live reply, the user turn it answers.',
  }),
  latency: z.number().optional().meta({
    description: 'Milliseconds the target took for this turn.',
  }),
  startup: z.number().optional().meta({
    description:
      'Milliseconds the target took to start before this turn, not included in its latency.',
  }),
  fromCache: z.literal(true).optional().meta({
    description: 'True if it came from the cache of an earlier run.',
  }),
  error: z.string().optional().meta({
    description: 'Why this turn is missing; only in views.',
    readOnly: true,
  }),
});

/** A turn that is missing because the target or the simulated user failed. */
export const failedTurnSchema = turnSchema.pick({ number: true, side: true, source: true });

export const conversationSchema = z.object({
  entries: listOf(z.discriminatedUnion('kind', [systemTextSchema, turnSchema])).meta({
    description: 'Turns and the system texts between them, in order.',
  }),
  notes: listOf(z.string()).meta({
    description: 'Parts without text, such as an MCP approval, one line each.',
  }),
});

export type SystemText = z.infer<typeof systemTextSchema>;
export type TurnItem = z.infer<typeof turnItemSchema>;
export type ToolCallItem = Extract<TurnItem, { kind: 'tool-call' }>;
export type Turn = z.infer<typeof turnSchema>;
export type FailedTurn = z.infer<typeof failedTurnSchema>;
export type Conversation = z.infer<typeof conversationSchema>;

export function turnsOf(conversation: Conversation): Turn[] {
  return conversation.entries.filter((entry) => entry.kind === 'turn');
}

export function turnsOfSide(conversation: Conversation, side: Turn['side']): Turn[] {
  return turnsOf(conversation).filter((turn) => turn.side === side);
}

/** How a conversation ends if it doesn't end with assistant text. */
export type OpenEnd = 'user' | 'tool-call';

export function openEnd(conversation: Conversation): OpenEnd | undefined {
  const last = turnsOf(conversation).at(-1);
  if (last?.side !== 'assistant') return 'user';
  const end = last.items.findLast(({ kind }) => kind !== 'system');
  return end?.kind === 'tool-call' ? 'tool-call' : undefined;
}

/** The text of a turn, its messages joined by a blank line, without tool calls. */
export function textOf(turn: Turn): string {
  return turn.items
    .filter((item) => item.kind === 'text')
    .map((item) => item.text)
    .join('\n\n');
}

export function liveTurnsOf(conversation: Conversation): Turn[] {
  return turnsOf(conversation).filter(({ history }) => !history);
}

/** A message and its contribution to its turn. */
export interface SourcedMessage
  extends Readonly<
    Pick<Turn, 'source' | 'expected' | 'latency' | 'startup' | 'fromCache' | 'history'>
  > {
  readonly message: Message;
}

export function systemMessages(system: string | undefined): Message[] {
  return system === undefined ? [] : [{ role: 'system', content: system }];
}

/**
 * Groups messages into turns. A tool result is added to the oldest open call with its id, even if the user spoke in
 * between.
 *
 * @throws Error on a tool result without a call; dialects report it first, with a location
 */
export function toConversation(
  placed: readonly SourcedMessage[],
  notes: readonly string[] = [],
): Conversation {
  const entries: Conversation['entries'] = [];
  const calls: ToolCallItem[] = [];
  let held: SystemText[] = [];
  let turn: Turn | undefined;
  let count = 0;

  for (const { message, source, expected, latency, startup, fromCache, history } of placed) {
    if (message.role === 'system' || message.role === 'developer') {
      held.push({ kind: 'system', role: message.role, text: message.content });
      continue;
    }
    if (message.role === 'tool') {
      answerCall(calls, message.callId, message.content);
      continue;
    }
    if (turn?.side === message.role) {
      turn.items.push(...held);
    } else {
      count += 1;
      turn = {
        kind: 'turn',
        number: count,
        side: message.role,
        items: [],
        ...(history && { history }),
        ...(source && { source }),
      };
      entries.push(...held, turn);
    }
    held = [];
    if (expected !== undefined) turn.expected = expected;
    if (latency !== undefined) turn.latency = (turn.latency ?? 0) + latency;
    if (startup !== undefined) turn.startup = (turn.startup ?? 0) + startup;
    if (fromCache) turn.fromCache = fromCache;
    const { agent = undefined } = message.role === 'assistant' ? message : {};
    const by = agent !== undefined && { agent };
    if (message.content !== '' || message.role === 'user') {
      turn.items.push({ kind: 'text', text: message.content, ...by });
    }
    if (message.role === 'user') continue;
    for (const call of message.toolCalls ?? []) {
      const item: ToolCallItem = { kind: 'tool-call', call, ...by };
      turn.items.push(item);
      calls.push(item);
    }
    if (message.retrievalContext) {
      turn.retrievalContext = [...(turn.retrievalContext ?? []), ...message.retrievalContext];
    }
  }
  entries.push(...held);
  return { entries, notes: [...notes] };
}

function answerCall(calls: readonly ToolCallItem[], id: string, result: string): void {
  const open = calls.find((item) => item.call.id === id && item.result === undefined);
  if (!open) throw new Error(`The tool result "${id}" has no call.`);
  open.result = result;
}

/** What a target can report about a conversation, in addition to its text. */
export const REPORTS = ['tool_calls', 'context', 'usage', 'agents'] as const;

export type Report = (typeof REPORTS)[number];

export const REPORT_NAMES: Readonly<Record<Report, string>> = {
  tool_calls: 'tool calls',
  context: 'retrieved context',
  usage: 'usage',
  agents: 'agents',
};

export interface Reporting {
  readonly target: string;
  readonly reports: readonly Report[];
  /** True if the target has `reports`. */
  readonly isDeclared: boolean;
  /** The target's own keys that locate this information in its answers. */
  readonly keys: ReportKeys;
}

export type ReportKeys = Readonly<Partial<Record<Report, string>>>;

/** Ignores the run's other conversations: verdicts must not depend on the order of cases. */
export function reportsIn(conversation: Conversation): Report[] {
  const turns = liveTurnsOf(conversation).filter(({ side }) => side === 'assistant');
  const calls = turns.some(({ items }) => items.some(({ kind }) => kind === 'tool-call'));
  const context = turns.some(({ retrievalContext }) => retrievalContext !== undefined);
  return [...(calls ? ['tool_calls' as const] : []), ...(context ? ['context' as const] : [])];
}
