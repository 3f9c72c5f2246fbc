import * as z from 'zod';
import { turnsOfSide } from '../../core/conversation.ts';
import type { AssertionInput, Mistake } from '../contract.ts';
import { contradiction, rangeMistake } from '../shared/answerMistakes.ts';
import { turnsAnswer, turnVerdicts } from '../shared/entries.ts';
import { judgedType, type OwnQuestion } from '../shared/kinds.ts';
import { withFacts } from '../shared/questions.ts';

const INSTRUCTIONS = `Question: is the user frustrated, and is the frustration resolved by the end?

Here the user's turns are judged, not the assistant's. Give each a \`score\` from 0 to 1 for the frustration that
it shows: 0 none, with \`evidence\` empty; 0.25 impatient, or a bare correction; 0.5 clearly annoyed, or a correction with
reproach, repetition, or emphasis; 0.75 angry: accusing, insulting, or threatening; 1 giving up. Every turn of the user is
applicable. Read what is said, not what could be felt: a terse or demanding user is not yet frustrated.

\`overall\` is \`none\` if no turn reaches 0.5; \`resolved\` if one does and the user is calm and content again
by the end; \`unresolved\` if one does and nothing in the user's later words shows that it was resolved, or only part
of it. What the assistant offers in its last words proves nothing.`;

const answerSchema = turnsAnswer({ score: z.number() }).extend({
  overall: z.enum(['none', 'resolved', 'unresolved']),
});

type Answer = z.infer<typeof answerSchema>;

/** At this score or above, a turn counts as frustrated. */
const FRUSTRATED = 0.5;

const SCORES = { none: 1, resolved: 0.5, unresolved: 0 } as const;

export const userFrustration = judgedType({
  type: 'user-frustration',
  summary: 'Is the user frustrated and, if so, is the frustration resolved?',
  like: 'MLflow',
  docs: {
    asks: 'The judge rates the frustration in each user turn from 0 to 1, and the overall outcome: `none`, `resolved` by the end, or `unresolved`.',
    score: '1 for `none`, 0.5 for `resolved`, 0 for `unresolved`. A turn fails at 0.5 or more.',
    example:
      'the ratings of the user turns are 0.1, 0.7, and 0.2, so the frustration was resolved: 0.5.',
    differences:
      "- MLflow's answer is only the label. Turnlight adds the scores 1, 0.5, and 0, so `resolved` passes with the default threshold.",
    yaml: '- type: user-frustration',
  },
  side: 'user',
  readsContext: true,
  question(input): OwnQuestion<Answer> {
    return {
      instructions: withFacts(input, INSTRUCTIONS),
      answer: answerSchema,
      mistakes: (answer) => [
        ...answer.turns.flatMap(({ turn, score }) =>
          rangeMistake(score, [0, 1], `The score of turn ${turn}`),
        ),
        ...overallMistakes(answer, input),
      ],
      outcomes: SCORES,
      conclude: ({ turns, overall }) => ({
        score: SCORES[overall],
        label: overall,
        turns: turnVerdicts(
          turns,
          input.turns,
          ({ score }) => 1 - score,
          ({ score }) => score < FRUSTRATED,
        ),
        details: { frustration: turns.map(({ turn, score }) => ({ turn, score })) },
      }),
    };
  },
});

function overallMistakes({ turns, overall }: Answer, input: AssertionInput): Mistake[] {
  const away = turns.filter(({ applicable }) => !applicable);
  if (away.length > 0) {
    return away.map(({ turn }) => contradiction(`Turn ${turn} must be applicable, as all are.`));
  }
  const upset = turns.filter(({ score }) => score >= FRUSTRATED);
  if (upset.length > 0 && overall === 'none') {
    return [contradiction('`overall` is none, but a turn has a score of 0.5 or more.')];
  }
  if (upset.length === 0 && overall !== 'none') {
    return [contradiction(`\`overall\` is ${overall}, but no turn has a score of 0.5 or more.`)];
  }
  const last = turnsOfSide(input.conversation, 'user').at(-1)?.number;
  if (overall === 'resolved' && upset.some(({ turn }) => turn === last)) {
    return [
      contradiction(`\`overall\` is resolved, but the user's last turn, ${last}, is frustrated.`),
    ];
  }
  return [];
}
