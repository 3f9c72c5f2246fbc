import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { PATIENCE } from './until.ts';

/** An environment variable that all processes of an attempt inherit, so surviving ones can be found. */
const NAME = 'TURNLIGHT_ATTACK';

export interface Mark {
  readonly env: Readonly<Record<string, string>>;
  /**
   * The number of marked processes that are still running, once no more of them end. Always 0 on systems other than
   * Linux.
   */
  left(): Promise<number>;
}

export function mark(): Mark {
  const value = randomUUID();
  return {
    env: { [NAME]: value },
    async left() {
      const deadline = performance.now() + PATIENCE;
      for (;;) {
        const count = marked(`${NAME}=${value}`);
        if (count === 0 || performance.now() > deadline) return count;
        await setTimeout(50);
      }
    },
  };
}

/** Synchronous, because these files are in memory: reading them with promises takes six times as much CPU time. */
function marked(text: string): number {
  if (!existsSync('/proc')) return 0;
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.filter((id) => environmentOf(id).includes(text)).length;
}

function environmentOf(id: string): string {
  try {
    return readFileSync(`/proc/${id}/environ`, 'utf8');
  } catch {
    // It has already ended.
    return '';
  }
}
