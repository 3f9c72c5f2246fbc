import * as z from 'zod';
import type { TurnVerdict } from '../../core/verdict.ts';
import type { AssertionInput, Mistake } from '../contract.ts';
import { citationMistakes, contradiction } from '../shared/answerMistakes.ts';
import { meanOfTurns, turnsAnswer, verdictSchema } from '../shared/entries.ts';
import { judgedType, type OwnQuestion } from '../shared/kinds.ts';

const INSTRUCTIONS = `Question: does the assistant remember what the user told it?

First write the ledger \`facts\`, numbered 1, 2, 3 … in the order of the list: each fact that the user gave (a name, a
number, a date, a wish, a limit, something already tried), one by one, with the turn that gave it. A fact that corrects
an older one is listed too; \`superseded_by\` of the older is then its number, else null, and from then on only the
newer counts. Questions and small talk are no facts.

Then judge each turn. It is applicable if a fact given before bears on it. It fails if it asks again for a fact that still
counts, contradicts it, or acts as if it had not been given, whatever others it remembers; \`forgot\` lists those
facts' numbers, and is empty if the turn passes. Repeating a fact to confirm it is no failure.`;

const params = z.strictObject({
  denominator: z.enum(['facts', 'turns']).default('facts').meta({
    description:
      'Which turns count: with `facts`, those to which a fact is relevant; with `turns`, every turn after the first fact, as in DeepEval.',
  }),
});

const factSchema = z.object({
  fact: z.string(),
  turn: z.number(),
  superseded_by: z.number().nullable(),
});

const answerSchema = turnsAnswer(
  { forgot: z.array(z.number()), verdict: verdictSchema },
  { facts: z.array(factSchema) },
);

type Answer = z.infer<typeof answerSchema>;

export const knowledgeRetention = judgedType({
  type: 'knowledge-retention',
  summary: 'Does the assistant remember what the user said?',
  like: 'DeepEval, MLflow',
  docs: {
    asks: 'The judge lists the facts that the user gave, including corrections. For each assistant turn to which a fact is relevant, it decides whether the turn forgot or contradicted one.',
    score: 'turns without a lapse ÷ turns to which a fact is relevant.',
    example:
      'the order number from turn 1 is relevant to four replies, and turn 6 asks for it again: 3 ÷ 4 = 0.75.',
    skipped: 'if the user stated no facts, or none that are relevant to a reply.',
    differences: `
      - Only turns to which a fact is relevant count, so that small talk doesn't raise the score. DeepEval counts every reply after the first fact; \`denominator: turns\` does the same.
      - If the user gave no fact, or none that is relevant to a reply, the verdict is skipped. DeepEval scores 1. With \`denominator: turns\`, Turnlight also scores 1 if the facts aren't relevant to any reply.
      - MLflow answers yes or no. Here, yes is a score of 1, and for lower scores, the threshold decides.
    `,
    yaml: `
      - type: knowledge-retention
        threshold: 1
    `,
  },
  params,
  question(input, { denominator }): OwnQuestion<Answer> {
    return {
      instructions: INSTRUCTIONS,
      answer: answerSchema,
      mistakes: (answer) => [...ledgerMistakes(answer, input), ...lapseMistakes(answer)],
      parts: { join: joinLedgers },
      conclude({ facts, turns: entries, rationale }, verdicts) {
        if (facts.length === 0) {
          return {
            reason: 'no-facts',
            rationale: `The user gave no fact to remember. ${rationale}`,
          };
        }
        const first = Math.min(...facts.map(({ turn }) => turn));
        const counted = input.turns.filter(({ number }) => number > first).length;
        const score =
          denominator === 'facts' ? meanOfTurns(verdicts) : shareRetained(verdicts, counted);
        if (score === undefined) return { reason: 'not-applicable' };
        return {
          score,
          label: score === 1 ? 'yes' : 'no',
          details: {
            facts,
            forgot: entries.flatMap(({ turn, forgot }) => forgot.map((fact) => ({ turn, fact }))),
          },
        };
      },
    };
  },
});

function shareRetained(verdicts: readonly TurnVerdict[], counted: number): number | undefined {
  const lapses = verdicts.filter(({ status }) => status === 'fail').length;
  return counted === 0 ? undefined : (counted - lapses) / counted;
}

/**
 * Joins the ledgers of parts. Each part repeats the relevant earlier facts, so facts that are equal and from the same
 * turn are merged.
 */
function joinLedgers(parts: readonly Answer[]): Answer {
  const facts: Answer['facts'] = [];
  const turns: Answer['turns'] = [];
  for (const part of parts) {
    const numbers = part.facts.map(({ fact, turn }) => {
      const known = facts.findIndex((one) => one.turn === turn && one.fact === fact);
      return known >= 0 ? known + 1 : facts.push({ fact, turn, superseded_by: null });
    });
    for (const [index, { superseded_by }] of part.facts.entries()) {
      const joined = facts[(numbers[index] ?? 0) - 1];
      const newer = superseded_by === null ? undefined : numbers[superseded_by - 1];
      if (joined && newer !== undefined) joined.superseded_by = newer;
    }
    turns.push(
      ...part.turns.map((entry) => ({
        ...entry,
        forgot: entry.forgot.flatMap((number) => numbers[number - 1] ?? []),
      })),
    );
  }
  return { facts, turns, rationale: parts.map(({ rationale }) => rationale).join(' ') };
}

function ledgerMistakes({ facts }: Answer, input: AssertionInput): Mistake[] {
  return facts.flatMap(({ turn, superseded_by }, index): Mistake[] => {
    const fact = `Fact ${index + 1}`;
    const mistakes = citationMistakes(input, 'user', turn, fact);
    if (superseded_by === null) return mistakes;
    const newer = facts[superseded_by - 1];
    if (!newer || superseded_by === index + 1) {
      const text = `${fact} is superseded by ${superseded_by}, which is no other fact of the list.`;
      mistakes.push(contradiction(text));
    } else if (newer.turn < turn || (newer.turn === turn && superseded_by <= index)) {
      const text = `${fact} cannot be superseded by fact ${superseded_by}, which was given before it.`;
      mistakes.push(contradiction(text));
    }
    return mistakes;
  });
}

function lapseMistakes({ facts, turns }: Answer): Mistake[] {
  return turns.flatMap(({ turn, applicable, verdict, forgot }): Mistake[] => {
    const mistakes: Mistake[] = [];
    const fails = applicable && verdict === 'fail';
    if (fails !== forgot.length > 0) {
      const text = `Turn ${turn} must list in \`forgot\` what it forgot exactly when it fails.`;
      mistakes.push(contradiction(text));
    }
    for (const number of forgot) {
      const fact = facts[number - 1];
      if (!fact || fact.turn >= turn) {
        const text = `Turn ${turn} cannot forget fact ${number}: it was not given before.`;
        mistakes.push(contradiction(text));
        continue;
      }
      const newer = fact.superseded_by === null ? undefined : facts[fact.superseded_by - 1];
      if (newer && newer.turn < turn) {
        const text = `Turn ${turn} cannot forget fact ${number}: the user had corrected it by then.`;
        mistakes.push(contradiction(text));
      }
    }
    return mistakes;
  });
}
