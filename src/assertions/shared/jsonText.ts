import * as z from 'zod';
import { isTooDeep } from '../../core/data/data.ts';

export type ReadJson =
  | { readonly valid: true; readonly value: unknown }
  /** `wrong` is to be read after `Turn 4: `. */
  | { readonly valid: false; readonly wrong: string };

export const fencedJson = z
  .boolean()
  .default(false)
  .meta({ description: 'If true, also accept JSON inside one ```json code fence.' });

const FENCE = /^```json[ \t]*\r?\n([\s\S]*?)\r?\n[ \t]*```$/i;

/** Reads a text that is one JSON value with nothing but white space around it. */
export function readJson(text: string, fenced: boolean): ReadJson {
  const whole = text.trim();
  const body = (fenced && FENCE.exec(whole)?.[1]) || whole;
  if (body === '') return { valid: false, wrong: 'is not JSON: there is no text' };
  if (isTooDeep(body)) return { valid: false, wrong: 'is JSON nested too deep to be read' };
  try {
    return { valid: true, value: JSON.parse(body) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { valid: false, wrong: `is not JSON: ${error.message}` };
  }
}
