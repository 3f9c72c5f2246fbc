import * as z from 'zod';
import { type Scale, shareOnScale } from '../../core/scoring.ts';
import { fence } from '../../core/text/visibleText.ts';
import type {
  AssertionInput,
  Divisible,
  Fault,
  Finding,
  JudgeAnswer,
  JudgeRequest,
  PlannedRequest,
  ScoredToken,
} from '../contract.ts';
import { extremeMistakes, rangeMistake, wholeMistakes } from '../shared/answerMistakes.ts';
import {
  fromVerdictEntries,
  partsOf,
  scored,
  turnsAnswer,
  verdictSchema,
} from '../shared/entries.ts';
import { procedureType } from '../shared/kinds.ts';
import { withFacts } from '../shared/questions.ts';

const SCALE: Scale = [0, 10];

const band = z.strictObject({
  range: z
    .tuple([z.int().min(0).max(10), z.int().min(0).max(10)])
    .meta({ description: 'Lowest and highest score of the band, from 0 to 10.' }),
  means: z.string().min(1).meta({ description: 'What a score in this band means.' }),
});

const params = z.strictObject({
  criteria: z
    .string()
    .regex(/\S/, 'Expected text, found only whitespace')
    .meta({ description: 'What to rate, in plain English.' }),
  steps: z.array(z.string().min(1)).min(1).optional().meta({
    description:
      'How to rate it, step by step. Default: steps that the judge derives from the criteria, only once.',
  }),
  rubric: z.array(band).min(1).optional().meta({
    description: 'What the scores mean: bands from 0 to 10 without gaps or overlaps.',
  }),
});

type Params = z.infer<typeof params>;

const stepsSchema = z.object({ steps: z.array(z.string()) });

const answerSchema = turnsAnswer({ verdict: verdictSchema }).extend({ score: z.number() });

type Answer = z.infer<typeof answerSchema>;

const STEPS = `Write down how to rate conversations by the criteria below: three to five steps, each one sentence that says what to
look at and how it bears on the score. They will be used for many conversations, so speak of none in particular.`;

const RATE = `Question: how well does the conversation meet the criteria below?

Go through the steps one by one. Then say for each turn what it does for the criteria: \`pass\` if it meets them,
\`fail\` if it goes against them, not applicable if it has no bearing on them. At the very end give \`score\`, a whole
number: 0 not at all, 5 half, 10 fully.`;

export const gEval = procedureType({
  type: 'g-eval',
  summary: 'Rates your criteria from 0 to 10, with steps that the judge writes once.',
  like: 'DeepEval',
  docs: {
    asks: 'The judge turns the criteria into evaluation steps once, and Turnlight stores them. The judge then rates each conversation by the criteria, the steps, and the rubric. If the endpoint returns log-probabilities, the value is the mean of the ratings from 0 to 10, weighted by their probabilities; `details.weighting` shows whether it was weighted.',
    score: 'value ÷ 10. A threshold may use that scale: `threshold: 7`.',
    example: 'the judge rates 8 with a probability of 0.75 and 6 with 0.25: 7.5 ÷ 10 = 0.75.',
    differences: `
      - Without log-probabilities, DeepEval accepts a fraction. Here, the judge must give a whole number.
      - With log-probabilities, both tools weight the score by them. DeepEval leaves out ratings with a probability below 1%; here, all ratings count.
      - If the score can't be weighted, it is the judge's number, and \`details.weighting\` shows why.
    `,
    yaml: `
      - type: g-eval
        name: Empathy
        criteria: The assistant shows understanding when the user is upset.
        rubric:
          - range: [0, 4]
            means: Ignores the feelings.
          - range: [5, 10]
            means: Responds to them.
        threshold: 7
    `,
  },
  params,
  scale: SCALE,
  readsContext: true,
  asksJudge: true,
  faults: ({ rubric }) => (rubric ? rubricFaults(rubric) : []),
  plan(input, own) {
    const derive: PlannedRequest[] = own.steps ? [] : [{ kind: 'once', asked: stepsRequest(own) }];
    const about = (turns: AssertionInput['turns']) =>
      rating(own, own.steps ?? [], { ...input, turns });
    return [...derive, { kind: 'asked', about }];
  },
  async run(input, own, toolbox) {
    const steps = own.steps ?? (await toolbox.askOnce(stepsRequest(own))).steps;
    const about = (turns: AssertionInput['turns']) => rating(own, steps, { ...input, turns });
    const answered = await toolbox.ask(input.turns, about, { logprobs: true });
    return conclude(answered, steps, input);
  },
});

function rubricFaults(rubric: NonNullable<Params['rubric']>): Fault[] {
  const sorted = rubric
    .map(({ range }, index) => ({ low: range[0], high: range[1], index }))
    .sort((a, b) => a.low - b.low);
  const faults: Fault[] = [];
  let next = 0;
  for (const { low, high, index } of sorted) {
    const path = ['rubric', index, 'range'];
    if (low > high) faults.push({ path, message: `The band is reversed: ${low} to ${high}.` });
    else if (low < next) faults.push({ path, message: `${low} is already in another band.` });
    else if (low > next) faults.push({ path, message: `No band covers ${next}.` });
    next = Math.max(next, low + 1, high + 1);
  }
  const last = sorted.at(-1);
  if (last && next <= SCALE[1]) {
    const message = `No band covers ${next}. The last band must end at 10.`;
    faults.push({ path: ['rubric', last.index, 'range'], message });
  }
  return faults;
}

function stepsRequest({ criteria }: Params): JudgeRequest<z.infer<typeof stepsSchema>> {
  return {
    name: 'g_eval_steps',
    instructions: `${STEPS}\n\nThe criteria:\n${fence(criteria)}`,
    answer: stepsSchema,
    mistakes: ({ steps }) =>
      steps.some((step) => step.trim() !== '')
        ? []
        : [{ reason: 'incomplete-list', text: '`steps` must hold at least one step.' }],
  };
}

function rating(own: Params, steps: readonly string[], input: AssertionInput): Divisible<Answer> {
  const { turns } = input;
  const numbered = steps.map((step, index) => `Step ${index + 1}:\n${fence(step)}`);
  const bands = own.rubric?.map(
    ({ range: [low, high], means }) => `${low} to ${high}:\n${fence(means)}`,
  );
  const rubric = bands ? [`What the scores mean:\n${bands.join('\n')}`] : [];
  const parts = [RATE, `The criteria:\n${fence(own.criteria)}`, numbered.join('\n'), ...rubric];
  return {
    name: 'g_eval',
    instructions: withFacts(input, parts.join('\n\n')),
    turns,
    answer: answerSchema,
    parts: partsOf(answerSchema),
    mistakes: (answer) => [
      ...rangeMistake(answer.score, SCALE, '`score`'),
      ...extremeMistakes(answer.turns, answer.score, SCALE, '`score`'),
      ...wholeMistakes(answer.score, '`score`'),
    ],
  };
}

function conclude(
  { answer, text, tokens }: JudgeAnswer<Answer>,
  steps: readonly string[],
  input: AssertionInput,
): Finding {
  const verdicts = fromVerdictEntries(answer.turns, input.turns);
  const weighed = weighScore(text, tokens, answer.score);
  const value = 'mean' in weighed ? weighed.mean : answer.score;
  return scored(answer.rationale, verdicts, {
    score: shareOnScale(SCALE, value),
    value,
    scale: SCALE,
    details: {
      steps,
      written_score: answer.score,
      weighting: 'mean' in weighed ? 'token probabilities' : `none: ${weighed.why}`,
      ...('mean' in weighed && { probabilities: weighed.probabilities }),
    },
  });
}

type WeightedScore =
  | { readonly mean: number; readonly probabilities: Readonly<Record<string, number>> }
  | { readonly why: string };

/**
 * The mean of the scores that the judge could have written, weighted by their probabilities: Σ p × score ÷ Σ p
 * (G-Eval, Liu et al. 2023).
 *
 * @param text the answer as written, an object whose last `score` counts
 */
export function weighScore(
  text: string,
  tokens: readonly ScoredToken[] | undefined,
  written: number,
): WeightedScore {
  if (!tokens) return { why: 'the endpoint returned no log-probabilities' };
  const token = tokenOfScore(text, tokens);
  if (token?.text.trim() !== String(written)) return { why: 'the score is not a separate token' };
  const probabilities: Record<string, number> = {};
  let sum = 0;
  let weights = 0;
  for (const { text: alternative, logprob } of token.top) {
    const value = Number(alternative.trim());
    const weight = Math.exp(logprob);
    if (!/^\d+$/.test(alternative.trim()) || value > SCALE[1]) continue;
    if (weight > 1 + TOLERANCE) return { why: 'a log-probability is above 0' };
    if (!Number.isFinite(weight)) continue;
    probabilities[value] = (probabilities[value] ?? 0) + weight;
    sum += weight * value;
    weights += weight;
  }
  if (weights === 0) return { why: 'no alternative was a score' };
  if (weights > 1 + TOLERANCE) return { why: 'the probabilities add up to more than 1' };
  return { mean: sum / weights, probabilities };
}

/** Endpoints round their probabilities. */
const TOLERANCE = 0.01;

/** The first token of the last `"score":` value. */
function tokenOfScore(text: string, tokens: readonly ScoredToken[]): ScoredToken | undefined {
  if (tokens.map((token) => token.text).join('') !== text) return undefined;
  const key = [...text.matchAll(/"score"\s*:\s*/g)].at(-1);
  if (!key) return undefined;
  const place = key.index + key[0].length;
  let offset = 0;
  for (const token of tokens) {
    offset += token.text.length;
    if (offset > place) return token;
  }
  return undefined;
}
