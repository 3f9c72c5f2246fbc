import type * as z from 'zod';
import type { Asked, Mistake } from '../assertions/contract.ts';
import { turnMistakes } from '../assertions/shared/mistakes.ts';
import { mappingOf, type Path, valueAt } from '../core/data.ts';
import type { ModelReply } from '../models/model.ts';

export type AnswerReason =
  | 'refusal'
  | 'content-filter'
  | 'cut-off'
  | 'empty-answer'
  | 'malformed-json'
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

/** Reads a reply and checks all that can be checked. */
export function readAnswer<Answer>(reply: ModelReply, question: Asked<Answer>): ReadAnswer<Answer> {
  const unusable = unusableReply(reply);
  if (unusable) return { bad: unusable };
  const json = extractJson(reply.text);
  if (json === undefined) return { bad: notJson(reply.text) };
  const parsed = question.answer.safeParse(json);
  if (!parsed.success) return { bad: offSchema(parsed.error, json) };
  const mistakes = mistakesOf(question, parsed.data);
  const [first] = mistakes;
  if (!first) return { answer: parsed.data };
  return {
    bad: { reason: first.reason, faults: mistakes.map(({ text }) => text), repairable: true },
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
    return hopeless('refusal', `The judge refused to answer: ${refusal}`);
  }
  if (finish === 'content-filter') {
    return hopeless('content-filter', "The endpoint's content filter withheld the answer.");
  }
  if (finish === 'length') {
    return hopeless('cut-off', 'The answer was cut off at the token limit. Raise `max_tokens`.');
  }
  if (text.trim() === '') {
    return { reason: 'empty-answer', faults: ['The answer was empty.'], repairable: true };
  }
  return undefined;
}

function hopeless(reason: AnswerReason, fault: string): BadAnswer {
  return { reason, faults: [fault], repairable: false };
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
    faults: error.issues.map(({ path, message }) =>
      path.length === 0 ? `The answer: ${message}.` : `\`${path.join('.')}\`: ${message}.`,
    ),
    repairable: true,
  };
}

function reasonOf(issue: z.core.$ZodIssue, json: unknown): AnswerReason {
  if (issue.path.length > 0 && valueAt(json, issue.path as Path) === undefined) {
    return 'missing-field';
  }
  return issue.code === 'invalid_value' ? 'unknown-value' : 'wrong-type';
}

/**
 * The JSON object of a reply. Endpoints without structured output put words or a code fence around
 * it; the first balanced object that is JSON counts.
 *
 *     Here {as asked} it is: {"score": 1} I hope {this} helps.   →   {"score": 1}
 */
export function extractJson(text: string): unknown {
  const whole = objectOf(text);
  if (whole !== undefined) return whole;
  let start = text.indexOf('{');
  // Each try reads to the end at worst: a text of braces alone must not take for ever.
  for (let tries = 0; start >= 0 && tries < MAX_TRIES; tries += 1) {
    const end = endOfObject(text, start);
    const found = end === undefined ? undefined : objectOf(text.slice(start, end));
    if (found !== undefined) return found;
    start = text.indexOf('{', end ?? start + 1);
  }
  return undefined;
}

const MAX_TRIES = 100;

function objectOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Where the object that starts here ends; braces inside its strings do not count. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (quoted) {
      if (character === '\\') at += 1;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}
