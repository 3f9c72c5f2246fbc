import { resolve } from 'node:path';
import { addTo } from '../core/data/data.ts';
import { type HasCase, hasCaseOf } from '../core/record/label.ts';
import type { Scrubber } from '../core/scrubber.ts';
import { SpillBuffer } from '../disk/spillBuffer.ts';
import { loadSuite } from '../evalfile/load.ts';
import {
  compactSuite,
  expandSuite,
  type JudgeOverride,
  type LoadedSuite,
} from '../evalfile/loadedSuite.ts';
import { nodeFiles } from '../evalfile/nodeFiles.ts';
import { collectEarly } from './memory.ts';
import { JUDGE_VARIABLE, type RunCommandOptions } from './options.ts';
import { fileWorkspace, findEvalFiles, workspaceOf } from './paths.ts';
import type { Shell } from './shell.ts';

interface LoadFlags
  extends Pick<JudgeOverride, 'judge' | 'baseUrl'>,
    Pick<RunCommandOptions, 'dotenv' | 'target'> {}

/**
 * @param args files, folders, or globs
 * @param isOwnAddress whether the user gave `baseUrl`; an address from a record needs the same consent as an address
 * from an eval file
 * @throws UsageError
 */
export async function loadSuites(
  args: readonly string[],
  shell: Shell,
  { judge, baseUrl, dotenv, target }: LoadFlags = {},
  isOwnAddress = true,
): Promise<LoadedSuite[]> {
  collectEarly('reading');
  const workspace = workspaceOf(shell.folder);
  const defaultJudge = shell.env(JUDGE_VARIABLE);
  const judgeOverride = { ...(judge && { judge }), ...(baseUrl && { baseUrl, isOwnAddress }) };
  if (baseUrl && URL.canParse(baseUrl)) hideSecretsOf(new URL(baseUrl), shell.scrubber);
  const files = await findEvalFiles(args, shell.folder);
  const onDisk = nodeFiles(new Set(args.map((arg) => resolve(shell.folder, arg))));
  const loaded: LoadedSuite[] = [];
  const conversations = new SpillBuffer();
  // One at a time, because reading a file takes fifty times its size in memory.
  for (const file of files) {
    const suite = await loadSuite(file, onDisk, {
      workspace: fileWorkspace(file, workspace),
      env: shell.env,
      ...(dotenv !== undefined && { dotenv: resolve(shell.folder, dotenv) }),
      ...(defaultJudge && { defaultJudge }),
      judgeOverride,
      ...(target !== undefined && { target }),
    });
    loaded.push(compactSuite(await expandSuite(suite), conversations));
  }
  collectEarly('running');
  return withoutIncluded(loaded);
}

/** Reads an eval file's cases. @returns undefined if it has errors */
export async function readCases(
  file: string,
  { env, folder }: Shell,
): Promise<HasCase | undefined> {
  const workspace = fileWorkspace(file, workspaceOf(folder));
  const { suite } = await expandSuite(await loadSuite(file, nodeFiles(), { workspace, env }));
  return suite && hasCaseOf(suite.cases);
}

/**
 * An included file runs with its suite: on its own, it would lack the suite's models and targets. If files include each
 * other, the last one is kept.
 */
function withoutIncluded(loaded: readonly LoadedSuite[]): LoadedSuite[] {
  const includers = new Map<string, string[]>();
  for (const { path, outline } of loaded) {
    for (const file of new Set(outline.map((one) => one.path))) {
      if (file !== path) addTo(includers, file, path);
    }
  }
  const dropped = new Set<string>();
  return loaded.filter(({ path }) => {
    const isIncluded = includers.get(path)?.some((other) => !dropped.has(other)) ?? false;
    if (isIncluded) dropped.add(path);
    return !isIncluded;
  });
}

function hideSecretsOf({ password, searchParams }: URL, scrubber: Scrubber): void {
  const name = 'of --base-url';
  scrubber.addPassword(name, password);
  for (const value of searchParams.values()) scrubber.add(name, value);
}
