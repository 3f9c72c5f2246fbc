/** What a judge could say, in short: the recordings of the examples are written, not measured. */

type Entry = readonly [turn: number, rationale: string, evidence: string];

export const pass = (...[turn, rationale, evidence]: Entry) => ({
  turn,
  applicable: true,
  rationale,
  evidence,
  verdict: 'pass',
});

export const fail = (...entry: Entry) => ({ ...pass(...entry), verdict: 'fail' });

export const scored = (score: number, ...[turn, rationale, evidence]: Entry) => ({
  turn,
  applicable: true,
  rationale,
  evidence,
  score,
});

/** The answer to a question, by the name of its schema and words that only its request holds. */
export interface ExampleAnswer {
  readonly question: string;
  readonly about: readonly string[];
  readonly answer: object;
}
