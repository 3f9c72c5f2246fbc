import * as z from 'zod';
import type { Turn } from '../../core/conversation.ts';
import { mean } from '../../core/scoring.ts';
import type { AssertionInput, Mistake, Outcome } from '../contract.ts';
import { contradiction } from '../shared/answerMistakes.ts';
import { aboutExpected, idleWithoutContext, needsExpected } from '../shared/claims.ts';
import {
  citing,
  entriesOnly,
  notApplicable,
  scored,
  turnsAnswer,
  turnVerdicts,
} from '../shared/entries.ts';
import { judgedType, type OwnQuestion } from '../shared/kinds.ts';

const INSTRUCTIONS = `Question: do the useful pieces of the retrieved context come before the useless ones?

What a good reply says is given below. For each turn list under \`nodes\` every piece of its retrieved context, by its
number and in that order: useful if it helps to arrive at that reply, else useless.`;

const answerSchema = turnsAnswer({
  nodes: z.array(z.object({ node: z.number(), why: z.string(), useful: z.boolean() })),
});

type Answer = z.infer<typeof answerSchema>;
type Entry = Answer['turns'][number];

export const turnContextualPrecision = judgedType({
  type: 'turn-contextual-precision',
  summary: 'Does the useful retrieved context rank first?',
  like: 'DeepEval',
  docs: {
    asks: "Needs `expected` at the turns, or `expectations` with an `outcome`. For each piece of a turn's `retrieval_context`, in rank order, the judge decides whether it is useful.",
    score:
      'mean over these turns of the average precision: Σ over the useful ranks k of (useful up to k ÷ k) ÷ useful; 0 if none is useful.',
    example: 'three pieces, useful, useless, useful: (1 ÷ 1 + 2 ÷ 3) ÷ 2 = 0.83.',
    skipped:
      'without asking the judge if no turn has retrieved context, or none of those turns has `expected`.',
    differences: `
      - Each turn's own context is ranked. DeepEval ranks the contexts of up to ten exchanges together, for each exchange.
      - \`expected\` of a turn comes before the \`outcome\` of the case. DeepEval has one expected outcome for all turns.
      - A turn without context is not judged. DeepEval scores an exchange 1 if none of those ten has any.
    `,
    yaml: `
      defaults:
        expectations: Returns are free within 30 days, with the receipt.
        assert:
          - type: turn-contextual-precision
    `,
  },
  sees: () => ['context'],
  idle: idleWithoutContext,
  needs: (facts, known) => needsExpected('turn-contextual-precision', facts, known),
  question: (input) =>
    aboutExpected(
      input,
      (narrowed, expected): OwnQuestion<Answer> => ({
        instructions: `${INSTRUCTIONS}\n\n${expected}`,
        turns: narrowed.turns,
        answer: answerSchema,
        mistakes: (answer) => answer.turns.flatMap((entry) => nodeMistakes(entry, narrowed.turns)),
        parts: entriesOnly(),
        conclude: (answer) => conclude(answer, narrowed),
      }),
    ),
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

/** Σ over the useful ranks k of (useful up to k ÷ k) ÷ useful; 0 if none is useful. */
function averagePrecision(nodes: Entry['nodes']): number {
  let useful = 0;
  let sum = 0;
  for (const [index, node] of nodes.entries()) {
    if (!node.useful) continue;
    useful += 1;
    sum += useful / (index + 1);
  }
  return useful === 0 ? 0 : sum / useful;
}

function conclude(answer: Answer, input: AssertionInput): Outcome {
  const scoreOf = ({ nodes }: Entry) => averagePrecision(nodes);
  const verdicts = turnVerdicts(answer.turns, input.turns, scoreOf, input.assertion.threshold);
  const judged = answer.turns.filter(({ applicable }) => applicable);
  const score = mean(judged.map(scoreOf));
  if (score === undefined) return notApplicable('not-applicable', answer.rationale, verdicts);
  const tell = (entry: Entry) => {
    const order = entry.nodes.map(({ useful }) => (useful ? 'useful' : 'useless')).join(', ');
    return citing(entry.turn, `${order}: ${entry.rationale}`);
  };
  return scored(answer.rationale, verdicts, {
    score,
    hits: judged.filter((entry) => scoreOf(entry) === 1).map(tell),
    misses: judged.filter((entry) => scoreOf(entry) < 1).map(tell),
    details: { turns: judged.map((entry) => ({ turn: entry.turn, nodes: entry.nodes })) },
  });
}
