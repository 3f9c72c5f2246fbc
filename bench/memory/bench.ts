import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Result, say, today } from '../print.ts';
import { medians, node, sideBySide, type Took, TURNLIGHT, timed } from '../processes.ts';

/** Where the conversations are stored: in a data file, or in eval files. */
type Place = 'recorded' | 'inline';

interface Subject {
  readonly args: readonly string[];
  readonly place: Place;
  /** Maximum memory in bytes. */
  readonly mostBytes: number;
}

/** One command with few and with many conversations. */
export interface Row {
  readonly command: string;
  readonly subject: Subject;
  readonly few: Took;
  readonly many: Took;
  /** Medians over the rounds of the ratio between many and few. */
  readonly times: { readonly wall: number; readonly memory: number };
}

export interface BenchResult extends Result {
  readonly rows: readonly Row[];
}

export const FEW = 1_000;
export const MANY = 10_000;
export const TURNS = 20;

/** For conversations that are read one by one. */
const RECORDED = { place: 'recorded', mostBytes: 250_000_000 } as const;

/** Commands to measure, by name. */
const SUBJECTS: Readonly<Record<string, Subject>> = {
  run: { args: ['run'], ...RECORDED },
  'run, with all reports': { args: ['run', ...reporters()], ...RECORDED },
  list: { args: ['list'], ...RECORDED },
  check: { args: ['check'], ...RECORDED },
  'run, in eval files': { args: ['run'], place: 'inline', mostBytes: 350_000_000 },
};

/** Number of eval files that contain conversations themselves. */
const FILES = 20;

const ROUNDS = 9;

export async function runBench(): Promise<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'turnlight-bench-'));
  try {
    for (const count of [FEW, MANY]) {
      await writeConversations(join(folder, 'recorded', String(count)), count);
      await writeInline(join(folder, 'inline', String(count)), count);
    }
    const rows: Row[] = [];
    for (const [command, subject] of Object.entries(SUBJECTS)) {
      say(`Measuring ${command} …`);
      rows.push(await rowOf(command, subject, join(folder, subject.place)));
    }
    return { date: today(), rows, faults: [] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function rowOf(command: string, subject: Subject, folder: string): Promise<Row> {
  const run = async (count: number) => {
    const home = join(folder, String(count));
    await rm(join(home, '.turnlight'), { recursive: true, force: true });
    return timed(node([TURNLIGHT, ...subject.args], home));
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
    subject,
    few: medians(few),
    many: medians(many),
    times: { wall: times('wall'), memory: times('memory') },
  };
}

/** Writes recorded conversations in one file, with one assertion for each. */
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

/** Writes the same conversations as transcripts of cases. */
async function writeInline(folder: string, count: number): Promise<void> {
  await mkdir(join(folder, '.git'), { recursive: true });
  for (let file = 0; file < FILES; file += 1) {
    const numbers = Array.from({ length: count / FILES }, (_, at) => file * (count / FILES) + at);
    const cases = numbers.map((number) => {
      const { id, messages } = conversation(number);
      const turns = messages.map(({ role, content }) => `      - ${role}: "${content}"\n`);
      return `  - id: ${id}\n    transcript:\n${turns.join('')}`;
    });
    const text = `defaults: {assert: [{type: contains, value: Monday}]}\ncases:\n${cases.join('')}`;
    await writeFile(join(folder, `inline-${file}.eval.yaml`), text);
  }
}

function conversation(number: number) {
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
