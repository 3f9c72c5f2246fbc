import * as z from 'zod';
import { remembered } from '../../core/data/data.ts';
import { type Scale, shareOn } from '../../core/scoring.ts';
import type {
  AssertionInput,
  JudgedType,
  Mistake,
  Outcome,
  Question,
  TypeDocs,
} from '../contract.ts';
import { extremeMistakes, rangeMistake } from './answerMistakes.ts';
import { withCase } from './caseText.ts';
import {
  fromVerdictEntries,
  hitsAndMisses,
  notApplicable,
  questionName,
  rationaleSchema,
  verdictEntrySchema,
  withWhole,
} from './entries.ts';

import { judgedType } from './judgedType.ts';

/** One to five. */
const LIKERT: Scale = [1, 5];

interface Likert {
  readonly type: string;
  readonly summary: string;
  readonly docs: TypeDocs;
  readonly instructions: string;
  /** Aspects that are rated on the same scale, for the details. */
  readonly aspects?: readonly string[];
  /** Named where the judge may say that the question does not apply: why. */
  readonly exception?: string;
}

/**
 * A type that asks for a value from 1 to 5 for the whole, and a pass or fail for each turn.
 * Score: (value − 1) ÷ 4.
 */
export function likertType(likert: Likert): JudgedType {
  const { type, summary, docs } = likert;
  return judgedType({
    type,
    summary,
    like: 'Azure',
    docs,
    scale: LIKERT,
    readsContext: true,
    question: (input) => likertQuestion(likert, input),
  });
}

/** A schema takes much longer to make than an answer to check. */
const answerOf = remembered(({ aspects = [], exception }: Likert) => {
  const answer = z.object({
    turns: z.array(verdictEntrySchema),
    rationale: rationaleSchema,
    ...(exception !== undefined && { [exception]: z.boolean() }),
    ...Object.fromEntries(aspects.map((aspect) => [aspect, z.number()])),
    value: z.number(),
  });
  return { answer, parts: withWhole(answer) };
});

function likertQuestion(likert: Likert, input: AssertionInput): Question<Record<string, unknown>> {
  const { type, instructions, aspects = [], exception } = likert;
  const { turns } = input;
  const { answer, parts } = answerOf(likert);
  type Answer = z.infer<typeof answer>;
  const rated = [...aspects, 'value'];
  const question: Question<Answer> = {
    name: questionName(type),
    instructions: withCase(input, `${instructions}\n\n${ratings(rated)}`),
    turns,
    answer,
    mistakes: (given) => [
      ...rated.flatMap((key) => ratingMistakes(key, Reflect.get(given, key))),
      ...extremeMistakes(given.turns, given.value, LIKERT, '`value`'),
    ],
    parts,
    conclude(given): Outcome {
      const verdicts = fromVerdictEntries(given.turns, turns);
      if (exception !== undefined && Reflect.get(given, exception) === true) {
        return notApplicable(exception.replaceAll('_', '-'), given.rationale, verdicts);
      }
      return {
        kind: 'scored',
        score: shareOn(LIKERT, given.value),
        value: given.value,
        scale: LIKERT,
        rationale: given.rationale,
        turns: verdicts,
        ...hitsAndMisses(verdicts),
        details: Object.fromEntries(aspects.map((key) => [key, Reflect.get(given, key)])),
      };
    },
  };
  return question as Question<Record<string, unknown>>;
}

function ratings(keys: readonly string[]): string {
  return `${keys.map((key) => `\`${key}\``).join(', ')}: whole numbers from 1 to 5.`;
}

function ratingMistakes(key: string, value: number): Mistake[] {
  const outside = rangeMistake(value, LIKERT, `\`${key}\``);
  if (outside.length > 0 || Number.isInteger(value)) return outside;
  return [{ reason: 'out-of-range', text: `\`${key}\` is ${value}; it must be a whole number.` }];
}
