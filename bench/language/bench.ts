import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Result, say, today } from '../print.ts';
import { benchFile } from './evalFile.ts';
import { startServer } from './lspServer.ts';
import { behindKeyPress, DIAGNOSTICS, measure, type Timed } from './measure.ts';
import { requests } from './requests.ts';
import { type Subject, schemaText, turnlight, yamlLanguageServer } from './subjects.ts';

/** One measurement; undefined if the server doesn't offer the request. */
export interface Row {
  readonly what: string;
  readonly ours: Timed | undefined;
  readonly theirs: Timed | undefined;
}

export interface FileResult {
  readonly lines: number;
  readonly bytes: number;
  /** Milliseconds that the parser alone takes. */
  readonly bareParse: number;
  readonly rows: readonly Row[];
}

/** Resident memory in bytes with the given number of open files. */
interface Memory {
  readonly files: number;
  readonly ours: number;
  readonly theirs: number;
}

export interface BenchResult extends Result {
  readonly rival: string;
  readonly files: readonly FileResult[];
  /** Measured with files of `MEMORY_LINES` lines. */
  readonly memory: readonly Memory[];
}

/** Number of lines of a file, and number of rounds for each measurement. */
const SIZES: readonly (readonly [lines: number, rounds: number])[] = [
  [1_000, 11],
  [10_000, 7],
  [50_000, 3],
];

export const MEMORY_LINES = 10_000;
const OPEN_FILES: readonly number[] = [0, 1, 5, 10];

export async function runBench(): Promise<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'turnlight-bench-'));
  try {
    await writeFile(join(folder, 'eval.schema.json'), schemaText());
    const root = pathToFileURL(folder).href;
    const theirs = yamlLanguageServer(`${root}/eval.schema.json`);
    const files: FileResult[] = [];
    const faults: string[] = [];
    for (const [lines, rounds] of SIZES) {
      say(`Measuring ${lines} lines …`);
      files.push(await fileResult(lines, rounds, theirs, root, faults));
    }
    say('Measuring memory …');
    const [own, other] = [await memoryOf(turnlight, root), await memoryOf(theirs, root)];
    const memory = OPEN_FILES.map((count, index) => ({
      files: count,
      ours: own[index] ?? Number.NaN,
      theirs: other[index] ?? Number.NaN,
    }));
    return { date: today(), rival: theirs.name, files, memory, faults };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fileResult(
  lines: number,
  rounds: number,
  rival: Subject,
  root: string,
  faults: string[],
): Promise<FileResult> {
  const file = benchFile(lines);
  const servers = [await startServer(turnlight, root), await startServer(rival, root)];
  const measured = await measure(servers, file, `${root}/measured.eval.yaml`, rounds).finally(() =>
    Promise.all(servers.map((server) => server.stop())),
  );
  faults.push(...measured.faults);
  const { bareParse } = measured;
  const [ours, theirs] = measured.servers;
  const typed = requests.filter(({ whileTyping }) => whileTyping);
  const names = [
    DIAGNOSTICS,
    ...requests.map(({ what }) => what),
    ...typed.map(({ what }) => behindKeyPress(what)),
  ];
  const rows = names
    .filter((what) => ours?.has(what))
    .map((what) => ({ what, ours: ours?.get(what), theirs: theirs?.get(what) }));
  const bytes = Buffer.byteLength(file.text);
  return { lines: file.lines, bytes, bareParse, rows };
}

/** Opens files one after the other, each with a different text, and measures memory. */
async function memoryOf(subject: Subject, root: string): Promise<number[]> {
  const server = await startServer(subject, root);
  try {
    const found: number[] = [];
    let open = 0;
    for (const count of OPEN_FILES) {
      for (; open < count; open += 1) {
        const text = `# File ${open}\n${benchFile(MEMORY_LINES).text}`;
        await server.open(`${root}/open-${open}.eval.yaml`, text);
      }
      found.push(await server.memory());
    }
    return found;
  } finally {
    await server.stop();
  }
}
