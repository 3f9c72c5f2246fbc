import { retrievalClaims } from '../shared/retrievalClaims.ts';

const INSTRUCTIONS = `Question: does what the assistant says keep to the context that it had retrieved?

For each turn list under \`claims\` every statement of fact in what it says, one by one. A claim holds when the context
retrieved for that very turn bears it out, not when that contradicts it or is silent about it. What the user had said
may be repeated without it. Questions, offers and courtesies are no claims; a turn without claims is not applicable.`;

export const turnFaithfulness = retrievalClaims({
  type: 'turn-faithfulness',
  summary: 'Does each turn keep to the context that was retrieved for it?',
  docs: {
    asks: 'Takes each turn with `retrieval_context` apart into claims, each supported by that context or not.',
    score:
      'mean over these turns of supported ÷ claims. Each turn counts once, wherever it stands.',
    example:
      'five turns with one claim each, one of them not supported: (1 + 1 + 1 + 1 + 0) ÷ 5 = 0.8.',
    skipped: 'without asking where no turn has retrieved context.',
    yaml: `
      - type: turn-faithfulness
        threshold: 0.9
    `,
  },
  instructions: INSTRUCTIONS,
  what: 'claims',
  wrong: 'not supported',
  nothing: 'No turn claims anything.',
});
