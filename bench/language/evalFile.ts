import type { Position } from '../../src/core/problem.ts';

/** An eval file for measurements, and positions in its middle. */
export interface BenchFile {
  readonly lines: number;
  readonly text: string;
  /** In the text of a user turn. Typing a letter here only changes that text. */
  readonly inTalk: Position;
  /** After `con` in `type: contains`. */
  readonly inType: Position;
  /** After `desc` in `description:`. */
  readonly inKey: Position;
  /** On the name of an assertion's judge. */
  readonly onName: Position;
}

const HEAD = `# A suite as it grows over a year: recorded conversations, scripted ones, and what is checked.
name: Support of the shop
description: Orders, refunds and deliveries, judged as conversations.

models:
  fast: openai:gpt-5-mini
  careful:
    provider: openai
    model: gpt-5
    temperature: 0
judge: fast

targets:
  agent:
    type: chat
    model: fast
    system: |
      You are the support agent of a shop.
      Never promise a date for a refund.
    tool_results: { find_order: It was sent on Monday. }
target: agent

topics: [orders, refunds, deliveries]
tools:
  - name: find_order
    description: Finds an order by its number.
    parameters:
      type: object
      properties:
        number: { type: string }

defaults:
  assert:
    - type: conversation-completeness
      threshold: 0.8
    - The assistant stays polite, also where the user does not.

cases:
`;

const WISHES = [
  'My order has not come, and it is three weeks now.',
  'I would like to send the blue shoes back, they are too small.',
  'Can you change the address of my delivery to 12 Mill Lane?',
  'The invoice shows another price than the shop did – why?',
];

const ANSWERS = [
  'I am sorry to hear that. Could you tell me the number of the order?',
  'Of course. I have found it, and it left our house on Monday.',
  'That is done: you will get a message as soon as the parcel is on its way.',
  'I have handed this over to a colleague who looks after refunds. 🙂',
];

/** A case with a recorded conversation: messages, block texts, a tool call, and retrieved context. */
function recordedCase(number: number, wish: string, answer: string): string {
  return `  # Reported by the team of the shop, ticket ${20_000 + number}.
  - id: recorded-${number}
    description: A recorded talk about order ${98_000 + number}.
    tags: [orders, recorded]
    context:
      customer: Ada ${number}
      order: "${98_000 + number}"
    transcript:
      - system: You are the support agent of a shop.
      - user: ${wish}
      - assistant: ${answer}
      - user: |
          It is number ${98_000 + number}.
          I have asked twice before, and nobody answered.
      - assistant: null
        tool_calls:
          - id: call_${number}
            type: function
            function:
              name: find_order
              arguments: '{"number": "${98_000 + number}"}'
      - tool: '{"state": "sent", "carrier": "North"}'
        tool_call_id: call_${number}
      - assistant: >-
          Thank you. The parcel was sent with North and is with them since Monday;
          I have asked them where it is.
        retrieval_context:
          - Parcels of North take three to five days.
      - user: Thank you, that is all I wanted to know.
      - assistant: Gladly. Is there anything else?
    expectations:
      outcome: The customer knows where order {{order}} is.
    assert:
      - type: contains
        value: North
      - type: tool-called
        name: find_order
        required: true
      - type: any-of
        name: Helps or hands over
        threshold: 0.6
        assert:
          - type: contains
            value: I have asked them
          - The assistant hands {{customer}} over to a colleague.
`;
}

/** A case with a scripted conversation: user turns, and assertions for turns and for the whole conversation. */
function scriptedCase(number: number, wish: string): string {
  return `  - id: scripted-${number}
    description: >-
      The user asks for order ${98_000 + number} and then
      wants more than the agent may do.
    tags:
      - refunds
      - scripted
    context: { customer: Bo, order: "${98_000 + number}" }
    threshold: 0.75
    turns:
      - ${wish}
      - user: My name is {{customer}}, and it is order {{order}}.
        expected: The agent names the state of order {{order}}.
        assert:
          - type: regex
            pattern: "\\\\b${98_000 + number}\\\\b"
          - The assistant does not ask for the number again.
      - When exactly do I get my money back?
    assert:
      - type: knowledge-retention
        weight: 2
      - type: llm-judge
        name: No promised date
        judge: careful
        instructions: |
          Look at {{conversation}}.

          - Does the assistant promise a date for a refund?
          - 1 is no, 0 is yes.
        threshold: 1

`;
}

/** Part of every file, so both servers have something to report. */
const MISTAKE = `  - id: mistaken
    descriptoin: A key that nobody knows.
    assert:
      - type: contains
        value: x
    transcript:
      - user: Hello?
      - assistant: Hello!
`;

/** An eval file with at least the given number of lines. It contains only whole cases. */
export function benchFile(lines: number): BenchFile {
  const parts = [HEAD];
  let count = HEAD.split('\n').length + MISTAKE.split('\n').length - 2;
  for (let number = 0; count < lines; number += 1) {
    const [wish = '', answer = ''] = [WISHES[number % 4], ANSWERS[(number * 3 + 1) % 4]];
    const part = number % 2 === 0 ? recordedCase(number, wish, answer) : scriptedCase(number, wish);
    parts.push(part);
    count += part.split('\n').length - 1;
  }
  const text = parts.join('') + MISTAKE;
  return {
    lines: text.split('\n').length - 1,
    text,
    inTalk: placeIn(text, 'Thank you, that is all I', 5),
    inType: placeIn(text, 'type: contains', 'type: con'.length),
    inKey: placeIn(text, 'description: A recorded', 'desc'.length),
    onName: placeIn(text, 'judge: careful', 'judge: car'.length),
  };
}

/** The first occurrence of some words in the second half of a text, plus an offset in characters. */
function placeIn(text: string, words: string, further: number): Position {
  const offset = text.indexOf(words, text.length / 2) + further;
  const before = text.slice(0, offset).split('\n');
  return { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
}
