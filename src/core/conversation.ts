import * as z from 'zod';
import { addTo, memoize, pushAll } from './data/data.ts';
import { listOf } from './data/listOf.ts';
import { withHandoffs } from './handoffs.ts';
import { type Image, imageSchema } from './image.ts';
import { imagesOf, type Message, toolCallSchema } from './message.ts';
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
  kind: z.literal('system').meta({ description: 'A system or developer message.' }),
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
    images: listOf(imageSchema).optional().meta({
      description: 'Its images, in the order in which `[image: …]` marks them in the text.',
    }),
    agent,
  }),
  z.object({
    kind: z.literal('tool-call').meta({ description: 'A tool call.' }),
    call: toolCallSchema.meta({ description: 'The call.' }),
    result: z.string().optional().meta({
      description: 'What the tool returned; absent if there is no result.',
    }),
    latency: z.number().optional().meta({
      description: 'Time that the tool took, in milliseconds; only from traces.',
    }),
    within: z.string().optional().meta({
      description: 'Id of the call that made this one, such as one that asks another agent.',
    }),
    agent,
  }),
  z.object({
    kind: z.literal('handoff').meta({ description: 'One agent hands over to another.' }),
    from: z.string().optional().meta({
      description: 'The agent that hands over; absent if the messages name no agents.',
    }),
    to: z.string().meta({ description: 'The agent that takes over.' }),
    call_id: z.string().optional().meta({
      description: 'Id of the tool call that triggers it, if any.',
    }),
  }),
  systemTextSchema,
]);

const turnSchema = z.object({
  kind: z.literal('turn').meta({ description: 'A turn.' }),
  number: z.int().min(1).meta({ description: 'Number of the turn, from 1, counting both sides.' }),
  side: z.enum(['user', 'assistant']).meta({ description: 'The side that speaks.' }),
  history: z.literal(true).optional().meta({
    description: "True if it is from the case's `history`, before the first live turn.",
  }),
  items: listOf(turnItemSchema).meta({ description: 'Texts, tool calls, and handoffs, in order.' }),
  retrievalContext: listOf(z.string()).optional().meta({
    description: 'What was retrieved for this turn, most relevant first.',
  }),
  expected: z.string().optional().meta({
    description: "What a good reply contains, from the scripted turn's `expected`.",
  }),
  source: sourceSchema.optional().meta({
    description:
      'Where the turn is in its file; for a live reply, where the user turn that it answers is.',
  }),
  latency: z.number().optional().meta({
    description: 'Time that the target took for this turn, in milliseconds.',
  }),
  firstToken: z.number().optional().meta({
    description: 'Time until the first text of the reply, in milliseconds.',
  }),
  traceFault: z.string().optional().meta({
    description:
      'Why the trace of this turn is incomplete. The turn may have tool calls that are unknown.',
  }),
  startup: z.number().optional().meta({
    description:
      'Time that the target took to start before this turn, in milliseconds. Not included in its latency.',
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
    description: 'Turns and the system messages between them, in order.',
  }),
  notes: listOf(z.string()).meta({
    description: 'Parts without text, such as an MCP approval, one line each.',
  }),
});

export type SystemText = z.infer<typeof systemTextSchema>;
export type TurnItem = z.infer<typeof turnItemSchema>;
export type ToolCallItem = Extract<TurnItem, { kind: 'tool-call' }>;
export type HandoffItem = Extract<TurnItem, { kind: 'handoff' }>;
export type Turn = z.infer<typeof turnSchema>;
export type FailedTurn = z.infer<typeof failedTurnSchema>;
export type Conversation = z.infer<typeof conversationSchema>;

export function turnsOf(conversation: Conversation): Turn[] {
  return conversation.entries.filter((entry) => entry.kind === 'turn');
}

/** Memoized, because reports look up the turns of each of a conversation's verdicts. */
export const turnsByNumber = memoize(
  (conversation: Conversation): ReadonlyMap<number, Turn> =>
    new Map(turnsOf(conversation).map((turn) => [turn.number, turn])),
);

export function turnsOfSide(conversation: Conversation, side: Turn['side']): Turn[] {
  return turnsOf(conversation).filter((turn) => turn.side === side);
}

/** How a conversation ends if it doesn't end with assistant text. */
export type OpenEnd = 'user' | 'tool-call';

export function openEnd(conversation: Conversation): OpenEnd | undefined {
  const last = turnsOf(conversation).at(-1);
  if (last?.side !== 'assistant') return 'user';
  const end = last.items.findLast(({ kind }) => kind !== 'system' && kind !== 'handoff');
  return end?.kind === 'tool-call' ? 'tool-call' : undefined;
}

/** The turn's text: its messages joined by blank lines, without tool calls. */
export function textOf(turn: Turn): string {
  return turn.items
    .filter((item) => item.kind === 'text')
    .map((item) => item.text)
    .join('\n\n');
}

export function imagesIn(turns: readonly Turn[]): Image[] {
  return turns.flatMap(({ items }) =>
    items.flatMap((item) => (item.kind === 'text' ? (item.images ?? []) : [])),
  );
}

export function liveTurnsOf(conversation: Conversation): Turn[] {
  return turnsOf(conversation).filter(({ history }) => !history);
}

/** Response time in milliseconds for each timed reply. */
export function latenciesOf(conversation: Conversation): number[] {
  return turnsOf(conversation).flatMap(({ latency }) => latency ?? []);
}

/** A message and its contribution to its turn. */
export interface SourcedMessage
  extends Readonly<
    Pick<
      Turn,
      | 'source'
      | 'expected'
      | 'latency'
      | 'firstToken'
      | 'traceFault'
      | 'startup'
      | 'fromCache'
      | 'history'
    >
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
  /** Calls without a result, by id. */
  const open = new Map<string, ToolCallItem[]>();
  let held: SystemText[] = [];
  let turn: Turn | undefined;
  let count = 0;

  for (const { message, ...facts } of placed) {
    const { source, expected, latency, startup, fromCache, history } = facts;
    if (message.role === 'system' || message.role === 'developer') {
      held.push({ kind: 'system', role: message.role, text: message.content });
      continue;
    }
    if (message.role === 'tool') {
      const item = open.get(message.callId)?.shift();
      if (!item) throw new Error(`The tool result "${message.callId}" has no matching call.`);
      item.result = message.content;
      continue;
    }
    if (turn?.side === message.role) {
      pushAll(turn.items, held);
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
      pushAll(entries, held);
      entries.push(turn);
    }
    held = [];
    if (expected !== undefined) turn.expected = expected;
    if (latency !== undefined) turn.latency = (turn.latency ?? 0) + latency;
    if (startup !== undefined) turn.startup = (turn.startup ?? 0) + startup;
    if (facts.firstToken !== undefined) turn.firstToken ??= facts.firstToken;
    if (facts.traceFault !== undefined) turn.traceFault ??= facts.traceFault;
    if (fromCache) turn.fromCache = fromCache;
    const { agent = undefined } = message.role === 'assistant' ? message : {};
    const by = agent !== undefined && { agent };
    if (message.content !== '' || message.role === 'user') {
      const images = imagesOf(message);
      const shown = images.length > 0 && { images: [...images] };
      turn.items.push({ kind: 'text', text: message.content, ...shown, ...by });
    }
    if (message.role === 'user') continue;
    for (const made of message.toolCalls ?? []) {
      const { agent: caller, latency: took, within, ...call } = made;
      const item: ToolCallItem = {
        kind: 'tool-call',
        call,
        ...(took !== undefined && { latency: took }),
        ...(within !== undefined && { within }),
        ...by,
        ...(caller && { agent: caller }),
      };
      turn.items.push(item);
      addTo(open, call.id, item);
    }
    if (message.retrievalContext) {
      turn.retrievalContext ??= [];
      pushAll(turn.retrievalContext, message.retrievalContext);
    }
  }
  pushAll(entries, held);
  return { entries: entries.map(addHandoffs), notes: [...notes] };
}

function addHandoffs(entry: Conversation['entries'][number]): Conversation['entries'][number] {
  if (entry.kind === 'system' || entry.side === 'user') return entry;
  return { ...entry, items: withHandoffs(entry.items) };
}

/** Records of earlier versions contain no handoffs. */
export function addMissingHandoffs(conversation: Conversation): Conversation {
  return { ...conversation, entries: conversation.entries.map(addHandoffs) };
}

/** The agents that act in these turns or are named in handoffs, in order of appearance. */
export function agentsIn(turns: readonly Turn[]): string[] {
  const names = turns.flatMap(({ items }) =>
    items.flatMap((item) => (item.kind === 'handoff' ? [item.from, item.to] : [agentOf(item)])),
  );
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** The agent that says or calls something. */
export function agentOf(item: TurnItem): string | undefined {
  return 'agent' in item ? item.agent : undefined;
}

/** Kinds of information that a target can report in addition to its text. */
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

/** Looks only at this conversation, not at the run's others: verdicts must not depend on the order of cases. */
export function reportsIn(conversation: Conversation): Report[] {
  const turns = liveTurnsOf(conversation).filter(({ side }) => side === 'assistant');
  const calls = turns.some(({ items }) => items.some(({ kind }) => kind === 'tool-call'));
  const context = turns.some(({ retrievalContext }) => retrievalContext !== undefined);
  const agents = turns.some(({ items }) =>
    items.some((item) => item.kind === 'handoff' || agentOf(item) !== undefined),
  );
  return [
    ...(calls ? ['tool_calls' as const] : []),
    ...(context ? ['context' as const] : []),
    ...(agents ? ['agents' as const] : []),
  ];
}
