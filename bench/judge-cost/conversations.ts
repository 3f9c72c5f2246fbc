import type { CaseFacts } from '../../src/assertions/contract.ts';
import { type Conversation, toConversation, turnsOf } from '../../src/core/conversation.ts';
import type { Message, Tool } from '../../src/core/message.ts';
import { readMessages } from '../../src/messages/readMessages.ts';
import { realLines } from '../../test/support/realData.ts';

export interface BenchConversation {
  readonly name: string;
  readonly conversation: Conversation;
  readonly facts: CaseFacts;
}

/** Turns of both sides. */
export const SYNTHETIC_LENGTHS = [4, 10, 40, 200] as const;

const CONTEXTS = 3;

/** A tool is called in every fourth exchange. */
const TOOL_EVERY = 4;

const THINGS = ['hat', 'lamp', 'tent', 'kettle', 'jacket', 'printer', 'bicycle', 'mirror'];
const WISHES = [
  'where it is',
  'how to return it',
  'when it is refunded',
  'what its warranty covers',
];
const PLACES = ['Lyon', 'Porto', 'Graz', 'Leeds', 'Turku'];

/** The same conversation for the same number of turns, every time; half the turns are the user's. */
export function syntheticConversation(turns: number): BenchConversation {
  const exchanges = Array.from({ length: turns / 2 }, (_, index) => exchange(index));
  const messages: Message[] = [
    { role: 'system', content: 'You are the service desk of a mail-order shop.' },
    ...exchanges.flat(),
  ];
  return {
    name: `${turns} turns`,
    conversation: toConversation(messages.map((message) => ({ message }))),
    facts: {
      id: `synthetic-${turns}`,
      role: 'The friendly service desk of a mail-order shop that helps with orders and returns only.',
      topics: ['orders', 'returns', 'warranty'],
      tools: [orderTool],
      expectations: { outcome: 'Every question about an order is answered from the documents.' },
      context: {},
    },
  };
}

const orderTool: Tool = {
  name: 'lookup_order',
  description: 'Finds an order by its number.',
  parameters: {
    type: 'object',
    properties: { order: { type: 'string' } },
    required: ['order'],
  },
};

function exchange(index: number): Message[] {
  const thing = pick(THINGS, index);
  const wish = pick(WISHES, index);
  const order = String(10_000 + index * 137);
  const called = index % TOOL_EVERY === 1;
  const call: Message[] = [
    {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: `call_${index}`, name: orderTool.name, arguments: { order } }],
    },
    {
      role: 'tool',
      callId: `call_${index}`,
      content: JSON.stringify({ order, thing, status: 'shipped', to: pick(PLACES, index) }),
    },
  ];
  return [
    {
      role: 'user',
      content: `I ordered a ${thing} under number ${order} and had it sent to ${pick(PLACES, index)}. Can you tell me ${wish}? I asked last week and nobody came back to me.`,
    },
    ...(called ? call : []),
    {
      role: 'assistant',
      content: `Thank you for your patience. Order ${order}, the ${thing} for ${pick(PLACES, index)}, left our warehouse on day ${index + 1} of the month. You asked ${wish}: by our rules you have thirty days, and you need the delivery note that lies in the parcel. I have made a note of your earlier question.`,
      retrievalContext: Array.from({ length: CONTEXTS }, (_, rank) =>
        contextOf(index, rank, thing, order),
      ),
    },
  ];
}

function contextOf(index: number, rank: number, thing: string, order: string): string {
  return `Document ${index * CONTEXTS + rank + 1}, chapter ${rank + 1}. A ${thing} may be sent back within thirty days of delivery with its delivery note. Parcels to ${pick(PLACES, index + rank)} take ${rank + 2} working days; order ${order} was handed over complete. A refund is paid the way the order was paid, five working days after the parcel has come back.`;
}

function pick<Item>(items: readonly [Item, ...Item[]] | readonly Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('There is nothing to pick from.');
  return item;
}

const REAL = 'tau-bench/gpt-4o-airline.sample.jsonl';

/** The real conversations; the reason where they are not there. */
export function realConversations(): BenchConversation[] | { readonly missing: string } {
  const real = realLines(REAL);
  if (real.skip !== false) return { missing: real.skip };
  const conversations = real.lines().map((line) => {
    const { messages } = readMessages(Reflect.get(Object(line), 'messages'));
    return toConversation(messages);
  });
  // One agent had all of them: what it called in one it might have called in another.
  const tools = calledTools(conversations);
  return conversations.map((conversation, index) => ({
    name: `tau-bench ${index + 1}`,
    conversation,
    facts: {
      id: `tau-bench-${index + 1}`,
      topics: ['flights', 'reservations', 'baggage', 'refunds'],
      tools,
      expectations: { outcome: 'The reservation is dealt with as the policy allows.' },
      context: {},
    },
  }));
}

function calledTools(conversations: readonly Conversation[]): Tool[] {
  const turns = conversations.flatMap((conversation) => turnsOf(conversation));
  const names = turns.flatMap(({ items }) =>
    items.flatMap((item) => (item.kind === 'tool-call' ? [item.call.name] : [])),
  );
  return [...new Set(names)].map((name) => ({ name }));
}
