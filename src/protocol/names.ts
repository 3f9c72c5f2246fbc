/** The extension's settings, without their `turnlight.` prefix. */
export const SECTION = 'turnlight';

export const SETTINGS = {
  judge: 'judge',
  concurrency: 'concurrency',
  timeout: 'timeout',
  maxCost: 'maxCost',
  cache: 'cache',
  tracesPort: 'traces.port',
  verdictMarks: 'verdictMarks',
  person: 'labels.person',
  trace: 'trace.server',
} as const;

export const LANGUAGE_ID = 'conversation-eval';

/** URI scheme of the documents that show a judge's request. */
export const JUDGE_REQUEST_SCHEME = 'turnlight-judge';

/** URI scheme of links to the documentation, such as `turnlight-docs:/reference/models.md#openai`. */
export const DOCS_SCHEME = 'turnlight-docs';

/** Commands in code lenses, with the file's URI and, for a case, its id; and in links to the documentation. */
export const COMMANDS = {
  runCase: 'turnlight.runCase',
  runFile: 'turnlight.runFile',
  openConversation: 'turnlight.openConversation',
  saveConversation: 'turnlight.saveConversation',
  judgeAgain: 'turnlight.judgeAgain',
  resume: 'turnlight.resume',
  talk: 'turnlight.talk',
  improveJudge: 'turnlight.improveJudge',
  openDocumentation: 'turnlight.openDocumentation',
} as const;

/**
 * Node flags of the server. Without them, the server would keep over a gigabyte of garbage in workspaces with many long
 * files.
 */
export const SERVER_FLAGS: readonly string[] = ['--max-old-space-size=768'];
