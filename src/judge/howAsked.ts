import { NO_USAGE, type Verdict } from '../core/verdict.ts';
import { digestOf } from '../node/hashes.ts';
import type { Inquirer } from './inquirer.ts';
import type { QuestionInquiry, SingleInquiry } from './inquiries.ts';
import type { Sampled } from './samples.ts';
import { windowOf } from './tooLong.ts';
import type { Cost } from './verdicts.ts';

/** What a verdict says beside the judge's words. */
export type Details = Readonly<Record<string, unknown>>;

/**
 * Says in a verdict's details what its words do not: that the conversation was not shown at once, and
 * how the answer was asked for.
 */
export function withHowAsked(
  verdict: Verdict,
  inquirer: Inquirer | undefined,
  more: Details,
): Verdict {
  const { parts, meter } = inquirer ?? {};
  const judgedParts = parts?.map(({ turns, shown }) => ({
    turns: turns.map(({ number }) => number),
    shown: [shown.from, shown.to],
  }));
  const details = {
    ...verdict.details,
    ...(judgedParts && verdict.score !== null && { parts: judgedParts }),
    ...(meter?.answerFormat && { answer_format: meter.answerFormat }),
    ...more,
  };
  return { ...verdict, details };
}

/** @param paysForAll the whole usage of a shared request stands in its first verdict, so that sums stay right */
export function judgingCost(
  inquirer: Inquirer | undefined,
  { samples, spread, unstable }: Omit<Sampled, 'outcome'>,
  paysForAll: boolean,
): Cost {
  if (!inquirer) return { usage: NO_USAGE };
  const { first, meter, model } = inquirer;
  const usage = paysForAll ? meter.usage : NO_USAGE;
  if (!first) return { usage };
  return {
    usage,
    judge: {
      model: model.id,
      ...(meter.version !== undefined && { version: meter.version }),
      prompt_hash: digestOf(first.messages),
      samples,
      spread,
      ...(unstable && { unstable: true }),
    },
  };
}

/** Whose questions stood in the same request. */
export function askedWith(inquiry: QuestionInquiry, all: readonly QuestionInquiry[]): Details {
  const others = all.filter((one) => one !== inquiry);
  return {
    asked_with: others.flatMap(({ inputs }) => inputs.map(({ assertion }) => assertion.key)),
  };
}

/** The labelled conversations that stood before a question; an empty list where none could. */
export function examplesIn(inquiry: SingleInquiry): Details {
  const { examples } = inquiry.kind === 'question' ? inquiry : {};
  return examples ? { examples } : {};
}

/** Why each was asked by itself. */
export function askedAlone(inquirer: Inquirer | undefined): Details {
  if (!inquirer) return {};
  const window = windowOf(inquirer);
  return { asked_alone: `All questions together do not fit into ${window}.` };
}
