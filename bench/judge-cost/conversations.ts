import type { CaseFacts } from '../../src/assertions/contract.ts';
import { type Conversation, toConversation, turnsOf } from '../../src/core/conversation.ts';
import type { Message } from '../../src/core/message.ts';
import { readMessages } from '../../src/messages/readMessages.ts';
import { realLines } from '../../test/support/realData.ts';

export interface BenchConversation {
  readonly name: string;
  readonly conversation: Conversation;
  readonly facts: CaseFacts;
}

/** Number of retrieved contexts per reply. */
const CONTEXTS = 3;

/** Every fourth exchange has a tool call. */
const TOOL_EVERY = 4;

const THINGS = ['hat', 'lamp', 'tent', 'kettle', 'jacket', 'printer', 'bicycle', 'mirror'];
const WISHES = [
  'where it is',
  'how to return it',
  'when it is refunded',
  'what its warranty covers',
];
const PLACES = ['Lyon', 'Porto', 'Graz', 'Leeds', 'Turku'];

/** Always returns the same conversation for the same number of turns. Half the turns are the user's. */
export function syntheticConversation(turns: number): BenchConversation {
  const messages: Message[] = [
    { role: 'system', content: 'You are the service desk of a mail-order shop.' },
    ...Array.from({ length: turns / 2 }, (_, index) => exchange(index)).flat(),
  ];
  return {
    name: `${turns} turns`,
    conversation: toConversation(messages.map((message) => ({ message }))),
    facts: {
      id: `synthetic-${turns}`,
      role: 'The friendly service desk of a mail-order shop that helps with orders and returns only.',
      topics: ['orders', 'returns', 'warranty'],
      tools: [
        {
          name: 'lookup_order',
          description: 'Finds an order by its number.',
          parameters: {
            type: 'object',
            properties: { order: { type: 'string' } },
            required: ['order'],
          },
        },
      ],
      expectations: { outcome: 'Every question about an order is answered from the documents.' },
      context: {},
    },
  };
}

function exchange(index: number): Message[] {
  const thing = pick(THINGS, index);
  const wish = pick(WISHES, index);
  const place = pick(PLACES, index);
  const order = String(10_000 + index * 137);
  const id = `call_${index}`;
  const call: Message[] = [
    {
      role: 'assistant',
      content: '',
      toolCalls: [{ id, name: 'lookup_order', arguments: { order } }],
    },
    {
      role: 'tool',
      callId: id,
      content: JSON.stringify({ order, thing, status: 'shipped', to: place }),
    },
  ];
  const contexts = Array.from(
    { length: CONTEXTS },
    (_, rank) =>
      `Document ${index * CONTEXTS + rank + 1}, chapter ${rank + 1}. A ${thing} may be sent back within thirty days of delivery with its delivery note. Parcels to ${pick(PLACES, index + rank)} take ${rank + 2} working days; order ${order} was handed over complete. A refund is paid the way the order was paid, five working days after the parcel has come back.`,
  );
  return [
    {
      role: 'user',
      content: `I ordered a ${thing} under number ${order} and had it sent to ${place}. Can you tell me ${wish}? I asked last week and nobody came back to me.`,
    },
    ...(index % TOOL_EVERY === 1 ? call : []),
    {
      role: 'assistant',
      content: `Thank you for your patience. Order ${order}, the ${thing} for ${place}, left our warehouse on day ${index + 1} of the month. You asked ${wish}: by our rules you have thirty days, and you need the delivery note that lies in the parcel. I have made a note of your earlier question.`,
      retrievalContext: contexts,
    },
  ];
}

function pick(items: readonly string[], index: number): string {
  return items[index % items.length] ?? '';
}

/** The real conversations, or the reason why they are missing. */
export function realConversations(): BenchConversation[] | { readonly missing: string } {
  const real = realLines('tau-bench/gpt-4o-airline.sample.jsonl');
  if (real.skip !== false) return { missing: real.skip };
  const conversations = real
    .lines()
    .map((line) => toConversation(readMessages(Reflect.get(Object(line), 'messages')).messages));
  // All conversations are from one agent, so it could have called any of these tools in any of them.
  const called = conversations
    .flatMap((conversation) => turnsOf(conversation).flatMap(({ items }) => items))
    .flatMap((item) => (item.kind === 'tool-call' ? [item.call.name] : []));
  const tools = [...new Set(called)].map((name) => ({ name }));
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
