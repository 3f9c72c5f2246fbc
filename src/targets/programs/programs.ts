import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../../core/logger.ts';
import type { Scrubber } from '../../core/scrubber.ts';
import { groupExists, groupsOf, killTree } from './groups.ts';

/**
 * Path to the code of one of Turnlight's own processes: next to the bundle if built, or next to the source in a
 * checkout.
 */
export function entryPoint(source: string, built: string): string {
  const name = import.meta.url.endsWith('.ts') ? source : built;
  return fileURLToPath(new URL(`./${name}`, import.meta.url));
}

/**
 * Milliseconds for a program to exit after its last reply. It gets as long as its slowest reply took, within these
 * limits.
 */
export const MIN_GRACE = 250;
export const MAX_GRACE = 5_000;

/** Milliseconds for a killed process to exit. */
const KILL_GRACE = 2_000;

const SUPERVISOR = entryPoint('supervisor.ts', 'program-supervisor.js');

const POSIX = process.platform !== 'win32';

/** Attaches a debugger to a waiting program. @param port the port of the program's inspector, on this machine */
export type Attach = (port: number) => Promise<void>;

export interface ProgramStart {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stdio: StdioOptions;
}

export interface Program {
  readonly process: ChildProcess;
  readonly scrubber: Scrubber;
  /** Resolves when the program has ended for any reason. */
  readonly ended: Promise<void>;
  /**
   * Kills it and everything it started.
   *
   * @param beforeKill runs first, and may let it exit by itself; everything it started ends anyway
   */
  end(beforeKill?: () => Promise<void>): Promise<void>;
}

/**
 * User programs that a run has started. No program outlives the run: even if Turnlight's process is killed, a
 * supervisor process ends them.
 */
export class Programs {
  /** Attaches a debugger to each process of user functions. */
  readonly attach: Attach | undefined;
  readonly #log: Logger;
  readonly #scrubber: Scrubber;
  readonly #running = new Map<number, Program>();
  readonly #beforeClose: (() => Promise<void>)[] = [];
  #supervisor: ChildProcess | undefined;

  constructor(log: Logger, scrubber: Scrubber, attach?: Attach) {
    this.#log = log;
    this.#scrubber = scrubber;
    this.attach = attach;
  }

  /** Starts a program. If it can't be started, the process emits `error`. */
  start({ program, args, cwd, env, stdio }: ProgramStart): Program {
    // Comes first, because on a busy machine our process may be killed before the supervisor is running.
    this.#supervisor ??= this.#startSupervisor();
    const child = spawn(program, args, {
      cwd,
      env,
      stdio,
      // The program gets its own group, so that everything it starts ends with it.
      detached: POSIX,
      windowsHide: true,
    });
    const { pid } = child;
    const ended = new Promise<void>((done) => {
      child.once('exit', () => done());
      child.once('error', () => done());
    });
    const scrubber = this.#scrubber;
    if (pid === undefined) return { process: child, scrubber, ended, end: () => ended };
    let ending: Promise<void> | undefined;
    const end = async (farewell?: () => Promise<void>) => {
      if (!this.#running.has(pid)) return;
      const before = farewell && (await groupsOf(pid));
      await farewell?.();
      await killTree(pid, before ?? []);
      await Promise.race([ended, setTimeout(KILL_GRACE, undefined, { ref: false })]);
      this.#remove(pid);
    };
    const started: Program = {
      process: child,
      scrubber,
      ended,
      end: (farewell) => {
        ending ??= end(farewell);
        return ending;
      },
    };
    this.#running.set(pid, started);
    this.#supervisor?.stdin?.write(`+${pid}\n`);
    child.once('exit', () => {
      // Processes that the program started may still run, and print, until the conversation is over.
      if (!POSIX || !groupExists(pid)) this.#remove(pid);
    });
    return started;
  }

  beforeClose(work: () => Promise<void>): void {
    this.#beforeClose.push(work);
  }

  async close(): Promise<void> {
    await Promise.all(this.#beforeClose.splice(0).map((work) => work()));
    await Promise.all([...this.#running.values()].map((program) => program.end()));
    const supervisor = this.#supervisor;
    this.#supervisor = undefined;
    supervisor?.stdin?.end();
  }

  #remove(pid: number): void {
    if (this.#running.delete(pid)) this.#supervisor?.stdin?.write(`-${pid}\n`);
  }

  #startSupervisor(): ChildProcess {
    const child = spawn(process.execPath, [SUPERVISOR], {
      stdio: ['pipe', 'ignore', 'ignore'],
      // The supervisor survives Ctrl+C and a closing terminal.
      detached: true,
      windowsHide: true,
      // Otherwise, the extension host's binary doesn't act as plain Node.
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
    });
    child.unref();
    child.stdin.on('error', () => {});
    const lost = (why: string) => {
      if (this.#supervisor !== child) return;
      this.#supervisor = undefined;
      this.#log.warn(
        `The supervisor ${why}, so programs of this run may keep running after a crash.`,
      );
    };
    child.on('error', ({ message }) => lost(`did not start: ${message}`));
    child.once('exit', (code) => lost(`ended with code ${code}`));
    for (const pid of this.#running.keys()) child.stdin.write(`+${pid}\n`);
    return child;
  }
}
