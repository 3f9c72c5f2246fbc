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

/** URI scheme of the documents that show a judge's request. */
export const JUDGE_REQUEST_SCHEME = 'turnlight-judge';

/** Commands that code lenses run. Arguments: the file's URI and, for a case, its id. */
export const COMMANDS = {
  runCase: 'turnlight.runCase',
  runFile: 'turnlight.runFile',
  openConversation: 'turnlight.openConversation',
  saveConversation: 'turnlight.saveConversation',
  judgeAgain: 'turnlight.judgeAgain',
  resume: 'turnlight.resume',
  improveJudge: 'turnlight.improveJudge',
} as const;

/** Node flags of the server. In workspaces with many long files, it would otherwise keep over a gigabyte of garbage. */
export const SERVER_FLAGS: readonly string[] = ['--max-old-space-size=768'];
