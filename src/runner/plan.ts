import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { groupBy } from '../core/data/data.ts';
import { LIMITS, readable } from '../core/limits.ts';
import { caseName } from '../core/presentation/words.ts';
import { RECORD_VERSION, type RunLine } from '../core/record/runRecord.ts';
import type { Assertion, ModelSpec, Suite, SuiteCase } from '../core/suite.ts';
import { UnwritableError } from '../disk/fileErrors.ts';
import { gitOutput } from '../disk/git.ts';
import { rootOfRecord } from '../node/paths.ts';
import { findDataFolders } from '../store/dataFolder.ts';
import { priceForBudget } from './budget.ts';
import { modelsOf } from './models.ts';
import { type PlannedCase, type RunOptions, RunRefusedError } from './runOptions.ts';

/** The cases with `only`, or all cases if none has it. */
export function filterOnly<One>(
  all: readonly One[],
  caseOf: (one: One) => Pick<SuiteCase, 'only'>,
): readonly One[] {
  const only = all.filter((one) => caseOf(one).only);
  return only.length > 0 ? only : all;
}

/** The selected cases of suites; all by default. */
export function selectedCases(
  suites: readonly Suite[],
  select: NonNullable<RunOptions['select']> = () => true,
): Pick<PlannedCase, 'suite' | 'case'>[] {
  return suites.flatMap((suite) =>
    suite.cases.filter((one) => select(suite, one)).map((one) => ({ suite, case: one })),
  );
}

/** A run's executions, in the order of the suites and their cases. @throws RunRefusedError */
export function planRun({
  suites,
  select,
  forbidOnly,
}: Pick<RunOptions, 'suites' | 'select' | 'forbidOnly'>): PlannedCase[] {
  const narrowed = filterOnly(selectedCases(suites, select), (one) => one.case);
  if (forbidOnly && narrowed[0]?.case.only) {
    const ids = narrowed.map((one) => one.case.id).join(', ');
    const message = `\`only\` is not allowed in this run. Remove it from these cases: ${ids}.`;
    throw new RunRefusedError('only-forbidden', message);
  }
  checkExecutions(narrowed.map((one) => one.case));
  return narrowed.flatMap(({ suite, case: suiteCase }) =>
    Array.from({ length: suiteCase.repeat.times }, (_, index) => ({
      suite,
      case: suiteCase,
      ref: {
        suite: suite.path,
        id: suiteCase.id,
        ...(suiteCase.variant !== undefined && { variant: suiteCase.variant }),
        repetition: index + 1,
      },
    })),
  );
}

/** @throws RunRefusedError if running these cases takes more executions than a record can contain */
export function checkExecutions(cases: readonly SuiteCase[]): void {
  const count = countExecutions(cases);
  if (count <= LIMITS.recordCases) return;
  const message = `The run would execute ${readable(count)} cases, including repetitions; the limit is ${readable(LIMITS.recordCases)}. Select fewer cases, or lower \`repeat\`.`;
  throw new RunRefusedError('too-many', message);
}

function countExecutions(cases: readonly SuiteCase[]): number {
  return cases.reduce((sum, { repeat }) => sum + repeat.times, 0);
}

/**
 * @param rootOf returns the root of a suite's record
 * @returns a line for the whole run with the first root's commit, and a line for each root with that root's files and
 * commit
 */
export async function describeRun(
  { described, resume, judgeAgain }: RunOptions,
  planned: readonly PlannedCase[],
  rootOf: (suite: string) => string,
): Promise<{ readonly run: RunLine; readonly byRoot: ReadonlyMap<string, RunLine> }> {
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
    const count = planned.filter(({ suite }) => rootOf(suite.path) === root).length;
    const described = { ...run, files: own, planned: count };
    byRoot.set(root, { ...described, ...(commit !== undefined && { commit }) });
  }
  const [first = run] = byRoot.values();
  return { run: { ...first, files, planned: planned.length }, byRoot };
}

function describeFile(
  { path, hash, cases }: Suite,
  planned: readonly PlannedCase[],
): RunLine['files'][number] {
  const chosen = [...new Set(planned.map((one) => one.case))];
  const sources = new Set(chosen.map(({ source }) => source.path));
  const includes = [...sources].filter((one) => one !== path);
  return {
    path,
    hash,
    ...(chosen.length < cases.length && { cases: chosen.map(caseName) }),
    ...(includes.length > 0 && { includes }),
  };
}

/** The judges of assertions, including nested ones. */
function judgesOf(assertions: readonly Assertion[]): ModelSpec[] {
  return assertions.flatMap(({ judge, nested = [] }) => [
    ...(judge ? [judge] : []),
    ...judgesOf(nested.map((one) => one.assertion)),
  ]);
}

export interface ChosenSuite {
  readonly suite: Suite;
  readonly cases: readonly SuiteCase[];
}

/** The suites that prevented a run from starting. Other suites can run without them. */
export function refusedSuites(
  error: unknown,
  suites: readonly ChosenSuite[],
): readonly ChosenSuite[] {
  if (error instanceof UnwritableError && error.path !== undefined) {
    const root = rootOfRecord(error.path);
    const dataFolders = findDataFolders(suites.map(({ suite }) => suite));
    return suites.filter(({ suite }) => dataFolders.get(suite.path)?.root === root);
  }
  if (error instanceof RunRefusedError && error.reason === 'too-many') {
    return suites.filter(({ cases }) => countExecutions(cases) > LIMITS.recordCases);
  }
  if (error instanceof RunRefusedError) return suites.filter(lacksPrice);
  return suites;
}

function lacksPrice({ cases }: ChosenSuite): boolean {
  try {
    modelsOf(cases).forEach(priceForBudget);
    return false;
  } catch {
    return true;
  }
}
