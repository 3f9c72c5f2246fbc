import { isMapping, mappingOf } from '../../core/data/data.ts';
import type { SuiteCase } from '../../core/suite.ts';
import { sha256 } from '../../node/hashes.ts';
import { FileError, type Files } from '../files.ts';
import type { LoadedSuite, OutlineCase } from '../loadedSuite.ts';
import type { LoadedPrompt } from '../prompt.ts';
import { type Report, Reporter, type Scope } from '../scope.ts';
import { buildCase } from './buildCase.ts';
import type { CaseSource } from './caseSources.ts';
import { outlineOf } from './outline.ts';

interface BuiltCase {
  readonly raw: unknown;
  readonly suiteCase: SuiteCase | undefined;
  readonly outline: Omit<OutlineCase, 'errors'>;
  readonly reports: readonly Report[];
  readonly dependencies: ReadonlySet<string>;
  readonly prompts: ReadonlySet<LoadedPrompt>;
  /** What was asked about other files, which may be others the next time. */
  readonly fileDependencies: readonly FileDependency[];
}

/** What the cases of a suite rest on beside their own text: values, compared one by one. */
type CacheKey = readonly unknown[];

interface CachedCases {
  readonly ground: CacheKey;
  readonly cases: readonly BuiltCase[];
}

/** What came of the cases of a suite, for as long as somebody has that suite. */
const CACHED = new WeakMap<LoadedSuite, CachedCases>();

/**
 * The cases of a suite, built but for those that came out the same in an earlier version of the suite: the very
 * same data (`parseYaml` keeps those of the cases that did not change), on the same lines, under the
 * same head, with the same other files.
 */
export function caseCache(suite: Scope, before: LoadedSuite | undefined) {
  const ground = cacheKeyOf(suite);
  const kept = before && CACHED.get(before);
  const isSame = (value: unknown, index: number) => value === kept?.ground[index];
  const stays = ground.length === kept?.ground.length && ground.every(isSame);
  const earlier = stays ? kept.cases : [];
  const cases: BuiltCase[] = [];
  return {
    /** In their order, one after the other. */
    async caseOf(source: CaseSource): Promise<SuiteCase | undefined> {
      const known = earlier[cases.length];
      // Two texts may be equal and stand at other places.
      const unchanged = isMapping(source.raw) && known?.raw === source.raw;
      const isStillSo =
        known && unchanged && (await areUnchanged(known.fileDependencies, suite.files));
      const built = isStillSo ? known : await build(source, suite);
      cases.push(built);
      for (const path of built.dependencies) suite.dependencies.add(path);
      for (const { problem, owner } of built.reports) suite.reporter.add(problem, owner);
      return built.suiteCase;
    },
    /** Once all cases are built: they may be at fault for each other's sake. */
    outline(): OutlineCase[] {
      const errors = suite.reporter.errors();
      return cases.map(({ outline }, owner) => ({
        ...outline,
        errors: [undefined, owner]
          .flatMap((one) => errors.get(one) ?? [])
          .map(({ problem }) => problem),
      }));
    },
    prompts: () => cases.flatMap(({ prompts }) => [...prompts]),
    keepFor: (loaded: LoadedSuite) => CACHED.set(loaded, { ground, cases }),
  };
}

async function build(source: CaseSource, suite: Scope): Promise<BuiltCase> {
  const reporter = new Reporter();
  const dependencies = new Set<string>();
  const prompts = new Set<LoadedPrompt>();
  const fileDependencies: FileDependency[] = [];
  const scope: Scope = {
    ...suite,
    reporter,
    dependencies,
    files: trackDependencies(suite.files, fileDependencies),
    loadPrompt: (text, path) => {
      const prompt = suite.loadPrompt(text, path);
      prompts.add(prompt);
      return prompt;
    },
  };
  const { suiteCase, ...known } = await buildCase(source, scope);
  const outline = outlineOf(source, known, scope);
  const { raw } = source;
  return {
    raw,
    suiteCase,
    outline,
    reports: reporter.reports,
    dependencies,
    prompts,
    fileDependencies,
  };
}

function cacheKeyOf({ document, options }: Scope): CacheKey {
  const { cases: _, ...head } = mappingOf(document.value);
  const { workspace, defaultJudge, judgeOverride } = options;
  const lines = document.positionAt(document.text.length).line;
  return [lines, workspace, defaultJudge, judgeOverride, ...Object.entries(head).flat()];
}

/** A question about other files that was asked for a case. */
interface FileDependency {
  ask(files: Files): Promise<unknown>;
  /** What tells its answer from others. */
  readonly answer: Promise<string>;
}

/** Files that note what they are asked. */
function trackDependencies(files: Files, fileDependencies: FileDependency[]): Files {
  return interceptFiles((_question, ask) => {
    const answer = ask(files);
    fileDependencies.push({ ask, answer: markOf(answer) });
    return answer;
  });
}

/** Whether all questions still have the answers that they had. */
async function areUnchanged(
  fileDependencies: readonly FileDependency[],
  files: Files,
): Promise<boolean> {
  const same = await Promise.all(
    fileDependencies.map(async ({ ask, answer }) => (await markOf(ask(files))) === (await answer)),
  );
  return same.every(Boolean);
}

/** Files of which each question is asked once: cases that name the same file share its answer. */
export function memoizeFiles(files: Files): Files {
  const answers = new Map<string, Promise<unknown>>();
  return interceptFiles(<Answer>(question: string, ask: (from: Files) => Promise<Answer>) => {
    const answer = (answers.get(question) as Promise<Answer> | undefined) ?? ask(files);
    answers.set(question, answer);
    return answer;
  });
}

/** Files of which each question goes through a function, which is told it in words as well. */
function interceptFiles(
  through: <Answer>(question: string, ask: (from: Files) => Promise<Answer>) => Promise<Answer>,
): Files {
  return {
    read: (path, most) => through(`read ${most} ${path}`, (from) => from.read(path, most)),
    kindOf: (path) => through(`kindOf ${path}`, (from) => from.kindOf(path)),
    realPath: (path) => through(`realPath ${path}`, (from) => from.realPath(path)),
    glob: (patterns, folder) =>
      through(JSON.stringify([patterns, folder]), (from) => from.glob(patterns, folder)),
  };
}

/** Of a text its digest, so that no text is kept for the comparison. */
const MARKS = new WeakMap<Promise<unknown>, Promise<string>>();

function markOf(answer: Promise<unknown>): Promise<string> {
  const known = MARKS.get(answer);
  if (known) return known;
  const mark = answer.then(
    (given) => (typeof given === 'string' ? sha256(given) : JSON.stringify(given)),
    (error: unknown) => (error instanceof FileError ? error.reason : String(error)),
  );
  MARKS.set(answer, mark);
  return mark;
}
