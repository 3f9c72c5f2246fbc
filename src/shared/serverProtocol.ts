import * as z from 'zod';

/** What the language server and its client say beyond LSP. Each message is parsed on arrival. */

/** Client → server: a run appended to its record; verdicts shown must be read again. */
export const RECORDS_CHANGED = 'turnlight/recordsChanged';

/** Commands that the server's code lenses name and the client carries out. */
export const COMMANDS = {
  runCase: 'turnlight.runCase',
  runFile: 'turnlight.runFile',
  openConversation: 'turnlight.openConversation',
} as const;

/** Arguments of `runCase` and `openConversation`: the file's URI and the case's id. */
export const caseArgumentsSchema = z.tuple([z.string(), z.string()]);
/** Arguments of `runFile`. */
export const fileArgumentsSchema = z.tuple([z.string()]);
