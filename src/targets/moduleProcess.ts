import { fork } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { withDeadline } from './deadline.ts';
import { Lines } from './lines.ts';
import { TargetError } from './target.ts';

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

export interface ModuleSetup {
  /** Absolute. */
  readonly file: string;
  readonly exported: string;
  /** What it prints, line by line. */
  readonly onOutput: (line: string) => void;
}

/** A function of the user's in a process of its own. */
export interface ModuleProcess {
  /**
   * Calls it with `(input, {...about, signal})`; one call at a time.
   *
   * @param timeout milliseconds, loading included; the process is ended when it is passed
   * @throws TargetError; the signal's reason when aborted
   */
  call(input: unknown, about: object, timeout: number, signal: AbortSignal): Promise<unknown>;
  close(): void;
}

export function openModule({ file, exported, onOutput }: ModuleSetup): ModuleProcess {
  const child = fork(HOST, [file, exported], {
    cwd: dirname(file),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    serialization: 'json',
    execArgv: [],
    // The extension host's own binary is no plain Node without this.
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
  });
  const output = new Lines(onOutput);
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
  const loaded = next();
  loaded.catch(() => {});

  async function within(work: Promise<Answer>, timeout: number, signal: AbortSignal) {
    try {
      const given = await withDeadline(work, timeout, signal);
      if (given.kind === 'error') throw new TargetError('target-error', given.message);
      return given;
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  return {
    async call(input, about, timeout, signal) {
      await within(loaded, timeout, signal);
      const answer = next();
      if (!ended) child.send({ input, about });
      const given = await within(answer, timeout, signal);
      return given.kind === 'reply' ? given.value : undefined;
    },
    close() {
      child.kill('SIGKILL');
    },
  };
}
