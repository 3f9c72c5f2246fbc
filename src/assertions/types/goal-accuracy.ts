import * as z from 'zod';
import { mean } from '../../core/scoring.ts';
import type { AssertionInput, JudgedType, Mistake, Outcome, Question } from '../contract.ts';
import {
  citing,
  fromVerdictEntries,
  notApplicable,
  rationaleSchema,
  verdictEntrySchema,
  withWhole,
} from '../shared/entries.ts';
import { citationMistakes, rangeMistake } from '../shared/mistakes.ts';

const INSTRUCTIONS = `Question: did the assistant reach the user's goals, by a sound plan that it kept to?

First list \`goals\`: each goal of the user, one by one, with the \`turn\` that states it first and:
- \`plan\`: in one sentence the steps that the assistant took or announced;
- \`quality\`, 0 to 1: how well they serve the goal: complete, in a workable order, none useless;
- \`followed\`, 0 to 1: how far the assistant did what it had announced and what the plan needs;
- \`reached\`, 0 to 1: how far the goal was reached by the end, by what was done and said, not promised.

Then judge each turn: it passes when it brings a goal nearer; it fails when it leads away from it, stalls or drops a
step. It is not applicable when no goal stands yet or all are reached.`;

const unit = z.number();

const answerSchema = z.object({
  goals: z.array(
    z.object({
      goal: z.string(),
      turn: z.number(),
      plan: z.string(),
      quality: unit,
      followed: unit,
      rationale: z.string(),
      reached: unit,
    }),
  ),
  turns: z.array(verdictEntrySchema),
  rationale: rationaleSchema,
});

type Answer = z.infer<typeof answerSchema>;
type Goal = Answer['goals'][number];

export const goalAccuracy: JudgedType = {
  kind: 'judged',
  type: 'goal-accuracy',
  summary: 'Are the goals of the user reached, by a sound plan?',
  like: 'DeepEval',
  docs: {
    asks: 'The judge lists the goals of the user; for each how far it was reached, how good the plan was and how far it was followed. A plan is worth the lower of its quality and its following.',
    score: 'mean over the goals of (reached + plan) ÷ 2.',
    example: 'one goal, reached 1, plan of quality 0.8, followed 0.5: (1 + 0.5) ÷ 2 = 0.75.',
    skipped: 'where the user has no goal.',
    yaml: `
      - type: goal-accuracy
        threshold: 0.7
    `,
  },
  params: z.strictObject({}),
  defaultThreshold: 0.5,
  side: 'assistant',
  question(input): Question<Answer> | Outcome {
    return {
      name: 'goal_accuracy',
      instructions: INSTRUCTIONS,
      turns: input.turns,
      answer: answerSchema,
      mistakes: (answer) =>
        answer.goals.flatMap((goal, index) => goalMistakes(goal, index + 1, input)),
      parts: withWhole(answerSchema),
      conclude: (answer) => conclude(answer, input),
    };
  },
};

function goalMistakes(goal: Goal, number: number, input: AssertionInput): Mistake[] {
  return [
    ...citationMistakes(input, 'user', goal.turn, `Goal ${number}`),
    ...(['reached', 'quality', 'followed'] as const).flatMap((key) =>
      rangeMistake(goal[key], [0, 1], `\`${key}\` of goal ${number}`),
    ),
  ];
}

function conclude({ goals, turns, rationale }: Answer, input: AssertionInput): Outcome {
  const verdicts = fromVerdictEntries(turns, input.turns);
  const judged = goals.map((goal) => {
    const plan_score = Math.min(goal.quality, goal.followed);
    return { ...goal, plan_score, score: (goal.reached + plan_score) / 2 };
  });
  const score = mean(judged.map((goal) => goal.score));
  if (score === undefined) {
    return notApplicable('no-goals', `The user had no goal. ${rationale}`, verdicts);
  }
  const reached = judged.filter((goal) => goal.reached >= 1);
  const open = judged.filter((goal) => goal.reached < 1);
  return {
    kind: 'scored',
    score,
    label: open.length === 0 ? 'yes' : 'no',
    rationale,
    turns: verdicts,
    hits: reached.map((one) => citing(one.turn, `reached: ${one.goal}`)),
    misses: open.map((one) => citing(one.turn, `not reached: ${one.goal}. ${one.rationale}`)),
    details: { goals: judged },
  };
}
