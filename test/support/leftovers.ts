import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';

/** A variable that all processes of a try inherit, so that those that outlive it can be found. */
const NAME = 'TURNLIGHT_ATTACK';

/** Milliseconds that killed processes get to be gone, on a machine that does much else. */
const PATIENCE = 20_000;

export interface Mark {
  readonly env: Readonly<Record<string, string>>;
  /** How many marked processes are left, once no more of them end. On Linux only; else none. */
  left(): Promise<number>;
}

export function mark(): Mark {
  const value = randomUUID();
  return {
    env: { [NAME]: value },
    async left() {
      const deadline = performance.now() + PATIENCE;
      for (;;) {
        const count = await marked(`${NAME}=${value}`);
        if (count === 0 || performance.now() > deadline) return count;
        await setTimeout(50);
      }
    },
  };
}

async function marked(text: string): Promise<number> {
  const ids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    ids.map(async (id) => {
      const environment = await readFile(`/proc/${id}/environ`, 'utf8').catch(() => '');
      return environment.includes(text);
    }),
  );
  return found.filter(Boolean).length;
}
