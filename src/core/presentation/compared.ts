import type { ComparedOutcome } from '../compared.ts';

/** A sign and a word, so that nothing relies on colour. */
export const OUTCOME_ICONS: Readonly<Record<ComparedOutcome, string>> = {
  worse: '↓',
  better: '↑',
  undecided: '?',
  unchanged: '=',
  new: '+',
  gone: '−',
};

export const OUTCOME_WORDS: Readonly<Record<ComparedOutcome, string>> = {
  worse: 'worse',
  better: 'better',
  undecided: 'could not be judged in one of the runs, or did not apply',
  unchanged: 'unchanged',
  new: 'only in the second run',
  gone: 'only in the first run',
};
