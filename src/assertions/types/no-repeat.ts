import * as z from 'zod';
import { type Turn, textOf, turnsOfSide } from '../../core/conversation.ts';
import { scoreText } from '../../core/presentation/score.ts';
import { stepsOf } from '../../node/cooperative.ts';
import { checkTurns, type TurnFinding, wordsOf } from '../shared/deterministic.ts';
import { deterministicType } from '../shared/kinds.ts';
import { limitWork } from '../shared/timeLimit.ts';

const params = z.strictObject({
  similarity: z.number().gt(0).max(1).default(0.9).meta({
    description: 'Minimum overlap, above 0 and up to 1, that counts as a repetition.',
  }),
  min_words: z.int().min(1).default(5).meta({ description: 'Turns with fewer words are skipped.' }),
});

export const noRepeat = deterministicType({
  type: 'no-repeat',
  summary: 'No reply is nearly the same as an earlier one.',
  docs: {
    asks: 'Compares each chosen turn with every earlier assistant turn. The overlap is the share of three-word sequences that they have in common, ignoring case, punctuation, and whitespace. Turns with fewer than `min_words` words are skipped; if all turns are skipped, so is the assertion.',
    score: "turns that don't repeat an earlier turn ÷ turns with enough words.",
    example: 'the last of four replies repeats the first: 3 ÷ 4 = 0.75.',
    yaml: `
      - type: no-repeat
        similarity: 0.8
    `,
  },
  params,
  async check(input, { similarity, min_words }) {
    const replies = new Map<number, Reply>();
    for (const turn of turnsOfSide(input.conversation, 'assistant')) {
      replies.set(turn.number, await replyOf(turn));
    }
    const step = stepsOf();
    const limited = limitWork('Choose fewer turns with `at`.');
    const checkTurn = async ({ number }: Turn): Promise<TurnFinding> => {
      const reply = replies.get(number);
      if (!reply || reply.words < min_words) {
        return { holds: undefined, rationale: `has fewer than ${min_words} words` };
      }
      await step();
      const steps = replies.size * reply.runs.size;
      const closest = limited(steps, () => closestTo(reply, replies.values()));
      if (!closest) return { holds: true, rationale: 'is the first reply' };
      const repeats = closest.overlap >= similarity;
      const overlap = scoreText(closest.overlap, similarity);
      const rationale = repeats
        ? `repeats turn ${closest.number} (overlap ${overlap})`
        : `repeats no earlier reply (highest overlap ${overlap}, with turn ${closest.number})`;
      return { holds: !repeats, rationale };
    };
    return checkTurns(input, checkTurn, {
      claim: (found) => (found ? 'repeats no earlier reply' : 'repeats an earlier reply'),
      undecided: {
        reason: 'too-short',
        rationale: `None of the chosen turns has ${min_words} words or more.`,
      },
    });
  },
});

interface Reply {
  readonly number: number;
  readonly words: number;
  /** Sequences of three words; if there are fewer words, they form a single sequence. */
  readonly runs: ReadonlySet<string>;
}

const SEQUENCE_LENGTH = 3;

async function replyOf(turn: Turn): Promise<Reply> {
  const runs = new Set<string>();
  let words = 0;
  let last: string[] = [];
  for await (const word of wordsOf(textOf(turn))) {
    words += 1;
    // Word by word, because normalizing can turn a letter into eighteen.
    last = [...last, word.normalize('NFKC').toLowerCase()].slice(-SEQUENCE_LENGTH);
    if (last.length === SEQUENCE_LENGTH) runs.add(last.join(' '));
  }
  if (words > 0 && words < SEQUENCE_LENGTH) runs.add(last.join(' '));
  return { number: turn.number, words, runs };
}

/** The earlier reply with the highest overlap; undefined if there is no earlier one. */
function closestTo(reply: Reply, replies: Iterable<Reply>) {
  let closest: { readonly number: number; readonly overlap: number } | undefined;
  for (const { number, runs } of replies) {
    if (number >= reply.number) break;
    const overlap = overlapOf(runs, reply.runs);
    if (!closest || overlap > closest.overlap) closest = { number, overlap };
  }
  return closest;
}

/** Jaccard index: shared sequences ÷ all sequences. */
function overlapOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let both = 0;
  for (const run of a) if (b.has(run)) both += 1;
  const either = a.size + b.size - both;
  return either === 0 ? 0 : both / either;
}
