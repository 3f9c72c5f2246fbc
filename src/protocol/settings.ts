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

/** The conversation view's type, by which VS Code brings it back after a reload. */
export const VIEW_TYPE = 'turnlight.conversation';

/** The same of the results of a run. */
export const RESULTS_VIEW_TYPE = 'turnlight.results';

/** The same of the trends of runs. */
export const TRENDS_VIEW_TYPE = 'turnlight.trends';

/** The scheme of documents that show what a judge was asked. */
export const JUDGE_REQUEST = 'turnlight-judge';

/** The same of the agreement of judges with people. */
export const AGREEMENT_VIEW_TYPE = 'turnlight.agreement';

/** The same of the labelling mode. */
export const LABELLING_VIEW_TYPE = 'turnlight.labelling';
