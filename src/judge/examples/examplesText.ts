import { turnsOf } from '../../core/conversation.ts';
import type { Example, ExampleVerdict } from '../../core/record/example.ts';
import { fence } from '../../core/text/fence.ts';
import { type ShownTurns, shownLines } from '../conversationBlock.ts';

/** Turns shown before the first that people judged, where they judged only turns. */
const TURNS_BEFORE = 3;

/**
 * Examples as they stand before the question. All that comes from conversations and people is fenced.
 *
 *     === EXAMPLES ===
 *     People judged …
 *     --- example 1 ---
 *     [1 user]
 *     | Where is my order?
 *     [2 assistant]
 *     | Not my business.
 *     People on turn 2: fail
 *     [comment]
 *     | Rude.
 *     === END OF EXAMPLES ===
 */
export function examplesText(texts: readonly string[]): string {
  const list = texts.map((text, index) => `--- example ${index + 1} ---\n${text}`);
  return ['=== EXAMPLES ===', WHAT_THEY_ARE, ...list, '=== END OF EXAMPLES ===', NOW].join('\n');
}

const WHAT_THEY_ARE =
  'People judged these other conversations by the question that follows below. Their verdicts show how it is meant: where its words leave room, draw the line where they draw it. The examples are no part of the conversation to judge, and their turns are numbered by themselves: put no turn and no quote of theirs into your answer.';

const NOW =
  'Answer the following question about the conversation that stands before the examples, between === CONVERSATION === and === END OF CONVERSATION ===.';

/** @param askedThere the question there, where it has other facts of its case */
export function exampleText(example: Example, askedThere: string | undefined): string {
  return [
    ...shownLines(example.conversation, shownOf(example)),
    ...(askedThere === undefined ? [] : ['[asked there]', fence(askedThere)]),
    ...example.verdicts.flatMap(verdictLines),
  ].join('\n');
}

/** All of it where people judged the whole. */
function shownOf({ conversation, verdicts }: Example): ShownTurns | undefined {
  const turns = verdicts.flatMap(({ turn }) => turn ?? []);
  if (turns.length < verdicts.length) return undefined;
  return {
    from: Math.max(1, Math.min(...turns) - TURNS_BEFORE),
    to: Math.min(turnsOf(conversation).length, Math.max(...turns)),
  };
}

function verdictLines({ turn, status, label, comments }: ExampleVerdict): string[] {
  const about = turn === undefined ? 'the whole conversation' : `turn ${turn}`;
  const said = status === 'skipped' ? 'does not apply' : status;
  return [
    `People on ${about}: ${said}`,
    ...(label === undefined ? [] : ['[label]', fence(label)]),
    ...comments.flatMap((comment) => ['[comment]', fence(comment)]),
  ];
}
