import { resolve } from 'node:path';
import * as z from 'zod';
import { programKeys } from '../core/userCode.ts';
import { toOpenaiChat } from '../messages/openaiChat.ts';
import { commonKeys, traceKeys } from './keys.ts';
import { type ModuleProcess, openModule } from './programs/moduleProcess.ts';
import { environmentFor, type ProgramVariables, programPath } from './programs/programSetup.ts';
import { readReply } from './reply.ts';
import { conversationFactsOf, TargetError, type TargetHost, type TargetType } from './target.ts';

const schema = z.strictObject({
  type: z.literal('module').describe('Your function, in its own process.'),
  path: z
    .string()
    .min(1)
    .meta({ description: 'A `.js`, `.mjs` or `.ts` file, relative to this one.', file: 'module' }),
  export: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'Name of the export.', default: 'default' }),
  ...programKeys,
  ...traceKeys,
  ...commonKeys,
});

export const moduleTarget: TargetType = {
  type: 'module',
  summary: 'Your function in a .js, .mjs or .ts file',
  schema,
  repliesWithSystemTexts: true,
  keysDecide: false,
  files: ({ folder, params }) => [resolve(folder, String(params.path))],
  async open({ name, folder, params: given }, host) {
    const params = schema.parse(given);
    const { path, export: exported = 'default', timeout = host.timeout } = params;
    const file = resolve(folder, path);
    const module = await openTargetModule(name, `The \`path\` of "${name}"`, file, params, host);
    return {
      async reply(messages, signal, onText) {
        const input = messages.map(toOpenaiChat);
        const about = conversationFactsOf(host);
        const answer = await module.call({ exported, input, about, onText }, timeout, signal);
        if (answer === null) {
          const why = `The function "${exported}" of ${file} returned nothing. Return the reply, for example as a string.`;
          throw new TargetError('target-malformed-reply', why);
        }
        return readReply(answer, messages);
      },
      startup: () => module.startup(),
      waited: () => module.startup(),
      close: () => module.close(),
    };
  },
};

/** Starts a target's user functions. @param what how error messages refer to the file @throws TargetError */
export async function openTargetModule(
  target: string,
  what: string,
  path: string,
  variables: ProgramVariables,
  host: TargetHost,
): Promise<ModuleProcess> {
  return openModule({
    programs: host.programs,
    file: await programPath(what, path, 'file', host.workspace),
    env: environmentFor(target, variables, host),
    onOutput: (line) => host.log.info(`[${target}] ${line}`),
  });
}
