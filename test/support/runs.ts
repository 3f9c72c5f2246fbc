import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { SILENT } from '../../src/core/logger.ts';
import type { CaseLine } from '../../src/core/record/runRecord.ts';
import { Scrubber } from '../../src/core/scrubber.ts';
import type { Suite } from '../../src/core/suite.ts';
import { loadSuite } from '../../src/evalfile/load.ts';
import { expandSuite } from '../../src/evalfile/loadedSuite.ts';
import { nodeFiles } from '../../src/evalfile/nodeFiles.ts';
import type { RunEvent } from '../../src/runner/events.ts';
import { runSuites } from '../../src/runner/run.ts';
import type { RunOptions, RunResult } from '../../src/runner/runOptions.ts';

export interface Ran extends RunResult {
  readonly events: readonly RunEvent[];
  /** Finished cases, in the order in which they finished. */
  readonly lines: readonly CaseLine[];
  readonly workspace: string;
  /** Absolute path of the only record. */
  readonly record?: string;
}

/** Creates a temporary folder with files, and removes it after the test. */
export async function workspaceWith(
  t: Pick<TestContext, 'after'>,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-')));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  await putFiles(folder, files);
  return folder;
}

export async function putFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

/** Loads `suite.eval.yaml` from a folder. */
export async function suiteIn(
  workspace: string,
  env: RunOptions['env'] = () => undefined,
): Promise<Suite> {
  const { suite, problems } = await expandSuite(
    await loadSuite(join(workspace, 'suite.eval.yaml'), nodeFiles(), { workspace, env }),
  );
  if (!suite) throw new Error(JSON.stringify(problems, null, 2));
  return suite;
}

export interface RunFilesOptions extends Partial<RunOptions> {
  /** Defaults to a new folder. */
  readonly workspace?: string;
}

/** Writes files to a new folder, or to the given workspace, and runs `suite.eval.yaml` there. */
export async function runFiles(
  t: Pick<TestContext, 'after'>,
  files: Readonly<Record<string, string>>,
  { workspace: given, ...options }: RunFilesOptions = {},
): Promise<Ran> {
  const workspace = given ?? (await workspaceWith(t, {}));
  await putFiles(workspace, files);
  const events: RunEvent[] = [];
  const result = await runSuites({
    suites: options.suites ?? [await suiteIn(workspace, options.env)],
    concurrency: 4,
    timeout: 10_000,
    forbidOnly: false,
    keepRecord: true,
    described: {},
    secret: async () => 'test-key',
    env: () => undefined,
    scrubber: new Scrubber(),
    log: SILENT,
    signal: new AbortController().signal,
    ...options,
    onEvent(event) {
      events.push(event);
      options.onEvent?.(event);
    },
  });
  const lines = events.flatMap((event) => (event.kind === 'case-finished' ? [event.line] : []));
  const [record] = result.records;
  return { ...result, events, lines, workspace, ...(record !== undefined && { record }) };
}

/** A suite with the given cases, whose target is `bot.mjs`. */
export function botSuite(cases: string, top = ''): string {
  return `${top}targets:\n  bot: {type: module, path: ./bot.mjs}\ntarget: bot\ncases:\n${cases}`;
}

/** A target that echoes the user's message. */
export const ECHO = 'export default async (messages) => messages.at(-1).content;\n';
