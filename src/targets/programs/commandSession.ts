import { setImmediate, setTimeout } from 'node:timers/promises';
import { parseJson } from '../../core/data/data.ts';
import type { Message } from '../../core/message.ts';
import { toOpenaiChat } from '../../messages/toOpenaiChat.ts';
import { withDeadline } from '../deadline.ts';
import { readReply } from '../reply.ts';
import { TargetError, type TargetHost, type TargetReply, type TargetSession } from '../target.ts';
import { LONGEST_GRACE, SHORTEST_GRACE } from './gracePeriods.ts';
import { ProgramLog } from './programLog.ts';
import type { Program } from './programs.ts';
import { ReplyLines } from './replyLines.ts';

const SHOWN = 200;

interface Waiting {
  readonly done: (line: string) => void;
  readonly fail: (error: TargetError) => void;
}

/**
 * A conversation with a program that prints one line for each request. A line that nobody asked for is
 * an error, however late it is noticed: each line after it could be the reply to the request before.
 */
export class CommandSession implements TargetSession {
  readonly #program: Program;
  readonly #timeout: number;
  readonly #host: TargetHost;
  readonly #log: ProgramLog;
  readonly #closed: Promise<void>;
  #waiting: Waiting | undefined;
  /** Why it can reply no more. */
  #over: TargetError | undefined;
  #stray: TargetError | undefined;
  #leaving = false;
  /** Milliseconds that its slowest reply took; undefined before the first. */
  #slowest: number | undefined;

  /** @param timeout milliseconds that one reply may take */
  constructor(name: string, started: Program, timeout: number, host: TargetHost) {
    this.#program = started;
    this.#timeout = timeout;
    this.#host = host;
    this.#log = new ProgramLog((line) => host.log.info(`[${name}] ${line}`));
    const { process: child } = started;
    child.stderr?.on('data', (data: Buffer) => this.#log.add(data));
    const replies = new ReplyLines((line) => this.#hear(line));
    child.stdout?.on('data', (data: Buffer) => {
      const tooLong = replies.add(data);
      if (tooLong === undefined) return;
      child.stdout?.destroy();
      this.#end(new TargetError('target-too-much-output', tooLong));
      void started.end();
    });
    child.stdin?.on('error', () => {});
    child.on('error', ({ message }) => {
      const why = `The program ${child.spawnfile} could not be started: ${message}. Is it installed and on the PATH?`;
      this.#end(new TargetError('target-not-found', why));
    });
    this.#closed = new Promise((done) => {
      child.on('close', (code, signal) => {
        const how = signal ? `was ended by ${signal}` : `exited with code ${code}`;
        const why = `The program ${how} before it replied.${this.#log.tail()}`;
        this.#end(new TargetError('target-crashed', why));
        done();
      });
    });
  }

  async reply(messages: readonly Message[], signal: AbortSignal): Promise<TargetReply> {
    const began = performance.now();
    try {
      const line = await withDeadline(() => this.#ask(messages), this.#timeout, signal);
      const reply = readReply(parse(line));
      this.#slowest = Math.max(this.#slowest ?? 0, performance.now() - began);
      return reply;
    } catch (error) {
      await this.#program.end();
      throw error;
    }
  }

  async close(signal: AbortSignal): Promise<void> {
    const slowest = this.#over ? undefined : this.#slowest;
    const farewell = slowest === undefined ? undefined : () => this.#farewell(slowest, signal);
    await this.#program.end(farewell);
    if (this.#stray) throw this.#stray;
  }

  async #ask(messages: readonly Message[]): Promise<string> {
    // What it has printed up to now is read first: no reply to what is still to be asked.
    await setImmediate();
    await setImmediate();
    if (this.#over) throw this.#over;
    const line = new Promise<string>((done, fail) => {
      this.#waiting = { done, fail };
    });
    const { caseId, conversationId, context } = this.#host;
    const request = {
      messages: messages.map(toOpenaiChat),
      case: caseId,
      conversation: conversationId,
      context,
    };
    this.#program.process.stdin?.write(`${JSON.stringify(request)}\n`);
    return line;
  }

  #hear(line: string): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) {
      waiting.done(line);
    } else if (this.#leaving && !isReply(line)) {
      this.#log.say(line);
    } else {
      const why = `The program printed a line without a request: ${line.slice(0, SHOWN)}. Print one line for each request, and log to stderr.`;
      this.#stray ??= new TargetError('target-malformed-reply', why);
      this.#end(this.#stray);
    }
  }

  #end(why: TargetError): void {
    this.#over ??= why;
    this.#waiting?.fail(this.#over);
    this.#waiting = undefined;
  }

  /**
   * Ends its input and waits for it to end. A program that is still at a request then has taken an
   * earlier line of its own for the reply to it: it is given as long as its replies take.
   */
  async #farewell(slowest: number, signal: AbortSignal): Promise<void> {
    this.#leaving = true;
    this.#program.process.stdin?.end();
    const grace = Math.min(LONGEST_GRACE, Math.max(SHORTEST_GRACE, slowest));
    const bored = new AbortController();
    const either = AbortSignal.any([signal, bored.signal]);
    await Promise.race([
      this.#closed,
      setTimeout(grace, undefined, { signal: either }).catch(() => {}),
    ]);
    bored.abort();
  }
}

function parse(line: string): unknown {
  const value = parseJson(line);
  if (value !== undefined) return value;
  const message = `The program printed a line that is not JSON: ${line.slice(0, SHOWN)}. Log to stderr instead.`;
  throw new TargetError('target-malformed-reply', message);
}

function isReply(line: string): boolean {
  try {
    readReply(parse(line));
    return true;
  } catch {
    return false;
  }
}
