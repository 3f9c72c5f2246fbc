import type * as z from 'zod';
import type { Asked, Mistake } from '../assertions/contract.ts';
import { turnMistakes } from '../assertions/shared/answerMistakes.ts';
import { mappingOf, type Path, valueAt } from '../core/data/data.ts';
import { unreachable } from '../core/errors.ts';
import { LIMITS, readable } from '../core/limits.ts';
import { visibleLine } from '../core/text/visibleText.ts';
import type { ModelReply } from '../models/model.ts';
import { type AnswerText, readAnswerText } from './answerText.ts';

export type AnswerReason =
  | 'refusal'
  | 'content-filter'
  | 'cut-off'
  | 'endpoint-error'
  | 'empty-answer'
  | 'malformed-json'
  | 'several-answers'
  | 'repeated-key'
  | 'not-a-number'
  | 'missing-field'
  | 'wrong-type'
  | 'unknown-value'
  | Mistake['reason'];

/** A judge's answer that cannot be used. */
export interface BadAnswer {
  readonly reason: AnswerReason;
  /** Sentences that say what is wrong, at least one. */
  readonly faults: readonly string[];
  /** Whether asking once more can help. */
  readonly repairable: boolean;
}

export type ReadAnswer<Answer> = { readonly answer: Answer } | { readonly bad: BadAnswer };

const MAX_FAULTS = 20;

/** Reads a reply and checks it. */
export function readAnswer<Answer>(reply: ModelReply, question: Asked<Answer>): ReadAnswer<Answer> {
  const read = readObject(reply);
  return 'bad' in read ? read : checkAnswer(read.object, question);
}

/** The one object of a reply. */
export function readObject(
  reply: ModelReply,
): { readonly object: object } | { readonly bad: BadAnswer } {
  const unusable = unusableReply(reply);
  if (unusable) return { bad: unusable };
  const found = readAnswerText(reply.text);
  return found.kind === 'object'
    ? { object: found.value }
    : { bad: notOneObject(found, reply.text) };
}

/** Checks all of an answer that can be checked. */
export function checkAnswer<Answer>(value: unknown, question: Asked<Answer>): ReadAnswer<Answer> {
  const parsed = question.answer.safeParse(value);
  if (!parsed.success) return { bad: offSchema(parsed.error, value) };
  const mistakes = mistakesOf(question, parsed.data);
  const [first] = mistakes;
  if (!first) return { answer: parsed.data };
  return {
    bad: { reason: first.reason, faults: told(mistakes, ({ text }) => text), repairable: true },
  };
}

/** All that is wrong with an answer that fits its schema: its entries first. */
export function mistakesOf<Answer>(question: Asked<Answer>, answer: Answer): Mistake[] {
  const { turns } = mappingOf(answer);
  return [
    ...(question.turns && Array.isArray(turns) ? turnMistakes(turns, question.turns) : []),
    ...(question.mistakes?.(answer) ?? []),
  ];
}

function unusableReply({ finish, refusal, text }: ModelReply): BadAnswer | undefined {
  if (refusal !== undefined) {
    return hopeless('refusal', `The model refused to answer: ${refusal}`);
  }
  if (finish === 'content-filter') {
    return hopeless('content-filter', "The endpoint's content filter withheld the answer.");
  }
  if (finish === 'length') {
    return hopeless('cut-off', 'The answer was cut off at the token limit. Raise `max_tokens`.');
  }
  if (finish === 'error') {
    return hopeless(
      'endpoint-error',
      'The endpoint reported an error in the middle of the answer.',
    );
  }
  if (text.trim() === '') {
    return { reason: 'empty-answer', faults: ['The answer was empty.'], repairable: true };
  }
  return undefined;
}

function hopeless(reason: AnswerReason, fault: string): BadAnswer {
  return { reason, faults: [fault], repairable: false };
}

function notOneObject(read: Exclude<AnswerText, { kind: 'object' }>, text: string): BadAnswer {
  switch (read.kind) {
    case 'none':
      return notJson(text);
    case 'several': {
      const fault = 'The answer holds more than one JSON object.';
      return { reason: 'several-answers', faults: [fault], repairable: true };
    }
    case 'repeated-key': {
      const fault = `The answer holds the key \`${visibleLine(read.key, 60)}\` twice in one object.`;
      return { reason: 'repeated-key', faults: [fault], repairable: true };
    }
    case 'too-long':
      return hopeless(
        'malformed-json',
        `The answer is longer than ${readable(LIMITS.answer)} characters.`,
      );
    case 'too-many':
      return hopeless(
        'malformed-json',
        `The lists of the answer have more than ${readable(LIMITS.answerEntries)} entries.`,
      );
    default:
      return unreachable(read);
  }
}

function notJson(text: string): BadAnswer {
  if (/[:[,]\s*(?:NaN|[+-]?Infinity)\b/.test(text)) {
    const fault = 'The answer holds NaN or Infinity where a number is needed.';
    return { reason: 'not-a-number', faults: [fault], repairable: true };
  }
  return { reason: 'malformed-json', faults: ['The answer was not JSON.'], repairable: true };
}

function offSchema(error: z.ZodError, json: unknown): BadAnswer {
  const [first] = error.issues;
  return {
    reason: first ? reasonOf(first, json) : 'wrong-type',
    faults: told(error.issues, ({ path, message }) =>
      path.length === 0 ? `The answer: ${message}.` : `\`${path.join('.')}\`: ${message}.`,
    ),
    repairable: true,
  };
}

function told<Wrong>(wrongs: readonly Wrong[], words: (wrong: Wrong) => string): string[] {
  const first = wrongs.slice(0, MAX_FAULTS).map(words);
  const more = wrongs.length - first.length;
  return more > 0 ? [...first, `and ${more} more like these`] : first;
}

function reasonOf(issue: z.core.$ZodIssue, json: unknown): AnswerReason {
  if (issue.path.length > 0 && valueAt(json, issue.path as Path) === undefined) {
    return 'missing-field';
  }
  return issue.code === 'invalid_value' ? 'unknown-value' : 'wrong-type';
}
