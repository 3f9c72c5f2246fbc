import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import * as z from 'zod';
import { errorText, unreachable } from '../../core/errors.ts';
import { NO_TIME_LIMIT, withTimeLimit } from '../../models/endpoint/timeLimit.ts';
import { notLoadedError, replyTimeoutError } from '../replyLimits.ts';
import { type OnText, TargetError } from '../target.ts';
import { exitText, ProgramLog } from './outputLines.ts';
import { PartialText } from './partialText.ts';
import { entryPoint, type Programs } from './programs.ts';

/** Pauses the program at startup until a debugger continues it. */
const WAIT_FOR_DEBUGGER = '--inspect-brk=127.0.0.1:0';

const LISTENING = /^Debugger listening on ws:\/\/127\.0\.0\.1:(\d+)\//m;

/** Resolves to the port that Node prints before it runs the program. */
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

const deltaSchema = z.object({ kind: z.literal('delta'), call: z.int(), text: z.string() });

const answerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('value'), call: z.int(), value: z.unknown() }),
  z.object({ kind: z.literal('error'), call: z.int(), message: z.string() }),
  z.object({ kind: z.literal('threw'), call: z.int(), message: z.string(), error: z.string() }),
  z.object({ kind: z.literal('too-long'), call: z.int(), message: z.string() }),
]);

type Answer = z.infer<typeof answerSchema>;

/** `message` includes the stack trace; `error` doesn't. */
export type Thrown = Extract<Answer, { kind: 'threw' }>;

const HOST = entryPoint('moduleHost.ts', 'module-host.js');

interface ModuleSetup {
  readonly programs: Programs;
  /** Absolute path of the module. */
  readonly file: string;
  readonly env: NodeJS.ProcessEnv;
  /** How error messages refer to the module. Default: `The target`. */
  readonly who?: string;
  /** Called with each line that the module prints. */
  readonly onOutput: (line: string) => void;
}

interface FunctionCall {
  readonly exported: string;
  readonly input: unknown;
  readonly about: object;
  /** Returns the call's result if the function throws. Default: an error. */
  readonly onThrow?: (thrown: Thrown) => unknown;
  /** Set if the function may report its reply in pieces. */
  readonly onText?: OnText | undefined;
}

/** User functions in their own process. */
export interface ModuleProcess {
  /**
   * Calls a function with `(input, {...about, signal, stream?})`; one call at a time.
   *
   * @param timeout milliseconds for the call, and the same again for loading before the first call; when the time is
   * up, the process ends
   * @throws TargetError; the signal's reason when aborted
   */
  call(called: FunctionCall, timeout: number, signal: AbortSignal): Promise<unknown>;
  /** The names of the module's functions. @throws as `call` */
  functions(timeout: number, signal: AbortSignal): Promise<readonly string[]>;
  /** Milliseconds that calls have waited for the module to load. */
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
    // Otherwise, the extension host's binary doesn't act as plain Node.
    env: { ...env, ELECTRON_RUN_AS_NODE: '1' },
  });
  const child = program.process;
  const printed = new ProgramLog(onOutput, program.scrubber);
  child.stdout?.on('data', (data: Buffer) => printed.add(data));
  child.stderr?.on('data', (data: Buffer) => printed.add(data));

  /** Number of the latest call. The number of loading is 0. */
  let latest = 0;
  let settle: ((answer: Answer | TargetError) => void) | undefined;
  let ended: TargetError | undefined;
  let partial = new PartialText(undefined);
  const hear = (delta: string) => {
    try {
      partial.add(delta);
    } catch (error) {
      if (error instanceof TargetError) settle?.(error);
    }
  };
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
    const delta = deltaSchema.safeParse(message).data;
    if (delta?.call === latest) return hear(delta.text);
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

  async function answered(called: FunctionCall): Promise<unknown> {
    const { exported, input, about, onThrow, onText } = called;
    latest += 1;
    partial = new PartialText(onText);
    const coming = next();
    if (!ended) child.send({ call: latest, exported, input, about, streams: Boolean(onText) });
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
