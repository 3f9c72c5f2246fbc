import {
  agentOf,
  type Conversation,
  imagesIn,
  type OpenEnd,
  openEnd,
  type SystemText,
  type Turn,
  type TurnItem,
  turnsOf,
} from '../core/conversation.ts';
import { pushAll } from '../core/data/data.ts';
import { unreachable } from '../core/errors.ts';
import type { Image } from '../core/image.ts';
import { agentName, handoffText } from '../core/presentation/agents.ts';
import { fence } from '../core/text/visibleText.ts';

const BEGIN = '=== CONVERSATION ===';
const END = '=== END OF CONVERSATION ===';

/**
 * The conversation as a judge reads it. Longer conversations only add text at the end, so that a prompt cache can serve
 * them, too.
 *
 * === CONVERSATION === [system text]
 * | You are … [1 user]
 * | Where is my order? [2 assistant] [tool call]
 * | lookup_order {"order":"98765"} [tool result]
 * | {"status":"shipped"} [message]
 * | It is on its way. === END OF CONVERSATION ===
 *
 * If the messages name agents, `[agent]` precedes each agent's messages and calls, and `[handoff]` marks where one
 * agent hands over to another. Agents' names are data like everything else.
 */
export function conversationBlock(conversation: Conversation, shown?: ShownTurns): string {
  return [BEGIN, ...shownLines(conversation, shown), END, ...remarks(conversation)].join('\n');
}

export function shownLines(conversation: Conversation, shown?: ShownTurns): string[] {
  const count = turnsOf(conversation).length;
  const { from, to } = shown ?? { from: 1, to: count };
  const lines = conversation.entries.flatMap((entry) => {
    if (entry.kind === 'system') return systemLines(entry);
    return entry.number >= from && entry.number <= to ? turnLines(entry) : [];
  });
  return [
    ...(from > 1 ? [notShown(1, from - 1)] : []),
    ...lines,
    ...(to < count ? [notShown(to + 1, count)] : []),
  ];
}

export interface ShownTurns {
  readonly from: number;
  readonly to: number;
}

/** The images of the turns that are shown, in order. */
export function shownImages(conversation: Conversation, shown?: ShownTurns): Image[] {
  const turns = turnsOf(conversation);
  const { from, to } = shown ?? { from: 1, to: turns.length };
  return imagesIn(turns.filter(({ number }) => number >= from && number <= to));
}

export function turnText(turn: Turn): string {
  return turnLines(turn).join('\n');
}

function notShown(from: number, to: number): string {
  return from === to ? `[turn ${from} is not shown]` : `[turns ${from} to ${to} are not shown]`;
}

function systemLines({ role, text }: SystemText): string[] {
  return [`[${role} text]`, fence(text)];
}

function turnLines(turn: Turn): string[] {
  const context = (turn.retrievalContext ?? []).flatMap((text, index) => [
    `[context ${index + 1}]`,
    fence(text),
  ]);
  return [`[${turn.number} ${turn.side}]`, ...itemsLines(turn.items), ...context];
}

function itemsLines(items: readonly TurnItem[]): string[] {
  const lines: string[] = [];
  let acting: string | undefined;
  for (const item of items) {
    const agent = agentOf(item);
    const isAct = item.kind === 'text' || item.kind === 'tool-call';
    if (isAct && agent !== acting) {
      pushAll(lines, agent === undefined ? [UNNAMED] : ['[agent]', fence(agentName(agent))]);
      acting = agent;
    }
    pushAll(lines, itemLines(item, lines.length === 0));
  }
  return lines;
}

const UNNAMED = '[agent without a name]';

/** @param isFirst whether this is the first item of its turn */
function itemLines(item: TurnItem, isFirst: boolean): string[] {
  switch (item.kind) {
    case 'text':
      // Text that follows another item gets a marker.
      return [
        ...(isFirst ? [] : ['[message]']),
        fence(item.text),
        ...(item.images ?? []).map(() => '[image]'),
      ];
    case 'handoff':
      // Without the agents' names, the judge sees only the call that made the handoff.
      return item.from === undefined ? [] : ['[handoff]', fence(handoffText(item))];
    case 'system':
      return systemLines(item);
    case 'tool-call':
      return [
        '[tool call]',
        fence(`${item.call.name} ${JSON.stringify(item.call.arguments)}`),
        ...(item.result === undefined
          ? ['[no tool result]']
          : ['[tool result]', fence(item.result)]),
      ];
    default:
      return unreachable(item);
  }
}

const UNFINISHED: Readonly<Record<OpenEnd, string>> = {
  user: "The conversation does not end with the assistant: the user's last turn is unanswered.",
  'tool-call':
    'The conversation ends with a tool call: the assistant says nothing after it, so what it was to say then is missing.',
};

const AGENTS =
  '[agent] names the agent that says and calls what follows, and [handoff] is where one agent hands over to another. Together they are the assistant, and a turn of theirs is judged as one.';

const IMAGES =
  '[image] marks each image of the message before it. The images that follow are in the order of these marks.';

function remarks(conversation: Conversation): string[] {
  const end = openEnd(conversation);
  const isNamed = turnsOf(conversation).some(({ items }) =>
    items.some((item) => agentOf(item) !== undefined),
  );
  const notes =
    conversation.notes.length === 0
      ? []
      : ['Not shown above:', ...conversation.notes.map((note) => fence(note))];
  const hasImages = imagesIn(turnsOf(conversation)).length > 0;
  return [
    ...(isNamed ? [AGENTS] : []),
    ...(hasImages ? [IMAGES] : []),
    ...(end ? [UNFINISHED[end]] : []),
    ...notes,
  ];
}
