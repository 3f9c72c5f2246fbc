import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { Workbench } from '../../test/support/host/workbench.ts';
import { type Result, say, today } from '../print.ts';
import { TURNLIGHT } from '../processes.ts';
import { measureStarts, type Start } from './starts.ts';

/** Times since the click on Run, in milliseconds. */
export interface EditorRun {
  /** When the window shows that cases are queued or running. */
  readonly sign: number;
  /** When the panel shows the outcome of every case. */
  readonly shown: number;
}

export interface BenchResult extends Result {
  readonly cases: number;
  readonly processors: number;
  readonly editor: readonly EditorRun[];
  /** Durations of the command-line process, in milliseconds, in the same order. */
  readonly commandLine: readonly number[];
  readonly starts: readonly Start[];
}

const FILES = 10;
const CASES = 500;
const ROUNDS = 9;

/** Maximum duration of a run before the bench gives up, in milliseconds. */
const PATIENCE = 180_000;

export async function runBench(): Promise<BenchResult> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-bench-')));
  let workbench: Workbench | undefined;
  try {
    await mkdir(join(folder, '.turnlight'));
    for (let file = 0; file < FILES; file += 1) {
      await writeFile(join(folder, `suite${file}.eval.yaml`), suiteText(file));
    }
    workbench = await Workbench.open({ folder, trusted: true });
    await workbench.showTests();
    await workbench.until(
      'the files',
      () => (workbench as Workbench).testRows(),
      (rows) => rows.length === FILES,
    );
    const editor: EditorRun[] = [];
    const commandLine: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      say(`Round ${round + 1} of ${ROUNDS} …`);
      commandLine.push(await runCommandLine(folder));
      await forget(workbench, folder);
      editor.push(await runEditor(workbench));
      await forget(workbench, folder);
    }
    return {
      date: today(),
      faults: [],
      cases: FILES * CASES,
      processors: cpus().length,
      editor,
      commandLine,
      starts: await measureStarts(ROUNDS),
    };
  } finally {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Recorded conversations of four messages, with one assertion each. */
function suiteText(file: number): string {
  const cases = Array.from(
    { length: CASES },
    (_, index) => `  - id: case-${file}-${index}
    transcript:
      - user: Where is order ${index}?
      - assistant: Order ${index} ships on Monday.
      - user: Thanks
      - assistant: You are welcome.
    assert:
      - {type: contains, value: Monday}
`,
  );
  return `cases:\n${cases.join('')}`;
}

async function runCommandLine(folder: string): Promise<number> {
  const began = performance.now();
  await promisify(execFile)(process.execPath, [TURNLIGHT, 'run', '.'], { cwd: folder });
  return performance.now() - began;
}

async function runEditor({ page, window }: Workbench): Promise<EditorRun> {
  const watching = watch(page);
  await page.evaluate('globalThis.clicked = Date.now()');
  const ran = window.command('testing.runAll');
  const run = await watching;
  await ran;
  return run;
}

/** Checks every frame in the window itself. */
function watch(page: Page): Promise<EditorRun> {
  return page.evaluate<EditorRun>(`new Promise((resolve, reject) => {
    const began = Date.now();
    let sign;
    const look = () => {
      const status = document.getElementById('turnlight.turnlight.turnlight.run')?.textContent ?? '';
      const panel = document.querySelector('.test-explorer .result-summary')?.textContent ?? '';
      const after = Date.now() - (globalThis.clicked ?? began);
      if (sign === undefined && / of ${FILES * CASES}/.test(status)) sign = after;
      if (panel.includes('${FILES * CASES}/${FILES * CASES}') && sign !== undefined) {
        return resolve({ sign, shown: after });
      }
      if (after > ${PATIENCE}) return reject(new Error('The run did not end: ' + status + panel));
      requestAnimationFrame(look);
    };
    look();
  })`);
}

/**
 * Deletes all records and results, so each run starts without them. First, it waits for the window to show the previous
 * run.
 */
async function forget({ page, window }: Workbench, folder: string): Promise<void> {
  await page.waitForTimeout(3_000);
  await rm(join(folder, '.turnlight/runs'), { recursive: true, force: true });
  await window.command('testing.clearTestResults');
  await page.waitForTimeout(500);
}
