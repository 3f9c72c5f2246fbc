import { isAbsolute, resolve } from 'node:path';
import * as z from 'zod';
import { programKeys } from '../core/userCode.ts';
import { commonKeys } from './keys.ts';
import { CommandSession } from './programs/commandSession.ts';
import { environmentFor } from './programs/environment.ts';
import { programPath } from './programs/programPath.ts';
import type { TargetType } from './target.ts';

const schema = z.strictObject({
  type: z.literal('command').meta({
    description:
      'A program that speaks JSON lines, one process per conversation. It prints one line for each line it reads, logs to stderr, and exits when its input ends.',
  }),
  command: z.array(z.string().min(1)).min(1).meta({
    description: 'The program and its arguments, run without a shell.',
  }),
  cwd: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "Working folder. Default: this file's folder.", file: 'folder' }),
  ...programKeys,
  ...commonKeys,
});

export const commandTarget: TargetType = {
  type: 'command',
  summary: 'A program that speaks JSON lines over stdin and stdout',
  schema,
  repliesWithSystemTexts: true,
  keysDecide: false,
  files({ folder, params }) {
    const { command, cwd = '.' } = schema.parse(params);
    return command.filter((part) => !isAbsolute(part)).map((part) => resolve(folder, cwd, part));
  },
  async open({ name, folder, params: given }, host) {
    const params = schema.parse(given);
    const [program = '', ...args] = params.command;
    const cwd = resolve(folder, params.cwd ?? '.');
    const started = host.programs.start({
      program,
      args,
      cwd: await programPath(`The \`cwd\` of "${name}"`, cwd, 'folder', host.workspace),
      env: environmentFor(name, params, host),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    return new CommandSession(name, started, params.timeout ?? host.timeout, host);
  },
};
