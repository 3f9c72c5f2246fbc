import { resolve } from 'node:path';
import { visibleLine } from '../core/presentation/visibleText.ts';
import { isError, type Problem } from '../core/problem.ts';
import type { Scrubber } from '../core/scrubber.ts';
import { compactSuite } from '../evalfile/compactSuite.ts';
import { loadSuite } from '../evalfile/load.ts';
import type { JudgeOverride, LoadedSuite } from '../evalfile/loadedSuite.ts';
import { nodeFiles } from '../evalfile/nodeFiles.ts';
import { expandSuite } from '../evalfile/variants/expandSuite.ts';
import { shownPath } from '../report/shownPath.ts';
import { collectEarly } from './collectEarly.ts';
import { fileWorkspace, findEvalFiles, workspaceOf } from './evalFiles.ts';
import type { Shell } from './shell.ts';

/**
 * Reads every eval file that the arguments name, included ones as part of theirs, and finds the variants of
 * their cases. A judge and an endpoint that are given take the place of those in the files.
 *
 * @param isOwnAddress whether the user gave `baseUrl`: one of a record needs the consent that one of an eval file needs
 * @throws UsageError
 */
export async function loadSuites(
  args: readonly string[],
  shell: Shell,
  { judge, baseUrl }: Pick<JudgeOverride, 'judge' | 'baseUrl'> = {},
  isOwnAddress = true,
): Promise<LoadedSuite[]> {
  collectEarly('reading');
  const workspace = workspaceOf(shell.folder);
  const defaultJudge = shell.env('TURNLIGHT_JUDGE');
  const judgeOverride = { ...(judge && { judge }), ...(baseUrl && { baseUrl, isOwnAddress }) };
  if (baseUrl && URL.canParse(baseUrl)) hideSecretsOf(new URL(baseUrl), shell.scrubber);
  const files = await findEvalFiles(args, shell.folder);
  const onDisk = nodeFiles(new Set(args.map((arg) => resolve(shell.folder, arg))));
  const loaded: LoadedSuite[] = [];
  // One after the other: a file that is being read takes fifty times its size.
  for (const file of files) {
    const suite = await loadSuite(file, onDisk, {
      workspace: fileWorkspace(file, workspace),
      env: shell.env,
      ...(defaultJudge && { defaultJudge }),
      judgeOverride,
    });
    loaded.push(compactSuite(await expandSuite(suite)));
  }
  collectEarly('running');
  // What a suite includes is run with it: by itself it lacks the suite's models and targets.
  const included = new Set(loaded.flatMap(({ dependencies }) => dependencies));
  return loaded.filter(({ path }) => !included.has(path));
}

function hideSecretsOf({ password, searchParams }: URL, scrubber: Scrubber): void {
  const name = 'of --base-url';
  for (const value of [decodeURIComponent(password), ...searchParams.values()])
    scrubber.add(name, value);
}

/** Each problem once: files that several suites include are read for each. */
export function problemsOf(loaded: readonly LoadedSuite[]): Problem[] {
  const seen = new Map<string, Problem>();
  for (const problem of loaded.flatMap((one) => one.problems)) {
    const { path, code, message, range } = problem;
    seen.set(JSON.stringify([path, code, message, range]), problem);
  }
  return [...seen.values()];
}

/** `evals/a.eval.yaml:7:5: error unknown-key There is no key "asserts". …` */
function problemLine(problem: Problem, folder: string): string {
  const { line, character } = problem.range.start;
  const message = visibleLine(problem.message);
  return `${shownPath(problem.path, folder)}:${line + 1}:${character + 1}: ${problem.severity} ${problem.code} ${message}`;
}

/**
 * Writes problems to `write`, one a line.
 *
 * @param all also what asks for nothing
 * @returns whether one of them is an error
 */
export function showProblems(
  loaded: readonly LoadedSuite[],
  folder: string,
  write: (text: string) => void,
  all = false,
): boolean {
  const problems = problemsOf(loaded).filter(({ severity }) => all || severity !== 'information');
  for (const problem of problems) write(`${problemLine(problem, folder)}\n`);
  return problems.some(isError);
}
