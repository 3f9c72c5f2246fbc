import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import * as z from 'zod';
import { errorText, unreachable } from '../../core/errors.ts';
import { NO_TIME_LIMIT, withTimeLimit } from '../../models/endpoint/timeLimit.ts';
import { notLoadedError, replyTimeoutError } from '../replyLimits.ts';
import { TargetError } from '../target.ts';
import { exitText, ProgramLog } from './outputLines.ts';
import { entryPoint, type Programs } from './programs.ts';

/** Pauses the program at startup until a debugger continues it. */
const WAIT_FOR_DEBUGGER = '--inspect-brk=127.0.0.1:0';

const LISTENING = /^Debugger listening on ws:\/\/127\.0\.0\.1:(\d+)\//m;

/** Resolves with the port that Node prints before it runs the program. */
function inspectorPort(stderr: Readable): Promise<number> {
  return new Promise((found) => {
    let text = '';
    const read = (data: Buffer) => {
      text += String(data);
      const port = LISTENING.exec(text)?.[1];
      if (port === undefined) return;
      stderr.off('data', read);
      found(Number(port));
    };
    stderr.on('data', read);
  });
}

const answerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('value'), call: z.int(), value: z.unknown() }),
  z.object({ kind: z.literal('error'), call: z.int(), message: z.string() }),
  z.object({ kind: z.literal('threw'), call: z.int(), message: z.string(), error: z.string() }),
  z.object({ kind: z.literal('too-long'), call: z.int(), message: z.string() }),
]);

type Answer = z.infer<typeof answerSchema>;

/** `message` includes the stack, `error` doesn't. */
export type Thrown = Extract<Answer, { kind: 'threw' }>;

const HOST = entryPoint('moduleHost.ts', 'module-host.js');

interface ModuleSetup {
  readonly programs: Programs;
  /** Absolute. */
  readonly file: string;
  readonly env: NodeJS.ProcessEnv;
  /** What errors call the module. Default: `The target`. */
  readonly who?: string;
  /** Called with each line that it prints. */
  readonly onOutput: (line: string) => void;
}

interface FunctionCall {
  readonly exported: string;
  readonly input: unknown;
  readonly about: object;
  /** The call's result if the function throws. Default: an error. */
  readonly onThrow?: (thrown: Thrown) => unknown;
}

/** User functions in their own process. */
export interface ModuleProcess {
  /**
   * Calls a function with `(input, {...about, signal})`; one call at a time.
   *
   * @param timeout milliseconds, and the same again for loading before the first call; the process ends after that
   * @throws TargetError; the signal's reason when aborted
   */
  call(called: FunctionCall, timeout: number, signal: AbortSignal): Promise<unknown>;
  /** The names of its functions. @throws as `call` */
  functions(timeout: number, signal: AbortSignal): Promise<readonly string[]>;
  /** Milliseconds that calls have waited for it to load. */
  startup(): number;
  close(): Promise<void>;
}

export function openModule({ programs, file, env, who, onOutput }: ModuleSetup): ModuleProcess {
  const { attach } = programs;
  const program = programs.start({
    program: process.execPath,
    args: [...(attach ? [WAIT_FOR_DEBUGGER] : []), HOST, file],
    cwd: dirname(file),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // Otherwise, the extension host's binary isn't plain Node.
    env: { ...env, ELECTRON_RUN_AS_NODE: '1' },
  });
  const child = program.process;
  const printed = new ProgramLog(onOutput, program.scrubber);
  child.stdout?.on('data', (data: Buffer) => printed.add(data));
  child.stderr?.on('data', (data: Buffer) => printed.add(data));

  /** Number of the latest call; loading is 0. */
  let latest = 0;
  let settle: ((answer: Answer | TargetError) => void) | undefined;
  let ended: TargetError | undefined;
  const end = (message: string) => {
    ended ??= new TargetError('target-crashed', message);
    settle?.(ended);
  };
  if (attach && child.stderr) {
    void inspectorPort(child.stderr)
      .then(attach)
      .catch((error: unknown) => {
        end(`The debugger could not be attached: ${errorText(error)}`);
        void program.end();
      });
  }
  child.on('message', (message) => {
    const answer = answerSchema.safeParse(message).data;
    if (answer?.call === latest) settle?.(answer);
  });
  child.on('error', (error) => end(`The module's process failed: ${error.message}`));
  child.on('exit', (code, signal) => {
    end(`The module's process ${exitText(code, signal)} before it replied.${printed.tail()}`);
  });
  const next = () =>
    new Promise<Answer>((done, fail) => {
      if (ended) return fail(ended);
      settle = (answer) => (answer instanceof TargetError ? fail(answer) : done(answer));
    });
  const loaded = next();
  loaded.catch(() => {});

  async function answered({ exported, input, about, onThrow }: FunctionCall): Promise<unknown> {
    latest += 1;
    const coming = next();
    if (!ended) child.send({ call: latest, exported, input, about });
    const answer = await coming;
    return answer.kind === 'threw' && onThrow ? onThrow(answer) : contentOf(answer);
  }

  let isLoaded = false;
  let startup = 0;

  async function load(timeout: number, signal: AbortSignal): Promise<unknown> {
    const began = performance.now();
    const content = contentOf(await withTimeLimit(() => loaded, timeout, signal, notLoadedError));
    if (!isLoaded) startup += performance.now() - began;
    isLoaded = true;
    return content;
  }

  async function endOnError<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      await program.end();
      throw error;
    }
  }

  return {
    call: (called, timeout, signal) =>
      endOnError(async () => {
        const limit = attach ? NO_TIME_LIMIT : timeout;
        await load(limit, signal);
        return withTimeLimit(() => answered(called), limit, signal, replyTimeoutError(who));
      }),
    functions: (timeout, signal) =>
      endOnError(async () =>
        z.array(z.string()).parse(await load(attach ? NO_TIME_LIMIT : timeout, signal)),
      ),
    startup: () => startup,
    close: () => program.end(),
  };
}

function contentOf(answer: Answer): unknown {
  switch (answer.kind) {
    case 'value':
      return answer.value;
    case 'error':
    case 'threw':
      throw new TargetError('target-error', answer.message);
    case 'too-long':
      throw new TargetError('target-too-much-output', answer.message);
    default:
      return unreachable(answer);
  }
}
