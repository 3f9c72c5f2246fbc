import { setTimeout } from 'node:timers/promises';
import { parseJson } from '../../core/data/data.ts';
import { LIMITS, readable } from '../../core/limits.ts';
import { withTimeLimit } from '../../models/endpoint/timeLimit.ts';
import { replyTimeoutError } from '../replyLimits.ts';
import { QuotingError, TargetError } from '../target.ts';
import { exitText, notStartedError, ProgramLog } from './outputLines.ts';
import { MIN_GRACE, type ProgramStart, type Programs } from './programs.ts';

interface ProgramCall extends Pick<ProgramStart, 'cwd' | 'env'> {
  readonly programs: Programs;
  readonly command: readonly string[];
  /** Milliseconds. */
  readonly timeout: number;
  /** How error messages refer to the program, such as `The script`. */
  readonly who: string;
  /** Called with each line that the program prints to stderr. */
  readonly onOutput: (line: string) => void;
}

/**
 * Runs a program with one JSON value as its input, and reads one JSON value from its output. Then ends the program and
 * all processes that it started.
 *
 * @throws TargetError; the signal's reason when aborted
 */
export async function runProgramOnce(
  input: unknown,
  { programs, command, cwd, env, timeout, who, onOutput }: ProgramCall,
  signal: AbortSignal,
): Promise<unknown> {
  const [program = '', ...args] = command;
  const started = programs.start({ program, args, cwd, env, stdio: 'pipe' });
  const { process: child } = started;
  const log = new ProgramLog(onOutput, started.scrubber);
  child.stderr?.on('data', (data: Buffer) => log.add(data));
  const answered = new Promise<string>((done, fail) => {
    const decoder = new TextDecoder();
    let text = '';
    child.stdout?.on('data', (data: Buffer) => {
      text += decoder.decode(data, { stream: true });
      if (text.length <= LIMITS.reply) return;
      const message = `The program printed more than ${readable(LIMITS.reply)} characters.`;
      fail(new TargetError('target-too-much-output', message));
    });
    child.once('error', (error) => fail(notStartedError(program, error)));
    // Processes that the program started may keep its output open.
    child.once('exit', async () => {
      await started.end();
      await setTimeout(MIN_GRACE);
      child.stdout?.destroy();
      child.stderr?.destroy();
    });
    child.once('close', (code, ending) => {
      if (code === 0) return done(text);
      const why = `The program ${exitText(code, ending)}.${log.tail()}`;
      fail(new TargetError('target-crashed', why));
    });
  });
  answered.catch(() => {});
  child.stdin?.on('error', () => {});
  child.stdin?.end(`${JSON.stringify(input)}\n`);
  try {
    const text = await withTimeLimit(() => answered, timeout, signal, replyTimeoutError(who));
    return parseOutput(text, log);
  } finally {
    await started.end();
  }
}

function parseOutput(text: string, log: ProgramLog): unknown {
  const value = parseJson(text);
  if (value !== undefined) return value;
  const reason = 'target-malformed-reply';
  if (text.trim() === '') {
    const message = `The program printed nothing. Print one JSON value to standard output.${log.tail()}`;
    throw new TargetError(reason, message);
  }
  throw new QuotingError(
    reason,
    (quote) =>
      `The program did not print one JSON value: ${quote(text.trim())}. Print nothing else to standard output, and log to stderr.`,
  );
}
