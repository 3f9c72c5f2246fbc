import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { groupBy } from '../core/data/data.ts';
import { caseName } from '../core/presentation/words.ts';
import { RECORD_VERSION, type RunLine } from '../core/record/runRecord.ts';
import type { Assertion, ModelSpec, Suite } from '../core/suite.ts';
import { gitOutput } from '../disk/git.ts';
import type { PlannedCase } from './caseRunner.ts';
import type { RunOptions } from './runOptions.ts';

export interface DescribedRun {
  /** With the commit of the first root. */
  readonly run: RunLine;
  /** For the record at each root: with its own files and their commit. */
  readonly byRoot: ReadonlyMap<string, RunLine>;
}

/** What a run says of itself before it begins. @param rootOf where the records of a suite stand */
export async function describeRun(
  { described, resume, judgeAgain }: RunOptions,
  planned: readonly PlannedCase[],
  rootOf: (suite: string) => string,
): Promise<DescribedRun> {
  const judges = planned.flatMap((one) => judgesOf(one.case.assertions));
  const bySuite = groupBy(planned, ({ suite }) => suite);
  const files = [...bySuite].map(([suite, own]) => describeFile(suite, own));
  const now = new Date().toISOString();
  const run: RunLine = {
    kind: 'run',
    version: RECORD_VERSION,
    id: resume?.run.id ?? randomBytes(4).toString('hex'),
    started: resume?.run.started ?? now,
    ...(resume && { resumed: [...(resume.run.resumed ?? []), now] }),
    ...(judgeAgain && { judged_from: judgeAgain.run.id }),
    files,
    planned: planned.length,
    options: { ...resume?.run.options, ...described },
    judges: [...new Set(judges.map(({ id }) => id))],
  };
  const byRoot = new Map<string, RunLine>();
  for (const [root, own] of groupBy(files, ({ path }) => rootOf(path))) {
    const commit = await gitOutput(['rev-parse', 'HEAD'], dirname(own[0].path));
    const ofRoot = planned.filter(({ suite }) => rootOf(suite.path) === root).length;
    byRoot.set(root, {
      ...run,
      files: own,
      planned: ofRoot,
      ...(commit !== undefined && { commit }),
    });
  }
  const [first = run] = byRoot.values();
  return { run: { ...first, files, planned: planned.length }, byRoot };
}

function describeFile(
  { path, hash, cases }: Suite,
  planned: readonly PlannedCase[],
): RunLine['files'][number] {
  const chosen = [...new Set(planned.map((one) => one.case))];
  return { path, hash, ...(chosen.length < cases.length && { cases: chosen.map(caseName) }) };
}

/** The judges of assertions and of those that they hold. */
function judgesOf(assertions: readonly Assertion[]): ModelSpec[] {
  return assertions.flatMap(({ judge, nested = [] }) => [
    ...(judge ? [judge] : []),
    ...judgesOf(nested.map((one) => one.assertion)),
  ]);
}
