import { isMapping } from '../../core/data/data.ts';
import type { Logger } from '../../core/logger.ts';
import type { Message } from '../../core/message.ts';
import { withTimeLimit } from '../../models/endpoint/timeLimit.ts';
import { readReply } from '../reply.ts';
import { checkLength, replyTimeoutError } from '../replyLimits.ts';
import {
  type OnText,
  QuotingError,
  TargetError,
  type TargetHost,
  type TargetReply,
  type TargetSession,
} from '../target.ts';
import { type CommandSetup, programRequest } from './commandSession.ts';
import { LineProgram, type PendingAnswer, parseLine, unrequestedLineError } from './lineProgram.ts';
import { deltaOf, PartialText } from './partialText.ts';
import type { Program, Programs } from './programs.ts';

interface PendingReply extends PendingAnswer<object> {
  readonly partial: PartialText;
}

/** A process that serves many conversations at the same time. Each answer repeats its request's `id`. */
class WorkerProcess {
  readonly #program: LineProgram;
  readonly #waiting = new Map<number, PendingReply>();
  /** Requests that timed out or were canceled; their answers are ignored. */
  readonly #abandoned = new Set<number>();
  #latest = 0;
  #slowest = 0;
  /** The log of the latest conversation. */
  log: Logger | undefined;

  constructor({ name, ready }: CommandSetup, program: Program) {
    this.#program = new LineProgram({
      program,
      saysReady: ready,
      isSingleConversation: false,
      onLine: (line) => this.#onLine(line),
      onFailure: (why) => {
        for (const { fail } of this.#waiting.values()) fail(why);
        this.#waiting.clear();
        void this.#program.kill();
      },
      onOutput: (line) => this.log?.info(`[${name}] ${line}`),
    });
  }

  get failure(): TargetError | undefined {
    return this.#program.failure;
  }

  async whenReady(timeout: number, signal: AbortSignal): Promise<number> {
    try {
      return await this.#program.whenReady(timeout, signal);
    } catch (error) {
      // The next conversation will get a new process.
      if (error instanceof TargetError) this.#program.fail(error);
      throw error;
    }
  }

  /** @returns the answer without its `id` */
  async ask(
    request: object,
    timeout: number,
    signal: AbortSignal,
    onText: OnText | undefined,
  ): Promise<object> {
    if (this.failure) throw this.failure;
    this.#latest += 1;
    const id = this.#latest;
    const began = performance.now();
    const answered = new Promise<object>((done, fail) => {
      this.#waiting.set(id, { done, fail, partial: new PartialText(onText) });
    });
    this.#program.send({ id, ...request });
    try {
      return await withTimeLimit(() => answered, timeout, signal, replyTimeoutError());
    } catch (error) {
      if (this.#waiting.delete(id)) this.#abandoned.add(id);
      throw error;
    } finally {
      this.#slowest = Math.max(this.#slowest, performance.now() - began);
    }
  }

  endConversation(conversation: string): void {
    if (!this.failure) this.#program.send({ end: conversation });
  }

  async close(): Promise<void> {
    const isIdle = this.#waiting.size === 0 && !this.failure;
    if (isIdle) await this.#program.close(this.#slowest, new AbortController().signal);
    else await this.#program.kill();
  }

  #onLine(line: string): void {
    if (this.#program.isClosing) {
      this.#program.log(line);
      return;
    }
    let answer: unknown;
    try {
      answer = parseLine(line);
    } catch (error) {
      if (error instanceof TargetError) this.#program.fail(error);
      return;
    }
    if (!isMapping(answer) || typeof answer.id !== 'number') {
      const why = unrequestedLineError(line);
      const rule = "A worker's answer must repeat the `id` of its request.";
      this.#program.fail(why.extend((message) => `${rule} ${message}`));
      return;
    }
    const { id, ...rest } = answer;
    const waiting = this.#waiting.get(id);
    const delta = deltaOf(rest);
    if (delta !== undefined && (waiting || this.#abandoned.has(id))) {
      this.#hear(id, delta);
    } else if (waiting) {
      this.#waiting.delete(id);
      waiting.done(rest);
    } else if (!this.#abandoned.delete(id)) {
      this.#program.fail(unrequestedLineError(line));
    }
  }

  /** Fails only this reply if it is too long. */
  #hear(id: number, delta: string): void {
    const waiting = this.#waiting.get(id);
    try {
      waiting?.partial.add(delta);
    } catch (error) {
      this.#waiting.delete(id);
      this.#abandoned.add(id);
      if (error instanceof TargetError) waiting?.fail(error);
    }
  }
}

/** Returns a target's running process, and replaces it if it has failed. */
type Worker = () => WorkerProcess;

/** Workers by run and target. */
const workers = new WeakMap<Programs, Map<string, Worker>>();

/** A run's shared worker. @param key identifies the target */
export function workerOf(
  key: string,
  setup: CommandSetup,
  programs: Programs,
  start: () => Program,
): Worker {
  const known = workers.get(programs) ?? new Map<string, Worker>();
  workers.set(programs, known);
  const found = known.get(key);
  if (found) return found;
  let current: WorkerProcess | undefined;
  const worker = () => {
    if (!current || current.failure) current = new WorkerProcess(setup, start());
    return current;
  };
  known.set(key, worker);
  programs.beforeClose(async () => current?.close());
  return worker;
}

/** One of a worker's conversations. It stays with its process, because another one wouldn't know the conversation. */
export class WorkerSession implements TargetSession {
  readonly #worker: Worker;
  readonly #timeout: number;
  readonly #host: TargetHost;
  #process: WorkerProcess | undefined;
  #startup = 0;
  #length = 0;

  /** @param timeout milliseconds per reply */
  constructor(worker: Worker, timeout: number, host: TargetHost) {
    this.#worker = worker;
    this.#timeout = timeout;
    this.#host = host;
  }

  async reply(
    messages: readonly Message[],
    signal: AbortSignal,
    onText?: OnText,
  ): Promise<TargetReply> {
    signal.throwIfAborted();
    const running = this.#process ?? this.#worker();
    this.#process = running;
    running.log = this.#host.log;
    this.#startup += await running.whenReady(this.#timeout, signal);
    const request = programRequest(messages, this.#host, onText !== undefined);
    const answer = await running.ask(request, this.#timeout, signal, onText);
    const size = JSON.stringify(answer).length;
    this.#length += size;
    checkLength(size, this.#length);
    if ('error' in answer) throw failureOf(answer.error);
    return readReply(answer, messages);
  }

  readonly startup = () => this.#startup;
  readonly waited = this.startup;

  async close(): Promise<void> {
    this.#process?.endConversation(this.#host.conversationId);
  }
}

/** Maximum number of characters. The end of a stack trace is the most useful part. */
const MAX_FAILURE = 2_000;

function failureOf(error: unknown): TargetError {
  const text = typeof error === 'string' ? error : (JSON.stringify(error) ?? '');
  return new QuotingError(
    'target-error',
    (quote) => `The program failed: ${quote(text, (clean) => clean.slice(-MAX_FAILURE))}`,
  );
}
