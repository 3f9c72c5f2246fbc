import * as z from 'zod';
import { fence } from '../../core/text/visibleText.ts';
import type { AssertionInput, Mistake } from '../contract.ts';
import { contradiction, judgedTurnMistakes } from '../shared/answerMistakes.ts';
import {
  citing,
  lookUpQuote,
  rationaleSchema,
  verdictEntrySchema,
  verdictSchema,
} from '../shared/entries.ts';
import { judgedType, type OwnQuestion } from '../shared/kinds.ts';
import { withFacts } from '../shared/questions.ts';

const ASPECTS = ['goal', 'rules', 'procedure'] as const;

const INSTRUCTIONS = `Question: did the assistant keep to its task?

First judge each turn: it fails if it breaks one of the three aspects below, and passes otherwise.

Then judge the aspects by themselves, \`pass\` or \`fail\`:
- \`goal\`: it did what the user wanted and its role is for. What is missing or too thin fails it, and so does what takes its
  place, or an action that nobody asked for; a related remark, a minor tangent, or an offer does not;
- \`rules\`: it kept every rule. A rule is a standing condition on how something is done, from a system text, the role, or the
  user. The request itself is no rule, and a bare role sets none. If there is none: \`pass\`, with \`evidence\` empty;
- \`procedure\`: it took the needed steps in an order that works, with the tools meant for them. A wrong order, a wrong or missing
  tool that the answer rests on, or a step claimed but not taken fails it; so does doing no work at all.
For each name the \`turn\` that shows it best and copy the words from that turn as \`evidence\`; an aspect that fails
names the turn that breaks it.`;

const aspectSchema = z.object({
  rationale: z.string(),
  turn: z.number(),
  evidence: z.string(),
  verdict: verdictSchema,
});

const answerSchema = z.object({
  turns: z.array(verdictEntrySchema),
  goal: aspectSchema,
  rules: aspectSchema,
  procedure: aspectSchema,
  rationale: rationaleSchema,
});

type Answer = z.infer<typeof answerSchema>;

export const taskAdherence = judgedType({
  type: 'task-adherence',
  summary: 'Does the assistant stick to its goal, rules, and procedure?',
  like: 'Azure',
  docs: {
    asks: 'The judge decides whether the assistant stuck to its goal, its rules, and its procedure.',
    score: 'aspects that pass ÷ 3.',
    example: 'goal and rules pass, procedure fails: 2 ÷ 3 = 0.67.',
    differences:
      '- Azure gives a single pass or fail. Here, the score is the share of aspects that pass. With the default threshold of 1, both agree on pass and fail.',
    yaml: `
      - type: task-adherence
        threshold: 0.66
    `,
  },
  defaultThreshold: 1,
  readsContext: true,
  question(input): OwnQuestion<Answer> {
    const { tools } = input.facts;
    const listed = tools.length > 0 && `The tools:\n${fence(JSON.stringify(tools, null, 1))}`;
    return {
      instructions: withFacts(input, listed ? `${INSTRUCTIONS}\n\n${listed}` : INSTRUCTIONS),
      answer: answerSchema,
      mistakes: (answer) => [
        ...ASPECTS.flatMap((aspect) => aspectMistakes(aspect, answer, input)),
        ...turnFailures(answer),
      ],
      conclude(answer) {
        const aspects = ASPECTS.map((aspect) => {
          const found = answer[aspect];
          const evidence = lookUpQuote(input.turns, found.turn, found.evidence);
          return { aspect, ...found, evidence };
        });
        const passed = aspects.filter(({ verdict }) => verdict === 'pass');
        const failed = aspects.filter(({ verdict }) => verdict === 'fail');
        const cite = ({ turn, aspect, rationale }: (typeof aspects)[number]) =>
          citing(turn, `${aspect}: ${rationale}`);
        return {
          score: passed.length / ASPECTS.length,
          label: failed.length === 0 ? 'yes' : 'no',
          hits: passed.map(cite),
          misses: failed.map(cite),
          details: { aspects },
        };
      },
    };
  },
});

function aspectMistakes(
  aspect: (typeof ASPECTS)[number],
  answer: Answer,
  input: AssertionInput,
): Mistake[] {
  const { turn, verdict } = answer[aspect];
  const cited = judgedTurnMistakes(input, turn, `\`${aspect}\``);
  if (cited.length > 0) return cited;
  const entry = answer.turns.find((one) => one.turn === turn);
  if (verdict === 'pass' || (entry?.applicable && entry.verdict === 'fail')) return [];
  const text = `\`${aspect}\` fails in turn ${turn}, so that turn must fail.`;
  return [contradiction(text)];
}

/** A turn must not fail unless some aspect fails. */
function turnFailures(answer: Answer): Mistake[] {
  if (ASPECTS.some((aspect) => answer[aspect].verdict === 'fail')) return [];
  return answer.turns
    .filter(({ applicable, verdict }) => applicable && verdict === 'fail')
    .map(({ turn }) =>
      contradiction(`Turn ${turn} fails, but all of goal, rules and procedure pass.`),
    );
}
