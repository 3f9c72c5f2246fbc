import { LineCounter, parseDocument } from 'yaml';
import { median } from '../processes.ts';
import type { BenchFile } from './evalFile.ts';
import type { LspServer } from './lspServer.ts';
import { type BenchRequest, requests } from './requests.ts';

/** Times of one server, by name of the measurement. */
type Times = ReadonlyMap<string, Timed>;

export interface Timed {
  /** The median, in milliseconds. */
  readonly time: number;
  /** Number of characters in the answer's JSON. */
  readonly size: number;
}

export interface Measured {
  /** Times of each server, in the given order. */
  readonly servers: readonly Times[];
  /** Milliseconds that the parser alone takes, in this process. Reading the whole file can't be faster. */
  readonly bareParse: number;
  /** Problems that make the numbers meaningless. */
  readonly faults: readonly string[];
}

export const DIAGNOSTICS = 'key press → diagnostics';

/** The name of a measurement for a request right after a key press. */
export function behindKeyPress(what: string): string {
  return `key press → ${what}`;
}

/**
 * Measures the servers in turn, one request after another in each round, so a busy moment affects all of them alike.
 */
export async function measure(
  servers: readonly LspServer[],
  file: BenchFile,
  uri: string,
  rounds: number,
): Promise<Measured> {
  const faults: string[] = [];
  for (const server of servers) {
    const found = (await server.open(uri, file.text)).length;
    if (found === 1) continue;
    faults.push(`${server.subject.name} tells ${found} problems of ${file.lines} lines, not 1.`);
  }
  const times = servers.map(() => new Samples());
  const parser = new Samples();
  // The first round is a warm-up and doesn't count.
  for (let round = 0; round <= rounds; round += 1) {
    if (round === 1) for (const one of [...times, parser]) one.forget();
    await parser.time(DIAGNOSTICS, async () => {
      parseDocument(file.text, { lineCounter: new LineCounter() });
    });
    for (const [index, server] of servers.entries()) {
      await times[index]?.time(
        DIAGNOSTICS,
        () => pressAndWait(server, file, uri),
        server.subject.pause,
      );
    }
    for (const request of requests) {
      for (const [index, server] of servers.entries()) {
        if (server.offers(request.method)) await ask(server, request, file, uri, times[index]);
      }
    }
  }
  return {
    servers: times.map((one) => one.medians()),
    bareParse: parser.medians().get(DIAGNOSTICS)?.time ?? Number.NaN,
    faults,
  };
}

async function pressAndWait(server: LspServer, file: BenchFile, uri: string): Promise<unknown> {
  const next = server.nextDiagnostics(uri);
  await server.press(uri, file.inTalk);
  return next;
}

/** Sends a request while the server is idle and, if editors do that, right after a key press. */
async function ask(
  server: LspServer,
  { what, method, params, whileTyping }: BenchRequest,
  file: BenchFile,
  uri: string,
  times: Samples | undefined,
): Promise<void> {
  await times?.time(what, () => server.request(method, params(file, uri)));
  if (!whileTyping) return;
  const next = server.nextDiagnostics(uri);
  await times?.time(behindKeyPress(what), async () => {
    await server.press(uri, file.inTalk);
    return server.request(method, params(file, uri));
  });
  await next;
}

class Samples {
  readonly #times = new Map<string, number[]>();
  readonly #sizes = new Map<string, number>();

  /** @param free milliseconds to subtract */
  async time(what: string, work: () => Promise<unknown>, free = 0): Promise<void> {
    const start = performance.now();
    const answer = await work();
    const times = this.#times.get(what) ?? [];
    times.push(performance.now() - start - free);
    this.#times.set(what, times);
    this.#sizes.set(what, JSON.stringify(answer ?? null).length);
  }

  forget(): void {
    this.#times.clear();
  }

  medians(): Times {
    return new Map(
      [...this.#times].map(([what, times]) => {
        return [what, { time: median(times), size: this.#sizes.get(what) ?? 0 }];
      }),
    );
  }
}
