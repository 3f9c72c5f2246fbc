import {
  type Conversation,
  type OpenEnd,
  openEnd,
  type SystemText,
  type Turn,
  type TurnItem,
  turnsOf,
} from '../core/conversation.ts';
import { unreachable } from '../core/errors.ts';
import { fence } from '../core/text/visibleText.ts';

const BEGIN = '=== CONVERSATION ===';
const END = '=== END OF CONVERSATION ===';

/**
 * The conversation as a judge reads it. It only grows at its end, so that a prompt cache serves the longer one too.
 *
 *     === CONVERSATION ===
 *     [system text]
 *     | You are …
 *     [1 user]
 *     | Where is my order?
 *     [2 assistant]
 *     [tool call]
 *     | lookup_order {"order":"98765"}
 *     [tool result]
 *     | {"status":"shipped"}
 *     [message]
 *     | It is on its way.
 *     === END OF CONVERSATION ===
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
  return [
    `[${turn.number} ${turn.side}]`,
    ...turn.items.flatMap((item, index) => itemLines(item, turn.items[index - 1])),
    ...context,
  ];
}

function itemLines(item: TurnItem, before: TurnItem | undefined): string[] {
  switch (item.kind) {
    case 'text':
      // Text that follows something else gets a marker.
      return before === undefined ? [fence(item.text)] : ['[message]', fence(item.text)];
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

function remarks(conversation: Conversation): string[] {
  const end = openEnd(conversation);
  const notes =
    conversation.notes.length === 0
      ? []
      : ['Not shown above:', ...conversation.notes.map((note) => fence(note))];
  return [...(end ? [UNFINISHED[end]] : []), ...notes];
}
