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
