import { isAbsolute, resolve } from 'node:path';
import * as z from 'zod';
import { programKeys } from '../core/userCode.ts';
import { canonicalJson } from '../node/hashes.ts';
import { commonKeys, traceKeys } from './keys.ts';
import { CommandSession } from './programs/commandSession.ts';
import { WorkerSession, workerOf } from './programs/commandWorker.ts';
import { environmentFor, programPath } from './programs/programSetup.ts';
import type { TargetType } from './target.ts';

const schema = z.strictObject({
  type: z.literal('command').meta({
    description:
      'A program that speaks JSON lines, one process per conversation unless it is a `worker`. It prints one line for each line it reads, logs to stderr, and exits when its input ends.',
  }),
  command: z.array(z.string().min(1)).min(1).meta({
    description: 'The program and its arguments, run without a shell.',
  }),
  cwd: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "Working folder. Default: this file's folder.", file: 'folder' }),
  ready: z.boolean().optional().meta({
    description:
      'Whether the program prints `{"ready":true}` once it can reply. The time of the first reply is measured from then on; the startup time is recorded separately.',
    default: false,
  }),
  worker: z.boolean().optional().meta({
    description:
      'Whether one process serves all conversations of a run concurrently. Each request has an `id`, which its answer must repeat; `{"end": "…"}` names a `conversation` that has ended.',
    default: false,
  }),
  ...programKeys,
  ...traceKeys,
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
    const start = {
      program,
      args,
      cwd: await programPath(`The \`cwd\` of "${name}"`, cwd, 'folder', host.workspace),
      env: environmentFor(name, params, host),
      stdio: 'pipe' as const,
    };
    const { timeout = host.timeout, ready = false, worker = false } = params;
    const setup = { name, timeout, ready };
    const run = () => host.programs.start(start);
    if (!worker) return new CommandSession(setup, run(), host);
    const key = canonicalJson({ name, params, cwd: start.cwd });
    return new WorkerSession(workerOf(key, setup, host.programs, run), timeout, host);
  },
};
