import { RE2JS } from 're2js';
import * as z from 'zod';
import { errorText } from '../../core/errors.ts';
import { ignoreCase, textAssertion } from '../shared/deterministic.ts';

export const regex = textAssertion({
  type: 'regex',
  summary: 'The replies match `pattern`.',
  docs: {
    asks: "Looks for a match of `pattern` in the assistant's text. The pattern uses RE2 syntax, which runs in linear time and supports neither lookarounds nor backreferences. `(?m)` and `(?s)` set flags.",
    score:
      '1 if the chosen turns together match, else 0; with `at: each`, turns that match ÷ chosen turns.',
    example: 'two of five replies match: 1, or 2 ÷ 5 = 0.4 with `at: each`.',
    yaml: `
      - type: regex
        pattern: 'order #\\d{5}'
    `,
  },
  params: z.strictObject({
    pattern: z
      .string()
      .min(1)
      .superRefine((pattern, context) => {
        const fault = faultOfPattern(pattern);
        if (fault) context.addIssue({ code: 'custom', message: fault, input: pattern });
      })
      .meta({ description: 'Regular expression in RE2 syntax.' }),
    ignore_case: ignoreCase,
  }),
  claim: ({ pattern }, found) => `${found ? 'matches' : 'does not match'} ${pattern}`,
  holds: (text, { pattern, ignore_case }) => findsPattern(text, pattern, ignore_case),
});

/** Recently compiled patterns, because each one is used for every turn of every case. */
const compiled = new Map<string, RE2JS>();
const MAX_COMPILED = 64;

export function findsPattern(text: string, pattern: string, ignoresCase = false): boolean {
  const key = `${ignoresCase} ${pattern}`;
  const known =
    compiled.get(key) ?? RE2JS.compile(pattern, ignoresCase ? RE2JS.CASE_INSENSITIVE : 0);
  // If a time limit interrupts the matcher, its state is unknown.
  compiled.delete(key);
  const found = known.matcher(text).find();
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  compiled.set(key, known);
  return found;
}

/** Why RE2 rejects the pattern; undefined if it accepts it. */
export function faultOfPattern(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return `This is not a valid RE2 regular expression: ${errorText(error)}. Lookarounds and backreferences are not supported.`;
  }
}
