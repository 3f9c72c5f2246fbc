import { resolve } from 'node:path';
import * as z from 'zod';
import { toOpenaiChat } from '../messages/toOpenaiChat.ts';
import { commonKeys } from './keys.ts';
import { openModule } from './moduleProcess.ts';
import { readReply } from './reply.ts';
import type { TargetType } from './target.ts';

const schema = z.strictObject({
  type: z.literal('module').meta({ description: 'A function of yours, in a process of its own.' }),
  path: z
    .string()
    .min(1)
    .meta({ description: 'A `.js`, `.mjs` or `.ts` file, relative to this one.' }),
  export: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'Name of the export; `default` unless given.' }),
  ...commonKeys,
});

export const moduleTarget: TargetType = {
  type: 'module',
  summary: 'A function of yours in a .js, .mjs or .ts file',
  schema,
  repliesWithSystemTexts: true,
  keysDecide: false,
  files: ({ folder, params }) => [resolve(folder, String(params.path))],
  async open(spec, host) {
    const params = schema.parse(spec.params);
    const timeout = params.timeout ?? host.timeout;
    const module = openModule({
      file: resolve(spec.folder, params.path),
      exported: params.export ?? 'default',
      onOutput: (line) => host.log.info(`[${spec.name}] ${line}`),
    });
    return {
      async reply(messages, signal) {
        const about = { case: host.caseId, context: host.context };
        return readReply(await module.call(messages.map(toOpenaiChat), about, timeout, signal));
      },
      async close() {
        module.close();
      },
    };
  },
};
