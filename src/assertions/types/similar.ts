import * as z from 'zod';
import { textOf } from '../../core/conversation.ts';
import { scoreText } from '../../core/presentation/score.ts';
import { mean, reaches } from '../../core/scoring.ts';
import type { TurnVerdict } from '../../core/verdict.ts';
import { hitsAndMisses, notApplicable, numbersOf, scored } from '../shared/entries.ts';
import { procedureType } from '../shared/kinds.ts';

const params = z.strictObject({
  value: z.string().min(1).meta({ description: 'The text to compare with.' }),
  model: z.unknown().meta({
    description: 'An embedding model, such as `openai:text-embedding-3-small`.',
    refersTo: 'model',
  }),
});

export const similar = procedureType({
  type: 'similar',
  summary: 'The replies mean about the same as `value`.',
  docs: {
    asks: "Compares the embeddings of `value` and of the assistant's text, so that only the meaning counts, not the words.",
    score:
      'cosine similarity of the embeddings, or 0 if it is negative; with `at: each`, the mean over the turns. With `negate`, 1 if it is below the threshold, else 0.',
    example:
      'the cosine is 0.86, so the score is 0.86, which passes with the default threshold of 0.8.',
    skipped: 'if no turn has text; single turns without text are ignored.',
    yaml: `
      - type: similar
        value: Your refund is on its way.
        model: openai:text-embedding-3-small
        at: last
    `,
  },
  params,
  defaultThreshold: 0.8,
  asksJudge: false,
  plan: ({ turns }, { value }) => [{ kind: 'embedding', texts: [value, ...turns.map(textOf)] }],
  async run(input, { value }, toolbox) {
    const { at, negate, threshold } = input.assertion;
    const each = at.kind === 'each';
    // A turn with only tool calls has no text to compare, and endpoints refuse empty text.
    const speaking = input.turns.filter((turn) => textOf(turn).trim() !== '');
    const silent = input.turns
      .filter((turn) => !speaking.includes(turn))
      .map(({ number }): TurnVerdict => {
        return { turn: number, status: 'skipped', score: null, rationale: 'has no text' };
      });
    if (speaking.length === 0) {
      return notApplicable('no-text', 'No turn has text to compare.', silent);
    }
    const texts = each ? speaking.map(textOf) : [speaking.map(textOf).join('\n\n')];
    const [wanted = [], ...vectors] = await toolbox.embed([value, ...texts]);
    const compared = vectors.map((vector) => {
      const found = Math.max(0, cosine(wanted, vector));
      const score = negate ? Number(!reaches(found, threshold)) : Math.min(1, found);
      return { found, score, shown: scoreText(found, threshold) };
    });
    const cosines = compared.map(({ found }) => found);
    const score = mean(compared.map((one) => one.score)) ?? 0;
    const entries = each || speaking.length === 1 ? speaking : [];
    const turns = entries
      .map(({ number }, index): TurnVerdict => {
        const { score: own = 0, shown } = compared[index] ?? {};
        const status = reaches(own, threshold) ? 'pass' : 'fail';
        return { turn: number, status, score: own, rationale: `similarity ${shown}` };
      })
      .concat(silent)
      .sort((a, b) => a.turn - b.turn);
    const shown = compared.map((one) => one.shown).join(', ');
    const summary = `similarity of turns ${numbersOf(speaking)}: ${shown}`;
    return scored(`${summary}.`, turns, {
      score,
      value: Math.min(...cosines),
      ...hitsAndMisses(turns, { passed: reaches(score, threshold), text: summary }),
      details: { cosines },
    });
  },
});

/** @throws Error if the vectors can't be compared */
function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = (left: readonly number[], right: readonly number[]) =>
    left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
  const length = Math.sqrt(dot(a, a) * dot(b, b));
  if (a.length !== b.length || length === 0) {
    throw new Error(
      `The embeddings cannot be compared, because they have different lengths (${a.length} and ${b.length}).`,
    );
  }
  return dot(a, b) / length;
}
