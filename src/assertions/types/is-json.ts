import * as z from 'zod';
import { type Turn, textOf } from '../../core/conversation.ts';
import { isTooDeep } from '../../core/data/data.ts';
import type { AssertionInput } from '../contract.ts';
import { checkTurns } from '../shared/deterministic.ts';
import { deterministicType } from '../shared/kinds.ts';

type ReadJson =
  | { readonly valid: true; readonly value: unknown }
  /** `wrong` is the text that follows `Turn 4: `. */
  | { readonly valid: false; readonly wrong: string };

export const fencedJson = z
  .boolean()
  .default(false)
  .meta({ description: 'If true, also accept JSON inside one ```json code fence.' });

const FENCE = /^```json[ \t]*\r?\n([\s\S]*?)\r?\n[ \t]*```$/i;

/** Parses text that consists of a single JSON value, optionally surrounded by white space. */
export function readJson(
  text: string,
  fenced: boolean,
  scrub: AssertionInput['scrub'] = String,
): ReadJson {
  const whole = text.trim();
  const body = (fenced && FENCE.exec(whole)?.[1]) || whole;
  if (body === '') return { valid: false, wrong: 'is not JSON: there is no text' };
  if (isTooDeep(body)) return { valid: false, wrong: 'is nested too deeply to be read as JSON' };
  try {
    return { valid: true, value: JSON.parse(body) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // The error message quotes part of the text, which could be part of a secret.
    const why = scrub(body) === body ? `: ${error.message}` : '';
    return { valid: false, wrong: `is not JSON${why}` };
  }
}

const params = z.strictObject({ fenced: fencedJson });

export const isJson = deterministicType({
  type: 'is-json',
  summary: 'Each chosen reply is one JSON value and nothing else.',
  docs: {
    asks: "Parses the text of each chosen turn as JSON. White space around it is allowed; other text isn't. With `fenced: true`, the JSON may be in a ```json code fence.",
    score: 'turns that are JSON ÷ chosen turns.',
    example: 'one of three replies starts with "Here you are:": 2 ÷ 3 = 0.67.',
    yaml: `
      - type: is-json
        fenced: true
        at: last
    `,
  },
  params,
  check(input, { fenced }) {
    const checkTurn = (turn: Turn) => {
      const read = readJson(textOf(turn), fenced, input.scrub);
      return { holds: read.valid, rationale: read.valid ? 'is JSON' : read.wrong };
    };
    const claim = (found: boolean) => (found ? 'is JSON' : 'is not JSON');
    return checkTurns(input, checkTurn, { claim });
  },
});
