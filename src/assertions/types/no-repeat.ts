import * as z from 'zod';
import { type Conversation, textOf, turnsOfSide } from '../../core/conversation.ts';
import { scoreText } from '../../core/presentation/score.ts';
import { checkedType } from '../shared/checkedType.ts';
import { shareOfTurns, type TurnFinding } from '../shared/shareOfTurns.ts';

const params = z.strictObject({
  similarity: z.number().gt(0).max(1).default(0.9).meta({
    description: 'The overlap, above 0 and up to 1, from which a turn counts as a repetition.',
  }),
  min_words: z.int().min(1).default(5).meta({ description: 'Turns with fewer words are skipped.' }),
});

export const noRepeat = checkedType({
  type: 'no-repeat',
  summary: 'No reply is nearly the same as an earlier one.',
  docs: {
    asks: 'Compares each chosen turn with every earlier assistant turn. Their overlap is the share of three-word sequences they have in common, ignoring case, punctuation and white space. Turns with fewer than `min_words` words are skipped; if all are, so is the assertion.',
    score: 'turns that repeat no earlier turn ÷ turns with enough words.',
    example: 'the last of four replies repeats the first: 3 ÷ 4 = 0.75.',
    yaml: `
      - type: no-repeat
        similarity: 0.8
    `,
  },
  params,
  check(input, { similarity, min_words }) {
    const replies = repliesOf(input.conversation);
    const look = (number: number): TurnFinding => {
      const reply = replies.find((one) => one.number === number);
      if (!reply || reply.words < min_words) {
        return { holds: undefined, rationale: `has fewer than ${min_words} words` };
      }
      const earlier = replies
        .filter((one) => one.number < number)
        .map((one) => ({ number: one.number, overlap: overlapOf(one.runs, reply.runs) }));
      const [first, ...others] = earlier;
      if (!first) return { holds: true, rationale: 'is the first reply' };
      const closest = others.reduce((a, b) => (b.overlap > a.overlap ? b : a), first);
      const repeats = closest.overlap >= similarity;
      const overlap = scoreText(closest.overlap, similarity);
      const rationale = repeats
        ? `repeats turn ${closest.number} (overlap ${overlap})`
        : `repeats no earlier reply (highest overlap ${overlap}, with turn ${closest.number})`;
      return { holds: !repeats, rationale };
    };
    return shareOfTurns(input, ({ number }) => look(number), {
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
  readonly runs: ReadonlySet<string>;
}

const RUN = 3;

// Chinese, Japanese and Thai words have no spaces between them.
const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

function repliesOf(conversation: Conversation): Reply[] {
  return turnsOfSide(conversation, 'assistant').map((turn) => {
    const words = wordsOf(textOf(turn));
    return { number: turn.number, words: words.length, runs: runsOf(words) };
  });
}

function wordsOf(text: string): string[] {
  return Array.from(segmenter.segment(text.normalize('NFKC').toLowerCase()))
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment);
}

/** Runs of three words that follow each other; fewer words are one run. */
function runsOf(words: readonly string[]): Set<string> {
  if (words.length === 0) return new Set();
  if (words.length < RUN) return new Set([words.join(' ')]);
  return new Set(words.slice(RUN - 1).map((_, index) => words.slice(index, index + RUN).join(' ')));
}

/** Jaccard's index: what both have ÷ what either has. */
function overlapOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let both = 0;
  for (const run of a) if (b.has(run)) both += 1;
  const either = a.size + b.size - both;
  return either === 0 ? 0 : both / either;
}
