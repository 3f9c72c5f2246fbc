import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../../core/logger.ts';
import { groupExists, groupsOf, killTree } from './groups.ts';

/** Where a process of our own begins: beside the bundle when built, beside the source in a checkout. */
export function entryPoint(source: string, built: string): string {
  const name = import.meta.url.endsWith('.ts') ? source : built;
  return fileURLToPath(new URL(`./${name}`, import.meta.url));
}

/** Milliseconds that a program gets to end by itself after its last reply: as long as its slowest one, within these. */
export const MIN_GRACE = 250;
export const MAX_GRACE = 5_000;

/** Milliseconds that what was killed gets to be gone. */
const KILL_GRACE = 2_000;

const SUPERVISOR = entryPoint('supervisor.ts', 'program-supervisor.js');

const POSIX = process.platform !== 'win32';

/** Attaches a debugger to a program that waits for it. @param port of its inspector, on this machine alone */
export type Attach = (port: number) => Promise<void>;

export interface Start {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stdio: StdioOptions;
}

export interface Program {
  readonly process: ChildProcess;
  /** Resolves once it has ended, by itself or by us. */
  readonly ended: Promise<void>;
  /**
   * Ends it with all that it started, at once.
   *
   * @param beforeKill what comes before: it may end by itself then, and what it had started ends all the same
   */
  end(beforeKill?: () => Promise<void>): Promise<void>;
}

/**
 * The user's programs that a run has started. None of them outlives the run, also where our own process
 * is killed: a supervisor process notices and ends them.
 */
export class Programs {
  /** Where functions of the user's are debugged: attaches to each of their processes. */
  readonly attach: Attach | undefined;
  readonly #log: Logger;
  readonly #running = new Map<number, Program>();
  readonly #beforeClose: (() => Promise<void>)[] = [];
  #supervisor: ChildProcess | undefined;

  constructor(log: Logger, attach?: Attach) {
    this.#log = log;
    this.attach = attach;
  }

  /** A program that cannot be started emits `error`. */
  start({ program, args, cwd, env, stdio }: Start): Program {
    // First, so that it can be told at once: on a busy machine we may be killed before it has begun.
    this.#supervisor ??= this.#startSupervisor();
    const child = spawn(program, args, {
      cwd,
      env,
      stdio,
      // A group of its own, so that what it started ends with it.
      detached: POSIX,
      windowsHide: true,
    });
    const { pid } = child;
    const ended = new Promise<void>((done) => {
      child.once('exit', () => done());
      child.once('error', () => done());
    });
    if (pid === undefined) return { process: child, ended, end: () => ended };
    let ending: Promise<void> | undefined;
    const end = async (farewell?: () => Promise<void>) => {
      if (!this.#running.has(pid)) return;
      const before = farewell && (await groupsOf(pid));
      await farewell?.();
      await killTree(pid, before ?? []);
      await Promise.race([ended, killGracePeriod()]);
      this.#remove(pid);
    };
    const started: Program = {
      process: child,
      ended,
      end: (farewell) => {
        ending ??= end(farewell);
        return ending;
      },
    };
    this.#running.set(pid, started);
    this.#supervisor?.stdin?.write(`+${pid}\n`);
    child.once('exit', () => {
      // Something that it started may go on, and print, until the conversation is over.
      if (!POSIX || !groupExists(pid)) this.#remove(pid);
    });
    return started;
  }

  /** Does something before what is left is ended. */
  beforeClose(work: () => Promise<void>): void {
    this.#beforeClose.push(work);
  }

  /** Ends what is left. */
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

  /** Told of all that runs. */
  #startSupervisor(): ChildProcess {
    const child = spawn(process.execPath, [SUPERVISOR], {
      stdio: ['pipe', 'ignore', 'ignore'],
      // Neither Ctrl+C nor a closing terminal reaches it.
      detached: true,
      windowsHide: true,
      // The extension host's own binary is no plain Node without this.
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
    });
    child.unref();
    child.stdin.on('error', () => {});
    const lost = (why: string) => {
      if (this.#supervisor !== child) return;
      this.#supervisor = undefined;
      this.#log.warn(`Programs of this run may outlive a crash: their supervisor ${why}.`);
    };
    child.on('error', ({ message }) => lost(`did not start: ${message}`));
    child.once('exit', (code) => lost(`ended with code ${code}`));
    for (const pid of this.#running.keys()) child.stdin.write(`+${pid}\n`);
    return child;
  }
}

function killGracePeriod(): Promise<void> {
  return new Promise((done) => setTimeout(done, KILL_GRACE).unref());
}
