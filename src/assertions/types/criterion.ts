import * as z from 'zod';
import { fence } from '../../core/text/visibleText.ts';
import type { AssertionInput, ChecklistType, Outcome, Question } from '../contract.ts';
import { contradiction, listMistakes, turnMistakes } from '../shared/answerMistakes.ts';
import {
  citing,
  fromVerdictEntries,
  hitsAndMisses,
  rationaleSchema,
  scored,
  verdictEntrySchema,
} from '../shared/entries.ts';
import { withFacts } from '../shared/questions.ts';

const INSTRUCTIONS = `Question: is each of the criteria below met?

Judge every criterion on its own and strictly by its words. Say first what each turn does for it: \`pass\` if it helps
to meet it or prepares that, \`fail\` if it breaks it, not applicable if it has no bearing on it. What never happens is broken by
the turn in which it was due. Then \`met\` or \`not-met\`: what is met in part, or left open by the conversation, is not met.`;

const params = z.strictObject({
  criterion: z
    .string()
    .regex(/\S/, 'Expected text, found only whitespace')
    .meta({ description: 'What must be true, in plain English.' }),
});

const SCORES = { met: 1, 'not-met': 0 } as const;

const criterionSchema = z.object({
  criterion: z.number(),
  turns: z.array(verdictEntrySchema),
  rationale: z.string(),
  outcome: z.enum(['met', 'not-met']),
});

const answerSchema = z.object({ criteria: z.array(criterionSchema), rationale: rationaleSchema });

type Answer = z.infer<typeof answerSchema>;

const wholeSchema = answerSchema.extend({
  criteria: z.array(criterionSchema.omit({ turns: true })),
});

export const criterion: ChecklistType = {
  kind: 'checklist',
  type: 'criterion',
  summary: 'Is this sentence true of the conversation?',
  like: 'AgentV rubrics',
  docs: {
    asks: 'The judge decides whether a criterion in plain English is met, and which turns show it. All criteria of a case share one request. A plain string under `assert` is a criterion too.',
    score: '1 if the criterion is met, else 0.',
    example:
      'the criterion forbids promising a date, and one of 6 replies promises one: 0, and `misses` lists that turn.',
    differences:
      '- AgentV can grade each criterion of a rubric in points. Here, each criterion is an assertion that is met or not, and `weight` sets how much it counts.',
    yaml: `
      assert:
        - The agent never promises a date for a refund.
        - type: criterion
          criterion: The agent asks for the order number before it looks anything up.
          required: true
    `,
  },
  params,
  defaultThreshold: 1,
  side: 'assistant',
  readsContext: true,
  asPrompt: { key: 'criterion', body: promptOf },
  label: ({ criterion: words }) => firstWords(String(words)),
  checklist(inputs): Question<Answer, Outcome[]> {
    const [first] = inputs;
    const turns = first?.turns ?? [];
    const list = inputs.map(({ assertion }, index) => {
      const text = params.parse(assertion.params).criterion;
      return `Criterion ${index + 1}:\n${fence(text)}`;
    });
    const question = `${INSTRUCTIONS}\n\n${list.join('\n')}\n\nEvery criterion has its own \`turns\`, with an entry for each turn to judge.`;
    return {
      name: 'criteria',
      instructions: first ? withFacts(first, question) : question,
      turns,
      answer: answerSchema,
      mistakes: (answer) => [
        ...listMistakes(
          'criteria',
          answer.criteria.map((one) => one.criterion),
          inputs.length,
        ),
        ...answer.criteria.flatMap((one) => [
          ...turnMistakes(one.turns, turns, `\`turns\` of criterion ${one.criterion}`),
          ...outcomeMistakes(one),
        ]),
      ],
      parts: { whole: wholeSchema, join: joinCriteria },
      outcomes: SCORES,
      conclude: (answer) => inputs.map((input, index) => conclude(answer, index + 1, input)),
    };
  },
};

/** Renames the variables, which are keys of the case's `context`, as in a judge prompt. */
function promptOf(words: string): string {
  const asked = words.trim().replace(/\{\{\s*([\w.-]+)\s*\}\}/g, '{{context.$1}}');
  return `Does this hold for the conversation?\n\n${asked}\n\n{{conversation}}`;
}

const LABEL_WORDS = 8;

function firstWords(text: string): string {
  const words = text.split(/\s+/);
  const first = words.slice(0, LABEL_WORDS).join(' ');
  return words.length <= LABEL_WORDS ? first : `${first} …`;
}

function joinCriteria(parts: readonly Answer[], whole: unknown): Answer {
  const { criteria, rationale } = wholeSchema.parse(whole);
  const judged = parts.flatMap((part) => part.criteria);
  const turnsOf = (number: number) =>
    judged.filter((one) => one.criterion === number).flatMap(({ turns }) => turns);
  return {
    criteria: criteria.map((one) => ({ ...one, turns: turnsOf(one.criterion) })),
    rationale,
  };
}

/** Reports a criterion that is met although a turn breaks it: other turns can't make up for that. */
function outcomeMistakes({ criterion: number, outcome, turns }: Answer['criteria'][number]) {
  if (outcome !== 'met') return [];
  return turns
    .filter(({ applicable, verdict }) => applicable && verdict === 'fail')
    .map(({ turn }) =>
      contradiction(
        `Criterion ${number} is met, but turn ${turn} fails it. A turn fails only where it breaks the criterion.`,
      ),
    );
}

function conclude({ criteria }: Answer, number: number, input: AssertionInput): Outcome {
  const found = criteria.find((one) => one.criterion === number);
  if (!found) throw new Error(`The answer has no criterion ${number}.`);
  const turns = fromVerdictEntries(found.turns, input.turns);
  const met = found.outcome === 'met';
  const last = input.turns.at(-1)?.number ?? 0;
  const whole = citing(last, `${met ? 'met' : 'not met'} by then: ${found.rationale}`);
  return scored(found.rationale, turns, {
    score: SCORES[found.outcome],
    label: met ? 'yes' : 'no',
    ...hitsAndMisses(turns, { passed: met, text: whole }),
  });
}
