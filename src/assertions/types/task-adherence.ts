import * as z from 'zod';
import { fence } from '../../core/fence.ts';
import { lookUpQuote } from '../../core/quote.ts';
import type { AssertionInput, JudgedType, Mistake, Outcome, Question } from '../contract.ts';
import {
  citing,
  fromVerdictEntries,
  rationaleSchema,
  verdictEntrySchema,
  withWhole,
} from '../shared/entries.ts';
import { contradiction } from '../shared/mistakes.ts';

const ASPECTS = ['goal', 'rules', 'procedure'] as const;

const INSTRUCTIONS = `Question: did the assistant keep to its task?

Judge three aspects by themselves, \`pass\` or \`fail\`:
- \`goal\`: it worked on what the user wanted and what its role is for, and on nothing else;
- \`rules\`: it kept every rule that its system texts, its role and the user laid down; \`pass\` where none is laid down;
- \`procedure\`: it took the steps that had to be taken, in an order that works, with the tools meant for them, and
  claimed no step that it did not take.
For each name the \`turn\` that shows it best and copy the words from that turn as \`evidence\`; an aspect that fails
names the turn that breaks it.

Then judge each turn: it fails when it breaks one of the three, and passes otherwise.`;

const aspectSchema = z.object({
  rationale: z.string(),
  turn: z.number(),
  evidence: z.string(),
  verdict: z.enum(['pass', 'fail']),
});

const answerSchema = z.object({
  turns: z.array(verdictEntrySchema),
  goal: aspectSchema,
  rules: aspectSchema,
  procedure: aspectSchema,
  rationale: rationaleSchema,
});

type Answer = z.infer<typeof answerSchema>;

export const taskAdherence: JudgedType = {
  kind: 'judged',
  type: 'task-adherence',
  summary: 'Does the assistant keep to goal, rules and procedure?',
  like: 'Azure',
  docs: {
    asks: 'The judge says of three aspects whether the assistant kept to them: goal, rules, procedure.',
    score: 'aspects that pass ÷ 3.',
    example: 'goal and rules pass, procedure fails: 2 ÷ 3 = 0.67.',
    yaml: `
      - type: task-adherence
        threshold: 0.66
    `,
  },
  params: z.strictObject({}),
  defaultThreshold: 1,
  side: 'assistant',
  question(input): Question<Answer> | Outcome {
    return {
      name: 'task_adherence',
      instructions: [INSTRUCTIONS, ...taskOf(input)].join('\n\n'),
      turns: input.turns,
      answer: answerSchema,
      mistakes: (answer) => [
        ...ASPECTS.flatMap((aspect) => aspectMistakes(aspect, answer, input)),
        ...turnFailures(answer),
      ],
      parts: withWhole(answerSchema),
      conclude: (answer) => conclude(answer, input),
    };
  },
};

/** What the case says of the task, beside the system texts. */
function taskOf({ facts: { role, tools } }: AssertionInput): string[] {
  return [
    ...(role === undefined ? [] : [`The role:\n${fence(role)}`]),
    ...(tools.length === 0 ? [] : [`The tools:\n${fence(JSON.stringify(tools, null, 1))}`]),
  ];
}

function aspectMistakes(
  aspect: (typeof ASPECTS)[number],
  answer: Answer,
  { turns }: AssertionInput,
): Mistake[] {
  const { turn, verdict } = answer[aspect];
  if (!turns.some(({ number }) => number === turn)) {
    const text = `\`${aspect}\` cites turn ${turn}, which is not to be judged.`;
    return [{ reason: 'turns-mismatch', text }];
  }
  const entry = answer.turns.find((one) => one.turn === turn);
  if (verdict === 'pass' || (entry?.applicable && entry.verdict === 'fail')) return [];
  const text = `\`${aspect}\` fails in turn ${turn}, so that turn must fail.`;
  return [contradiction(text)];
}

/** A turn fails by one of the aspects, or it does not fail. */
function turnFailures(answer: Answer): Mistake[] {
  if (ASPECTS.some((aspect) => answer[aspect].verdict === 'fail')) return [];
  return answer.turns
    .filter(({ applicable, verdict }) => applicable && verdict === 'fail')
    .map(({ turn }) => {
      const text = `Turn ${turn} fails, but all of goal, rules and procedure pass.`;
      return contradiction(text);
    });
}

function conclude(answer: Answer, input: AssertionInput): Outcome {
  const judged = ASPECTS.map((aspect) => {
    const found = answer[aspect];
    const turn = input.turns.find(({ number }) => number === found.turn);
    return { aspect, ...found, evidence: turn && lookUpQuote(turn, found.evidence) };
  });
  const passed = judged.filter(({ verdict }) => verdict === 'pass');
  const failed = judged.filter(({ verdict }) => verdict === 'fail');
  const cite = (one: (typeof judged)[number]) =>
    citing(one.turn, `${one.aspect}: ${one.rationale}`);
  return {
    kind: 'scored',
    score: passed.length / ASPECTS.length,
    label: failed.length === 0 ? 'yes' : 'no',
    rationale: answer.rationale,
    turns: fromVerdictEntries(answer.turns, input.turns),
    hits: passed.map(cite),
    misses: failed.map(cite),
    details: { aspects: judged },
  };
}
