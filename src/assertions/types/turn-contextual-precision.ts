import * as z from 'zod';
import type { Turn } from '../../core/conversation.ts';
import { mean } from '../../core/scoring.ts';
import type { Mistake } from '../contract.ts';
import { contradiction } from '../shared/answerMistakes.ts';
import { retrievalType } from '../shared/claims.ts';
import { citing, turnsAnswer } from '../shared/entries.ts';
import type { OwnQuestion } from '../shared/kinds.ts';

const INSTRUCTIONS = `Question: do the useful pieces of the retrieved context come before the useless ones?

What a good reply says is given below. For each turn list under \`nodes\` every piece of its retrieved context, by its
number and in that order: useful if it helps to arrive at that reply, else useless.`;

const answerSchema = turnsAnswer({
  nodes: z.array(z.object({ node: z.number(), why: z.string(), useful: z.boolean() })),
});

type Answer = z.infer<typeof answerSchema>;
type Entry = Answer['turns'][number];

export const turnContextualPrecision = retrievalType({
  type: 'turn-contextual-precision',
  summary: 'Is the useful retrieved context ranked first?',
  docs: {
    asks: "Needs `expected` on the turns, or `expectations` with an `outcome`. For each piece of a turn's `retrieval_context`, in rank order, the judge decides whether it is useful.",
    score:
      'mean over the judged turns of the average precision, which is the mean of (useful pieces up to rank k ÷ k) over the ranks k of the useful pieces, or 0 if none is useful.',
    example: 'the first and the third of three pieces are useful: (1 ÷ 1 + 2 ÷ 3) ÷ 2 = 0.83.',
    skipped:
      'without asking the judge if no turn has retrieved context, or none of the turns with context has `expected`.',
    differences: `
      - The ranking covers only the turn's own context. For each exchange, DeepEval ranks the contexts of up to ten exchanges together.
      - The \`expected\` of a turn takes precedence over the \`outcome\` of the case. DeepEval has one expected outcome for all turns.
      - A turn without context is not judged. DeepEval scores an exchange 1 if none of those ten exchanges has any context.
    `,
    yaml: `
      defaults:
        expectations: Returns are free within 30 days, with the receipt.
        assert:
          - type: turn-contextual-precision
    `,
  },
  expected: true,
  question: (turns): OwnQuestion<Answer> => ({
    instructions: INSTRUCTIONS,
    answer: answerSchema,
    mistakes: (answer) => answer.turns.flatMap((entry) => nodeMistakes(entry, turns)),
    scoreOf: averagePrecision,
    conclude(answer) {
      const judged = answer.turns.filter(({ applicable }) => applicable);
      const score = mean(judged.map(averagePrecision));
      if (score === undefined) return { reason: 'not-applicable' };
      const cite = ({ turn, nodes, rationale }: Entry) => {
        const order = nodes.map(({ useful }) => (useful ? 'useful' : 'useless')).join(', ');
        return citing(turn, `${order}: ${rationale}`);
      };
      return {
        score,
        hits: judged.filter((entry) => averagePrecision(entry) === 1).map(cite),
        misses: judged.filter((entry) => averagePrecision(entry) < 1).map(cite),
        details: { turns: judged.map(({ turn, nodes }) => ({ turn, nodes })) },
      };
    },
  }),
});

function nodeMistakes({ turn, applicable, nodes }: Entry, turns: readonly Turn[]): Mistake[] {
  if (!applicable) {
    const text = `Turn ${turn} has pieces, so it is applicable.`;
    return nodes.length === 0 ? [] : [contradiction(text)];
  }
  const count = turns.find(({ number }) => number === turn)?.retrievalContext?.length ?? 0;
  const inOrder = nodes.length === count && nodes.every(({ node }, index) => node === index + 1);
  if (inOrder) return [];
  const text = `\`nodes\` of turn ${turn} must list pieces 1 to ${count} of its retrieved context, each once and in order.`;
  return [{ reason: 'incomplete-list', text }];
}

/**
 * Σ (number of useful nodes up to rank k ÷ k) over the ranks k of useful nodes ÷ number of useful nodes; 0 if no node
 * is useful.
 */
function averagePrecision({ nodes }: Entry): number {
  let useful = 0;
  let sum = 0;
  for (const [index, node] of nodes.entries()) {
    if (!node.useful) continue;
    useful += 1;
    sum += useful / (index + 1);
  }
  return useful === 0 ? 0 : sum / useful;
}
