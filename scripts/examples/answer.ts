/** What a judge could say, in short: the recordings of the examples are written, not measured. */

type Entry = readonly [turn: number, rationale: string, evidence: string];

const entry = (...[turn, rationale, evidence]: Entry) => ({
  turn,
  applicable: true,
  rationale,
  evidence,
});

export const pass = (...given: Entry) => ({ ...entry(...given), verdict: 'pass' });

export const fail = (...given: Entry) => ({ ...entry(...given), verdict: 'fail' });

export const scored = (score: number, ...given: Entry) => ({ ...entry(...given), score });

/** A turn that bears on the answer to a node of a decision graph. */
export const bearing = entry;

/** A turn that the question has no bearing on. */
export const away = (turn: number, rationale: string) => ({
  turn,
  applicable: false,
  rationale,
  evidence: '',
  verdict: 'pass',
});

/** A turn taken apart into claims, each of which holds or does not. */
export const claims = (given: Entry, list: Readonly<Record<string, boolean>>) => ({
  ...entry(...given),
  claims: Object.entries(list).map(([claim, holds]) => ({ claim, holds })),
});

/** A turn that uses tools; `given` is null where it calls none. */
export const uses = (selection: number, given: number | null, ...said: Entry) => ({
  ...entry(...said),
  selection,
  arguments: given,
});

/** The answer to a question, by the name of its schema and words that only its request holds. */
export interface ExampleAnswer {
  readonly question: string;
  readonly about: readonly string[];
  /** A list answers the same request, asked again, one after the other. */
  readonly answer: object | readonly object[];
  /** What else the judge might have written for `score`, with its probability, itself included. */
  readonly probabilities?: Readonly<Record<string, number>>;
}
