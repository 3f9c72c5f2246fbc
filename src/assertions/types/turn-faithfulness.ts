import * as z from 'zod';
import { claimsQuestion, retrievalType } from '../shared/claims.ts';
import { CLAIMS } from '../shared/questions.ts';

const params = z.strictObject({
  penalize_ambiguous: z.boolean().default(true).meta({
    description:
      'If false, a claim that the context neither supports nor contradicts also counts as supported, as in DeepEval.',
  }),
});

/** @param holds states when a claim holds; follows "A claim holds " */
const instructionsWith = (
  holds: string,
) => `Question: does what the assistant says keep to the context that it had retrieved?

For each turn list under \`claims\` the claims in what it says, one by one. ${CLAIMS} A claim holds ${holds}. What the user had said
may be repeated without it. A turn without claims is not applicable.`;

const SUPPORTED = `if the context
retrieved for that very turn supports it, and does not if that contradicts it or is silent about it`;

const NOT_CONTRADICTED = `unless the context
retrieved for that very turn contradicts it, even if that is silent about it or unclear`;

export const turnFaithfulness = retrievalType({
  type: 'turn-faithfulness',
  summary: 'Is each turn faithful to its retrieved context?',
  docs: {
    asks: 'The judge splits each turn with a `retrieval_context` into claims, and decides whether the context supports each claim.',
    score: 'mean over the judged turns of supported claims ÷ all claims. Each turn counts once.',
    example:
      'five turns make one claim each, and one claim is not supported: (1 + 1 + 1 + 1 + 0) ÷ 5 = 0.8.',
    skipped: 'without asking the judge if no turn has retrieved context.',
    differences: `
      - A claim that the context doesn't mention counts as unsupported. DeepEval counts it as supported unless \`penalize_ambiguous_claims\` is set. To do the same here, set \`penalize_ambiguous: false\`.
      - A turn without claims doesn't count. DeepEval scores it 1.
      - Each turn's claims are compared only with its own context. For each exchange, DeepEval compares the claims of up to ten exchanges with all their contexts, so a claim counts again in later exchanges.
      - A turn without context is not judged. DeepEval judges its claims too.
    `,
    yaml: `
      - type: turn-faithfulness
        threshold: 0.9
    `,
  },
  params,
  question: (_turns, { penalize_ambiguous }) =>
    claimsQuestion({
      instructions: instructionsWith(penalize_ambiguous ? SUPPORTED : NOT_CONTRADICTED),
      what: 'claims',
      wrong: penalize_ambiguous ? 'not supported' : 'contradicted',
      nothing: 'No turn claims anything.',
    }),
});
