import { once } from 'node:events';
import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import pLimit from 'p-limit';
import { errorText } from '../core/errors.ts';
import type { Suite } from '../core/suite.ts';
import { isRunId, MANIFEST_BYTES, type Manifest, type Member, readManifest } from './messages.ts';
import { ALIVE, type Connection, connect, keysOf, LEAVING, PREFIX, RUNS, within } from './redis.ts';
import { type Host, ServedRun } from './servedRun.ts';
import { difference, type FiledSuite, ownPath, sharedSuite } from './sharedFiles.ts';

/** Milliseconds between two looks for runs that begin or are over. */
const LOOK = 250;

/** Runs that are looked at. */
const MOST_RUNS = 100;

export interface ServeOptions extends Host {
  readonly url: string;
  /** Of Turnlight. */
  readonly version: string;
  /** Reads an eval file. @returns why it cannot run here, as a text */
  readonly load: (path: string) => Promise<FiledSuite | string>;
  /** Takes no more cases once it is aborted. */
  readonly signal: AbortSignal;
  readonly tell: (text: string) => void;
}

/** Runs cases of other machines' runs until the signal is aborted and what was begun has ended. @throws QueueError */
export async function serveQueue(options: ServeOptions): Promise<void> {
  const connection = await connect(options.url, options.scrubber, options.log);
  const server = new Server(options, connection);
  try {
    await server.serve();
  } finally {
    await connection.close();
  }
}

interface Answer {
  readonly member: Omit<Member, 'beat'>;
  readonly served?: ServedRun;
}

class Server {
  readonly #options: ServeOptions;
  readonly #connection: Connection;
  readonly #name = `${hostname()}:${process.pid}`;
  readonly #limit;
  readonly #answers = new Map<string, Answer>();
  #beat = 0;
  #looking: Promise<void> | undefined;

  constructor(options: ServeOptions, connection: Connection) {
    this.#options = options;
    this.#connection = connection;
    this.#limit = pLimit(options.concurrency);
  }

  async serve(): Promise<void> {
    const { signal, tell, concurrency } = this.#options;
    tell(`Serving ${this.#connection.shown}, ${concurrency} cases at once.`);
    while (!signal.aborted) {
      await untilAborted(this.#look(), signal);
      await setTimeout(LOOK, undefined, { signal }).catch(() => {});
    }
    let isOver = false;
    const finishing = this.#finish().finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await Promise.race([this.#look(), finishing]);
      await within(LOOK, finishing);
    }
  }

  async #finish(): Promise<void> {
    // A run that is being joined may have cases soon; a Redis that is away says nothing of any.
    await within(LEAVING, this.#looking ?? Promise.resolve());
    const served = [...this.#answers.values()].flatMap((one) => one.served ?? []);
    await Promise.all(served.map((one) => one.finish()));
  }

  /** One look at a time; none begins anything new once the worker is to stop. */
  #look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #lookOnce(): Promise<void> {
    const { redis } = this.#connection;
    const runs = (await redis.zrange(RUNS, 0, `${MOST_RUNS - 1}`)).filter(isRunId);
    this.#beat += 1;
    for (const run of new Set([...runs, ...this.#answers.keys()])) {
      const { manifest } = keysOf(run);
      const isAlive = (await redis.exists(manifest)) === 1;
      if (!isAlive) await this.#leave(run);
      else if (!this.#options.signal.aborted || this.#answers.has(run)) await this.#answer(run);
    }
  }

  async #answer(run: string): Promise<void> {
    const known = this.#answers.get(run);
    if (!known) await this.#say(run, { name: this.#name, state: 'reads' });
    const answer = known ?? (await this.#join(run));
    this.#answers.set(run, answer);
    await this.#say(run, answer.member);
    if (known) return;
    const { state, why } = answer.member;
    this.#options.tell(
      state === 'serves' ? `Run ${run}: joined.` : `Run ${run}: not joined. ${why}`,
    );
  }

  async #say(run: string, member: Answer['member']): Promise<void> {
    const { redis } = this.#connection;
    const { workers } = keysOf(run);
    const said: Member = { ...member, beat: this.#beat };
    await redis.hset(workers, this.#name, JSON.stringify(said));
    await redis.expire(workers, ALIVE);
  }

  async #join(run: string): Promise<Answer> {
    const name = this.#name;
    const refuses = (why: string): Answer => ({
      member: { name, state: 'refuses', why: this.#options.scrubber.text(why).slice(0, 2_000) },
    });
    const { redis } = this.#connection;
    const key = keysOf(run).manifest;
    if ((await redis.strlen(key)) > MANIFEST_BYTES) return refuses('The run is too large.');
    const manifest = readManifest((await redis.get(key)) ?? '');
    if (!manifest) return refuses('The run is none that this version of Turnlight knows.');
    try {
      const suites = await this.#suites(manifest);
      if (typeof suites === 'string') return refuses(suites);
      const served = await ServedRun.begin(
        run,
        manifest,
        suites,
        this.#options,
        this.#limit,
        this.#connection,
      );
      return { member: { name, state: 'serves' }, served };
    } catch (error) {
      return refuses(errorText(error));
    }
  }

  /** The suites of a run as they stand here, or why they are not the run's. */
  async #suites({ version, suites }: Manifest): Promise<Suite[] | string> {
    const { root, load } = this.#options;
    if (version !== this.#options.version) {
      return `The run is of Turnlight ${version}, this worker of ${this.#options.version}.`;
    }
    const found: Suite[] = [];
    for (const asked of suites) {
      const loaded = await load(ownPath(asked.path, root));
      if (typeof loaded === 'string') return loaded;
      const differs = difference(await sharedSuite(loaded, root), asked);
      if (differs !== undefined) return differs;
      found.push(loaded.suite);
    }
    return found;
  }

  /** Of a run that is over; one whose own process was killed left its cases behind. */
  async #leave(run: string): Promise<void> {
    const { redis, bullmq } = this.#connection;
    const known = this.#answers.get(run);
    this.#answers.delete(run);
    if (known) this.#options.tell(`Run ${run}: over.`);
    await known?.served?.leave();
    if ((await redis.zrem(RUNS, run)) === 0) return;
    const queue = new bullmq.Queue(run, { connection: redis, prefix: PREFIX });
    queue.on('error', () => {});
    await queue.obliterate({ force: true }).catch(() => {});
    await queue.close();
    const { workers, cost, held, limits } = keysOf(run);
    await redis.del(workers, cost, held, limits);
  }
}

/** Waits for what a Redis that is away never ends, and no longer than until the signal. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const stop = new AbortController();
  const aborted = once(signal, 'abort', { signal: stop.signal }).catch(() => {});
  await Promise.race([work, aborted]).finally(() => stop.abort());
}
