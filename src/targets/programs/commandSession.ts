import { setImmediate } from 'node:timers/promises';
import { parseJson } from '../../core/data/data.ts';
import type { Message } from '../../core/message.ts';
import { toOpenaiChat } from '../../messages/openaiChat.ts';
import { withTimeLimit } from '../../models/endpoint/timeLimit.ts';
import { readReply } from '../reply.ts';
import { replyTimeoutError } from '../replyLimits.ts';
import {
  conversationFactsOf,
  type OnText,
  TargetError,
  type TargetHost,
  type TargetReply,
  type TargetSession,
} from '../target.ts';
import { LineProgram, type PendingAnswer, parseLine, unrequestedLineError } from './lineProgram.ts';
import { deltaOf, PartialText } from './partialText.ts';
import type { Program } from './programs.ts';

export interface CommandSetup {
  readonly name: string;
  /** Milliseconds for each reply, and for the program to get ready. */
  readonly timeout: number;
  /** Whether the program reports when it is ready. */
  readonly ready: boolean;
}

/** @param streams whether the program may print its reply in pieces first */
export function programRequest(
  messages: readonly Message[],
  host: TargetHost,
  streams: boolean,
): object {
  const stream = streams && { stream: true };
  return { messages: messages.map(toOpenaiChat), ...conversationFactsOf(host), ...stream };
}

/**
 * A conversation with a program that prints one line per request. An unrequested line is an error, even if it is
 * noticed late, because every later line could then answer the wrong request.
 */
export class CommandSession implements TargetSession {
  readonly #program: LineProgram;
  readonly #timeout: number;
  readonly #host: TargetHost;
  #waiting: PendingAnswer<string> | undefined;
  #partial = new PartialText(undefined);
  #unrequested: TargetError | undefined;
  /** The time of its slowest reply, in milliseconds; undefined before the first reply. */
  #slowest: number | undefined;
  #startup = 0;

  constructor({ name, timeout, ready }: CommandSetup, program: Program, host: TargetHost) {
    this.#timeout = timeout;
    this.#host = host;
    this.#program = new LineProgram({
      program,
      saysReady: ready,
      isSingleConversation: true,
      advice:
        'It must read each request as a line from stdin, and print its reply. In Python, `serve` of `turnlight` does that.',
      onLine: (line) => this.#onLine(line),
      onFailure: (why) => this.#takeWaiting()?.fail(why),
      onOutput: (line) => host.log.info(`[${name}] ${line}`),
    });
  }

  async reply(
    messages: readonly Message[],
    signal: AbortSignal,
    onText?: OnText,
  ): Promise<TargetReply> {
    try {
      this.#startup += await this.#program.whenReady(this.#timeout, signal);
      const began = performance.now();
      const ask = () => this.#ask(messages, onText);
      const timedOut = replyTimeoutError('The target', () => this.#program.tail());
      const line = await withTimeLimit(ask, this.#timeout, signal, timedOut);
      const reply = readReply(parseLine(line), messages);
      this.#slowest = Math.max(this.#slowest ?? 0, performance.now() - began);
      return reply;
    } catch (error) {
      await this.#program.kill();
      throw error;
    }
  }

  readonly startup = () => this.#startup;
  readonly waited = this.startup;

  async close(signal: AbortSignal): Promise<void> {
    const { failure } = this.#program;
    if (failure || this.#slowest === undefined) await this.#program.kill();
    else await this.#program.close(this.#slowest, signal);
    if (this.#unrequested) throw this.#unrequested;
  }

  async #ask(messages: readonly Message[], onText: OnText | undefined): Promise<string> {
    // Lets earlier output arrive first: it can't be the reply to this request.
    await setImmediate();
    await setImmediate();
    if (this.#program.failure) throw this.#program.failure;
    const line = new Promise<string>((done, fail) => {
      this.#waiting = { done, fail };
    });
    this.#partial = new PartialText(onText);
    this.#program.send(programRequest(messages, this.#host, onText !== undefined));
    return line;
  }

  #onLine(line: string): void {
    const delta = this.#waiting && deltaOf(parseJson(line));
    if (delta !== undefined) {
      this.#hear(delta);
      return;
    }
    const waiting = this.#takeWaiting();
    if (waiting) {
      waiting.done(line);
    } else if (this.#program.isClosing && !isReply(line)) {
      this.#program.log(line);
    } else {
      // Otherwise, an earlier unrequested line was mistaken for the last reply.
      this.#unrequested ??= unrequestedLineError(line);
      this.#program.fail(this.#unrequested);
    }
  }

  #hear(delta: string): void {
    try {
      this.#partial.add(delta);
    } catch (error) {
      if (error instanceof TargetError) this.#program.fail(error);
    }
  }

  #takeWaiting(): PendingAnswer<string> | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }
}

function isReply(line: string): boolean {
  try {
    readReply(parseLine(line));
    return true;
  } catch {
    return false;
  }
}
