/** How a case can differ from what was recorded of it, told to whoever reads the record. */
export const CHANGES = {
  case: 'The case has changed since this run.',
  input: 'What the case reads has changed since this run: its data, what was said, or its target.',
  questions: 'Its assertions have changed since this run.',
  gone: 'This conversation is not in its file any more.',
} as const;

export type Change = keyof typeof CHANGES;
