import { parseJson } from '../core/data/data.ts';
import { LIMITS } from '../core/limits.ts';

/** Beginnings of an object that are tried: a text of braces alone must not take for ever. */
const MAX_TRIES = 20;

export type AnswerText =
  | { readonly kind: 'object'; readonly value: object }
  | { readonly kind: 'repeated-key'; readonly key: string }
  | { readonly kind: 'none' | 'several' | 'too-long' | 'too-many' };

/**
 * The one JSON object of a reply. Endpoints without structured output put thoughts, words or a code
 * fence around it. Which of several objects, or of two values of a key, was meant nobody can know.
 *
 *     Here {as asked} it is: {"score": 1} I hope {this} helps.   →   {"score": 1}
 */
export function readAnswerText(text: string): AnswerText {
  if (text.length > LIMITS.answer) return { kind: 'too-long' };
  const answer = text.replace(/^\s*<think>[\s\S]*?<\/think>/, '');
  const whole = objectOf(answer);
  const found = whole ? [{ value: whole, text: answer }] : objectsIn(answer);
  const [first, ...others] = found;
  if (!first) return { kind: 'none' };
  if (others.length > 0) return { kind: 'several' };
  if (entriesIn(first.value) > LIMITS.answerEntries) return { kind: 'too-many' };
  const key = repeatedKey(first.text);
  return key === undefined ? { kind: 'object', value: first.value } : { kind: 'repeated-key', key };
}

/** The balanced pieces of a text that are JSON. */
function objectsIn(text: string): { readonly value: object; readonly text: string }[] {
  const found: { readonly value: object; readonly text: string }[] = [];
  let start = text.indexOf('{');
  for (let tries = 0; start >= 0 && tries < MAX_TRIES; tries += 1) {
    const end = endOfObject(text, start);
    const piece = text.slice(start, end);
    const value = end === undefined ? undefined : objectOf(piece);
    if (value) found.push({ value, text: piece });
    start = text.indexOf('{', end ?? start + 1);
  }
  return found;
}

function objectOf(text: string): object | undefined {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null ? value : undefined;
}

/** Of all lists in a value. Each that is wrong would be told of, and none is cheap to tell of. */
function entriesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? value.length : 0;
  return Object.values(value).reduce((sum, inner) => sum + entriesIn(inner), own);
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

/** A key that an object in valid JSON has twice; `JSON.parse` would keep the last one. */
function repeatedKey(json: string): string | undefined {
  const open: Set<string>[] = [];
  for (const [token, name, colon] of json.matchAll(/("(?:[^"\\]+|\\.)*")(\s*:)?|[{}]/g)) {
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
