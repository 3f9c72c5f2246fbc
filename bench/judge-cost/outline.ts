/** What the bench's judge needs to know about a conversation. */
export interface Outline {
  readonly turns: readonly OutlineTurn[];
  /** Numbers of the turns to judge. */
  readonly judged: readonly number[];
  /** Number of criteria or guidelines in the prompt. */
  readonly listed: number;
}

interface OutlineTurn {
  readonly number: number;
  readonly side: 'user' | 'assistant';
  calls: number;
  /** Number of retrieved contexts. */
  contexts: number;
}

/** Reads a request as a judge does. Lines of the conversation start with `| `, so all other lines are the program's. */
export function outlineOf(prompt: string): Outline {
  const turns: OutlineTurn[] = [];
  let listed = 0;
  let judged: number[] = [];
  for (const line of prompt.split('\n')) {
    const header = /^\[(\d+) (user|assistant)\]$/.exec(line);
    const last = turns.at(-1);
    if (header) {
      const side = header[2] === 'user' ? 'user' : 'assistant';
      turns.push({ number: Number(header[1]), side, calls: 0, contexts: 0 });
    } else if (last && line === '[tool call]') last.calls += 1;
    else if (last && /^\[context \d+\]$/.test(line)) last.contexts += 1;
    else if (/^(Criterion|Guideline) \d+:$/.test(line)) listed += 1;
    else if (line.startsWith(JUDGED)) judged = numbersIn(line);
  }
  return { turns, judged, listed };
}

const JUDGED = 'Turns to judge: ';

/** Parses a line such as `Turns to judge: 2,4.` */
function numbersIn(line: string): number[] {
  return [...line.matchAll(/\d+/g)].map(([number]) => Number(number));
}
