import type * as z from 'zod';
import type { JudgeRequest, Mistake } from '../assertions/contract.ts';
import { turnMistakes } from '../assertions/shared/answerMistakes.ts';
import { mappingOf, type Path, parseJson, valueAt } from '../core/data/data.ts';
import { LIMITS, readable } from '../core/limits.ts';
import { visibleLine } from '../core/text/visibleText.ts';
import type { ModelReply } from '../models/model.ts';

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

export interface BadAnswer {
  readonly reason: AnswerReason;
  /** One sentence per fault, at least one. */
  readonly faults: readonly string[];
  /** Whether asking again can help. */
  readonly repairable: boolean;
}

export type ReadAnswer<Answer> = { readonly answer: Answer } | Unusable;

interface Unusable {
  readonly bad: BadAnswer;
}

const MAX_FAULTS = 20;

export function readAnswer<Answer>(
  reply: ModelReply,
  question: JudgeRequest<Answer>,
): ReadAnswer<Answer> {
  const read = readObject(reply);
  return 'bad' in read ? read : checkAnswer(read.object, question);
}

export function checkAnswer<Answer>(
  value: unknown,
  question: JudgeRequest<Answer>,
): ReadAnswer<Answer> {
  const parsed = question.answer.safeParse(value);
  if (!parsed.success) return { bad: schemaFault(parsed.error, value) };
  const mistakes = mistakesOf(question, parsed.data);
  const [first] = mistakes;
  if (!first) return { answer: parsed.data };
  const faults = listFaults(mistakes, ({ text }) => text);
  return { bad: { reason: first.reason, faults, repairable: true } };
}

/** Mistakes in an answer that matches its schema, first those in its entries. */
export function mistakesOf<Answer>(question: JudgeRequest<Answer>, answer: Answer): Mistake[] {
  const { turns } = mappingOf(answer);
  return [
    ...(question.turns && Array.isArray(turns) ? turnMistakes(turns, question.turns) : []),
    ...(question.mistakes?.(answer) ?? []),
  ];
}

function repairable(reason: AnswerReason, fault: string): Unusable {
  return { bad: { reason, faults: [fault], repairable: true } };
}

function unrepairable(reason: AnswerReason, fault: string): Unusable {
  return { bad: { reason, faults: [fault], repairable: false } };
}

function schemaFault(error: z.ZodError, json: unknown): BadAnswer {
  const [first] = error.issues;
  return {
    reason: first ? reasonOf(first, json) : 'wrong-type',
    faults: listFaults(error.issues, ({ path, message }) =>
      path.length === 0 ? `The answer: ${message}.` : `\`${path.join('.')}\`: ${message}.`,
    ),
    repairable: true,
  };
}

function listFaults<Wrong>(wrongs: readonly Wrong[], words: (wrong: Wrong) => string): string[] {
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

const THOUGHTS = /^\s*(?:<(think|thinking|thought|reasoning)>[\s\S]*?<\/\1>\s*)+/i;

/**
 * A thinking tag, or the start of an object, even if it isn't JSON: `{"a"`, `{'a'`, `{a:`. `{name}` doesn't match: it
 * is a word.
 */
const TAG_OR_OBJECT = /<\/?(?:think|thinking|thought|reasoning)>|\{(?=\s*(?:["'`“/}]|\w+\s*:))/gi;

/**
 * The only JSON object in a reply. Endpoints without structured output put thoughts, words, or a code fence around it.
 * Several objects (complete or not), or two values for a key, are ambiguous, because one of them may be a quote from
 * the agent.
 *
 * Here {as asked} it is: {"score": 1} I hope {this} helps.   →   {"score": 1}
 */
export function readObject(reply: ModelReply): { readonly object: object } | Unusable {
  const { finish, refusal, text } = reply;
  if (refusal !== undefined) {
    return unrepairable('refusal', `The model refused to answer: ${refusal}`);
  }
  if (finish === 'content-filter') {
    return unrepairable(finish, "The endpoint's content filter withheld the answer.");
  }
  if (finish === 'length') {
    const fault = 'The answer was cut off at the token limit. Raise `max_tokens`.';
    return unrepairable('cut-off', fault);
  }
  if (finish === 'error') {
    const fault = 'The endpoint reported an error in the middle of the answer.';
    return unrepairable('endpoint-error', fault);
  }
  if (text.trim() === '') return repairable('empty-answer', 'The answer was empty.');
  if (text.length > LIMITS.answer) {
    const fault = `The answer is longer than ${readable(LIMITS.answer)} characters.`;
    return unrepairable('malformed-json', fault);
  }
  const answer = text.replace(THOUGHTS, '');
  const whole = objectOf(answer);
  const [first, ...others] = whole ? [{ value: whole, text: answer }] : objectsIn(answer);
  if (!first?.value) return notJson(text);
  if (others.length > 0) {
    return repairable('several-answers', 'The answer holds more than one JSON object.');
  }
  if (entriesIn(first.value) > LIMITS.answerEntries) {
    const fault = `The lists of the answer have more than ${readable(LIMITS.answerEntries)} entries.`;
    return unrepairable('malformed-json', fault);
  }
  const key = repeatedKey(first.text);
  if (key === undefined) return { object: first.value };
  const fault = `The answer holds the key \`${visibleLine(key, 60)}\` twice in one object.`;
  return repairable('repeated-key', fault);
}

function notJson(text: string): Unusable {
  if (/[:[,]\s*(?:NaN|[+-]?Infinity)\b/.test(text)) {
    const fault = 'The answer holds NaN or Infinity where a number is needed.';
    return repairable('not-a-number', fault);
  }
  return repairable('malformed-json', 'The answer was not JSON.');
}

/**
 * The objects in an answer, up to the first one without a value, which is unfinished, isn't JSON, or may be a thought.
 */
function objectsIn(text: string): { readonly value: object | undefined; readonly text: string }[] {
  const found = [];
  let end = 0;
  for (const { 0: mark, index } of text.matchAll(TAG_OR_OBJECT)) {
    if (index < end) continue;
    // Some endpoints omit the tag that opens thoughts.
    if (mark.startsWith('</') && found.length === 0) continue;
    end = endOfObject(text, index);
    const piece = text.slice(index, end);
    const value = mark === '{' ? objectOf(piece) : undefined;
    found.push({ value, text: piece });
    if (!value) break;
  }
  return found;
}

function objectOf(text: string): object | undefined {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null ? value : undefined;
}

/** The number of entries in all lists in a value. Reporting mistakes in all of them would take too long. */
function entriesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? value.length : 0;
  return Object.values(value).reduce((sum, inner) => sum + entriesIn(inner), own);
}

/**
 * The end of the object that starts here, or of the text if the object is unfinished. Braces in strings don't count.
 */
function endOfObject(text: string, start: number): number {
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
  return text.length;
}

/**
 * A key that occurs twice in one of the objects in valid JSON, for which `JSON.parse` would keep only the last value.
 */
function repeatedKey(json: string): string | undefined {
  const open: Set<string>[] = [];
  for (const [token, name, colon] of json.matchAll(/("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}]/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (name !== undefined && colon !== undefined) {
      const key: string = JSON.parse(name);
      const keys = open.at(-1);
      if (keys?.has(key)) return key;
      keys?.add(key);
    }
  }
  return undefined;
}
