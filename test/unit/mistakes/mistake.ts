/** A typical mistake in an eval file. */
export interface Mistake {
  readonly name: string;
  readonly before: string;
  /** Files next to the eval file, by path. */
  readonly beside?: Readonly<Record<string, string>>;
  /** All problems, as `line:column message`. */
  readonly problems: readonly string[];
  /** The fix, which leads to a valid file. */
  readonly fix?: {
    readonly title: string;
    /** Parts of the text that the fix changes, and what it changes them to. */
    readonly changes: readonly (readonly [before: string, after: string])[];
  };
}

export const TRANSCRIPT = `    transcript:
      - user: Where is my order?
      - assistant: It ships tomorrow.
`;

export const ASSERT = `    assert:
      - The reply is friendly.
`;

/** A file with one case, and its lines after the id. */
export function caseOf(lines: string, top = ''): string {
  return `${top}cases:\n  - id: one\n${lines}`;
}

/** A case with a recorded conversation. @param assertion the lines of an assertion, without indentation */
export function asserting(assertion: string): string {
  const [first, ...others] = assertion.split('\n');
  const lines = [`      - ${first}`, ...others.map((line) => `        ${line}`)];
  return caseOf(`${TRANSCRIPT}    assert:\n${lines.join('\n')}\n`);
}

/** A case that calls a target. @param turns the lines of the turns */
export function calling(turns: string): string {
  return caseOf(`    turns:\n${turns}${ASSERT}`, TARGET);
}

export const TARGET = `targets:
  bot:
    type: module
    path: ./bot.mjs
target: bot
`;
