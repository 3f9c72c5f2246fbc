import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Result, say, today } from '../print.ts';
import { medians, node, sideBySide, type Took, TURNLIGHT, timed } from '../processes.ts';

/** One command on so many conversations. */
export interface Row {
  readonly command: string;
  readonly few: Took;
  readonly many: Took;
  /** Medians of the ratios, many to few, of runs that stood side by side. */
  readonly times: { readonly wall: number; readonly memory: number };
}

export interface BenchResult extends Result {
  readonly rows: readonly Row[];
}

export const FEW = 1_000;
export const MANY = 10_000;
export const TURNS = 20;

/** What is measured, and its arguments. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  run: ['run'],
  'run, with all reports': ['run', ...reporters()],
  list: ['list'],
  check: ['check'],
};

const ROUNDS = 9;

export async function runBench(): Promise<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'turnlight-bench-'));
  try {
    for (const count of [FEW, MANY]) await writeConversations(join(folder, String(count)), count);
    const rows: Row[] = [];
    for (const [command, args] of Object.entries(COMMANDS)) {
      say(`Measuring ${command} …`);
      rows.push(await rowOf(command, args, folder));
    }
    return { date: today(), rows, faults: [] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function rowOf(command: string, args: readonly string[], folder: string): Promise<Row> {
  const run = async (count: number) => {
    const home = join(folder, String(count));
    await rm(join(home, '.turnlight'), { recursive: true, force: true });
    return timed(node([TURNLIGHT, ...args], home));
  };
  const few: Took[] = [];
  const many: Took[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    few.push(await run(FEW));
    many.push(await run(MANY));
  }
  const times = (key: 'wall' | 'memory') =>
    sideBySide(
      many.map((one) => one[key]),
      few.map((one) => one[key]),
    );
  return {
    command,
    few: medians(few),
    many: medians(many),
    times: { wall: times('wall'), memory: times('memory') },
  };
}

/** Recorded conversations in one file, and one check of each. */
async function writeConversations(folder: string, count: number): Promise<void> {
  await mkdir(join(folder, '.git'), { recursive: true });
  const data = createWriteStream(join(folder, 'recorded.jsonl'));
  for (let number = 1; number <= count; number += 1) {
    if (!data.write(`${JSON.stringify(conversation(number))}\n`)) await once(data, 'drain');
  }
  data.end();
  await once(data, 'close');
  await writeFile(join(folder, 'recorded.eval.yaml'), EVAL_FILE);
}

const EVAL_FILE = `cases:
  - id: recorded
    transcripts: recorded.jsonl
    assert:
      - {type: contains, value: Monday}
`;

function conversation(number: number): object {
  const messages = Array.from({ length: TURNS }, (_, turn) => ({
    role: turn % 2 === 0 ? 'user' : 'assistant',
    content: `Parcel ${number}, turn ${turn + 1}. ${SENTENCE.repeat(3)}`,
  }));
  return { id: `parcel-${number}`, messages };
}

const SENTENCE = 'It is on its way and will arrive on Monday. ';

function reporters(): string[] {
  const files = ['json', 'junit', 'markdown', 'html', 'csv', 'otlp', 'deepeval', 'azure'];
  return ['terminal', ...files.map((name) => `${name}=report.${name}`)].flatMap((one) => [
    '--reporter',
    one,
  ]);
}
