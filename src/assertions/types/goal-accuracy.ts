import * as z from 'zod';
import { mean, UNIT_SCALE } from '../../core/scoring.ts';
import { citationMistakes, rangeMistake } from '../shared/answerMistakes.ts';
import { citing, turnsAnswer, verdictSchema } from '../shared/entries.ts';
import { judgedType, type OwnQuestion } from '../shared/kinds.ts';
import { DELIVERED, ONE_BY_ONE, withFacts } from '../shared/questions.ts';

const INSTRUCTIONS = `Question: did the assistant reach the user's goals, by a sound plan that it kept to?

First list \`goals\` with the \`turn\` that states each first. ${ONE_BY_ONE} \`plan\` is the steps that the assistant took or
announced, in one sentence. Give each, from 0 to 1:
- \`quality\`: 1 if it is complete, in a workable order, and has no useless step; 0.5 with a gap or a useless step; 0 without a plan;
- \`followed\`: the share of these steps, and of what else the goal needed, that was done;
- \`reached\`: the share of the goal that was reached by the end, by what was done and said. ${DELIVERED}

Then judge each turn: it passes if it brings a goal nearer; it fails if it leads away from one, stalls, or skips a step. It is
not applicable if there is no goal yet or all are reached.`;

const goalSchema = z.object({
  goal: z.string(),
  turn: z.number(),
  plan: z.string(),
  rationale: z.string(),
  quality: z.number(),
  followed: z.number(),
  reached: z.number(),
});

const answerSchema = turnsAnswer({ verdict: verdictSchema }, { goals: z.array(goalSchema) });

export const goalAccuracy = judgedType({
  type: 'goal-accuracy',
  summary: "Were the user's goals achieved through a sound plan?",
  like: 'DeepEval',
  docs: {
    asks: "The judge lists the user's goals and, for each, how fully it was achieved, how good the plan was, and how closely the plan was followed. The score of the plan is the lower of the last two ratings.",
    score: 'mean of (reached + plan) ÷ 2 over all goals.',
    example:
      'the only goal was reached (1) with a good plan (0.8) that was half followed (0.5): (1 + 0.5) ÷ 2 = 0.75.',
    skipped: 'if the user has no goal.',
    differences: `
      - The score of a plan is the lower of two values: its quality, and how far it was followed. DeepEval asks for a single score of the plan.
      - The judge looks for goals in the whole conversation. DeepEval treats each exchange as one goal and one plan, so an exchange without a goal counts too.
      - If the user has no goal, the verdict is skipped. DeepEval uses its judge's score, or 0 if there is no exchange.
    `,
    yaml: `
      - type: goal-accuracy
        threshold: 0.7
    `,
  },
  readsContext: true,
  question: (input): OwnQuestion<z.infer<typeof answerSchema>> => ({
    instructions: withFacts(input, INSTRUCTIONS),
    answer: answerSchema,
    mistakes: ({ goals }) =>
      goals.flatMap((goal, index) => [
        ...citationMistakes(input, 'user', goal.turn, `Goal ${index + 1}`),
        ...(['reached', 'quality', 'followed'] as const).flatMap((key) =>
          rangeMistake(goal[key], UNIT_SCALE, `\`${key}\` of goal ${index + 1}`),
        ),
      ]),
    conclude({ goals: listed, rationale }) {
      const goals = listed.map((goal) => {
        const plan_score = Math.min(goal.quality, goal.followed);
        return { ...goal, plan_score, score: (goal.reached + plan_score) / 2 };
      });
      const score = mean(goals.map((goal) => goal.score));
      if (score === undefined) {
        return { reason: 'no-goals', rationale: `The user had no goal. ${rationale}` };
      }
      const reached = goals.filter((goal) => goal.reached >= 1);
      const open = goals.filter((goal) => goal.reached < 1);
      return {
        score,
        label: open.length === 0 ? 'yes' : 'no',
        hits: reached.map((one) => citing(one.turn, `reached: ${one.goal}`)),
        misses: open.map((one) => citing(one.turn, `not reached: ${one.goal}. ${one.rationale}`)),
        details: { goals },
      };
    },
  }),
});
