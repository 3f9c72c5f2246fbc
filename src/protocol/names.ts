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

export const EVAL_GLOB = '**/*.eval.{yaml,yml}';
export const MESSAGES_GLOB = '**/*.messages.{json,jsonl,yaml,yml}';

/** @param name of a file: its path or its address */
export function isEvalFile(name: string): boolean {
  return /\.eval\.ya?ml$/.test(name);
}

/** As `isEvalFile`, of a file of messages, whoever refers to it. */
export function isMessagesFile(name: string): boolean {
  return /\.messages\.(?:jsonl?|ya?ml)$/i.test(name);
}

/**
 * Commands that the server's code lenses name and the client carries out. Arguments: the file's URI,
 * and for a case its id.
 */
export const COMMANDS = {
  runCase: 'turnlight.runCase',
  runFile: 'turnlight.runFile',
  openConversation: 'turnlight.openConversation',
  saveConversation: 'turnlight.saveConversation',
  judgeAgain: 'turnlight.judgeAgain',
  resume: 'turnlight.resume',
  improveJudge: 'turnlight.improveJudge',
} as const;

/**
 * Flags for the server's process. Without a limit Node keeps over a gigabyte of what nobody needs any more
 * where a workspace is full of long files; with it, it collects that sooner.
 */
export const SERVER_FLAGS: readonly string[] = ['--max-old-space-size=768'];
