import { setTimeout } from 'node:timers/promises';
import { isMapping, parseJson } from '../../core/data/data.ts';
import { withTimeLimit } from '../../models/endpoint/timeLimit.ts';
import { notReadyError } from '../replyLimits.ts';
import { QuotingError, TargetError } from '../target.ts';
import { exitText, notStartedError, ProgramLog, ReplyLines } from './outputLines.ts';
import { MAX_GRACE, MIN_GRACE, type Program } from './programs.ts';

export interface PendingAnswer<Answer> {
  readonly done: (answer: Answer) => void;
  readonly fail: (error: TargetError) => void;
}

interface LineProgramSetup {
  readonly program: Program;
  /** Whether the program prints `{"ready":true}` first. */
  readonly saysReady: boolean;
  /** Whether the program serves only one conversation, so that the limits on replies apply to all of its output. */
  readonly isSingleConversation: boolean;
  /** Advice if the program exits as if it had nothing to do. */
  readonly advice?: string;
  /** Called with each line that the program prints to stdout, except the ready line. */
  readonly onLine: (line: string) => void;
  /** Called once, when the program can no longer reply. */
  readonly onFailure: (why: TargetError) => void;
  /** Called with each line that the program prints to stderr. */
  readonly onOutput: (line: string) => void;
}

export class LineProgram {
  readonly #setup: LineProgramSetup;
  readonly #log: ProgramLog;
  readonly #closed: Promise<void>;
  readonly #ready: Promise<void>;
  #settleReady: PendingAnswer<void> | undefined;
  isClosing = false;
  failure: TargetError | undefined;

  constructor(setup: LineProgramSetup) {
    this.#setup = setup;
    const { program, saysReady, isSingleConversation, onOutput } = setup;
    const { process: child } = program;
    this.#log = new ProgramLog(onOutput, program.scrubber);
    this.#ready = new Promise((done, fail) => {
      if (saysReady) this.#settleReady = { done, fail };
      else done();
    });
    this.#ready.catch(() => {});
    child.stderr?.on('data', (data: Buffer) => this.#log.add(data));
    const lines = new ReplyLines((line) => this.#onLine(line), isSingleConversation);
    child.stdout?.on('data', (data: Buffer) => {
      const tooLong = lines.add(data);
      if (tooLong === undefined) return;
      child.stdout?.destroy();
      this.fail(new TargetError('target-too-much-output', tooLong));
      void program.end();
    });
    child.stdin?.on('error', () => {});
    child.on('error', (error) => this.fail(notStartedError(child.spawnfile, error)));
    this.#closed = new Promise((done) => {
      child.on('close', (code, signal) => {
        const before = this.#settleReady ? 'was ready' : 'replied';
        const advice = code === 0 && setup.advice !== undefined ? ` ${setup.advice}` : '';
        const why = `The program ${exitText(code, signal)} before it ${before}.${advice}${this.tail()}`;
        this.fail(new TargetError('target-crashed', why));
        done();
      });
    });
  }

  /**
   * @param timeout milliseconds
   * @returns milliseconds that this took; 0 if the program was ready already, or doesn't report when it is
   * @throws TargetError; the signal's reason when aborted
   */
  async whenReady(timeout: number, signal: AbortSignal): Promise<number> {
    if (!this.#settleReady) return 0;
    const began = performance.now();
    await withTimeLimit(() => this.#ready, timeout, signal, notReadyError);
    return performance.now() - began;
  }

  /** The program's last output, with a space before it. */
  tail(): string {
    return this.#log.tail();
  }

  send(request: object): void {
    this.#setup.program.process.stdin?.write(`${JSON.stringify(request)}\n`);
  }

  fail(why: TargetError): void {
    if (this.failure) return;
    this.failure = why;
    this.#settleReady?.fail(why);
    this.#setup.onFailure(why);
  }

  async kill(): Promise<void> {
    await this.#setup.program.end();
  }

  /**
   * Ends the program's input and waits for it to exit, at most as long as its replies take.
   *
   * @param slowest the time of its slowest reply, in milliseconds
   * @param signal when aborted, the program is killed
   */
  async close(slowest: number, signal: AbortSignal): Promise<void> {
    await this.#setup.program.end(async () => {
      this.isClosing = true;
      this.#setup.program.process.stdin?.end();
      const grace = Math.min(MAX_GRACE, Math.max(MIN_GRACE, slowest));
      const timeUp = new AbortController();
      const either = AbortSignal.any([signal, timeUp.signal]);
      const graceOver = setTimeout(grace, undefined, { signal: either }).catch(() => {});
      await Promise.race([this.#closed, graceOver]);
      timeUp.abort();
    });
  }

  log(line: string): void {
    this.#log.write(line);
  }

  #onLine(line: string): void {
    if (!this.#settleReady) {
      this.#setup.onLine(line);
      return;
    }
    if (isReadyLine(line)) {
      this.#settleReady.done();
      this.#settleReady = undefined;
      return;
    }
    this.fail(
      new QuotingError(
        'target-malformed-reply',
        (quote) =>
          `The program printed a line before it was ready: ${quote(line)}. With \`ready: true\`, it must print {"ready":true} first. Log to stderr instead.`,
      ),
    );
  }
}

function isReadyLine(line: string): boolean {
  const value = parseJson(line);
  return isMapping(value) && value.ready === true && Object.keys(value).length === 1;
}

/** @throws TargetError if the line isn't JSON */
export function parseLine(line: string): unknown {
  const value = parseJson(line);
  if (value !== undefined) return value;
  throw new QuotingError(
    'target-malformed-reply',
    (quote) =>
      `The program printed a line that is not JSON: ${quote(line)}. Log to stderr instead.`,
  );
}

export function unrequestedLineError(line: string): TargetError {
  const advice = isReadyLine(line)
    ? 'Set `ready: true` on the target'
    : 'Print one line for each request, and log to stderr';
  return new QuotingError(
    'target-malformed-reply',
    (quote) => `The program printed a line without a request: ${quote(line)}. ${advice}.`,
  );
}
