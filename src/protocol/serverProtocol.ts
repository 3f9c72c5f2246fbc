/**
 * Commands that the server's code lenses name and the client carries out. Arguments: the file's URI,
 * and for a case its id.
 */
export const COMMANDS = {
  runCase: 'turnlight.runCase',
  runFile: 'turnlight.runFile',
  openConversation: 'turnlight.openConversation',
} as const;
