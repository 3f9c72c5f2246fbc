import { fork } from 'node:child_process';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { toOpenaiChat } from '../dialects/toOpenaiChat.ts';
import { withDeadline } from './deadline.ts';
import { timeoutKey } from './keys.ts';
import { Lines } from './lines.ts';
import { readReply } from './reply.ts';
import { TargetError, type TargetType } from './target.ts';

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
  timeout: timeoutKey,
});

/** What the host process answers. */
const answerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready') }),
  z.object({ kind: z.literal('reply'), value: z.unknown() }),
  z.object({ kind: z.literal('error'), message: z.string() }),
]);

type Answer = z.infer<typeof answerSchema>;

/** Beside the bundle when built, beside the source in a checkout. */
const HOST = fileURLToPath(
  new URL(
    import.meta.url.endsWith('.ts') ? './moduleHost.ts' : './module-host.js',
    import.meta.url,
  ),
);

export const moduleTarget: TargetType = {
  type: 'module',
  summary: 'A function of yours in a .js, .mjs or .ts file',
  schema,
  async open(spec, host) {
    const params = schema.parse(spec.params);
    const file = resolve(spec.folder, params.path);
    const timeout = params.timeout ?? host.timeout;
    const child = fork(HOST, [file, params.export ?? 'default'], {
      cwd: dirname(file),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      serialization: 'json',
      execArgv: [],
      // The extension host's own binary is no plain Node without this.
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
    });
    const output = new Lines((line) => host.log.info(`[${spec.name}] ${line}`));
    child.stdout?.on('data', (data: Buffer) => output.add(data));
    child.stderr?.on('data', (data: Buffer) => output.add(data));

    let settle: ((answer: Answer | TargetError) => void) | undefined;
    let ended: TargetError | undefined;
    const end = (message: string) => {
      ended ??= new TargetError('target-crashed', message);
      settle?.(ended);
    };
    child.on('message', (message) => {
      const answer = answerSchema.safeParse(message);
      if (answer.success) settle?.(answer.data);
    });
    child.on('error', (error) => end(`The module's process failed: ${error.message}`));
    child.on('exit', (code, signal) => {
      const how = signal ? `was ended by ${signal}` : `exited with code ${code}`;
      end(`The module's process ${how} before it replied.${output.tail()}`);
    });
    const next = () =>
      new Promise<Answer>((done, fail) => {
        if (ended) return fail(ended);
        settle = (answer) => (answer instanceof TargetError ? fail(answer) : done(answer));
      });
    const ask = async (message: Record<string, unknown> | undefined, signal: AbortSignal) => {
      const answer = next();
      if (message && !ended) child.send(message);
      try {
        const given = await withDeadline(answer, timeout, signal);
        if (given.kind === 'error') throw new TargetError('target-error', given.message);
        return given;
      } catch (error) {
        child.kill('SIGKILL');
        throw error;
      }
    };
    const loaded = ask(undefined, new AbortController().signal);
    loaded.catch(() => {});
    return {
      async reply(messages, signal) {
        await withDeadline(loaded, timeout, signal);
        const input = {
          messages: messages.map(toOpenaiChat),
          case: host.caseId,
          context: host.context,
        };
        const answer = await ask(input, signal);
        return readReply(answer.kind === 'reply' ? answer.value : undefined);
      },
      async close() {
        child.kill('SIGKILL');
      },
    };
  },
};
