/** The extension's settings, without their `turnlight.` prefix. */
export const SECTION = 'turnlight';

export const SETTINGS = {
  judge: 'judge',
  concurrency: 'concurrency',
  timeout: 'timeout',
  maxCost: 'maxCost',
  cache: 'cache',
  verdictMarks: 'verdictMarks',
  person: 'labels.person',
  trace: 'trace.server',
} as const;

export const LANGUAGE_ID = 'conversation-eval';

/** The scheme of documents that show what a judge was asked. */
export const JUDGE_REQUEST = 'turnlight-judge';
