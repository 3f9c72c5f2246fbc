import { isMapping, mappingOf, memoize } from '../../core/data/data.ts';
import { LIMITS } from '../../core/limits.ts';
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
  /** Undefined if the case depends on how many characters earlier cases left over. */
  readonly raw: unknown;
  /** Number of characters in its filled-in text. */
  readonly filled: number;
  readonly suiteCase: SuiteCase | undefined;
  readonly outline: Omit<OutlineCase, 'errors'>;
  readonly reports: readonly Report[];
  readonly dependencies: ReadonlySet<string>;
  readonly prompts: ReadonlySet<LoadedPrompt>;
  /** The reads of other files, whose results can change. */
  readonly fileDependencies: readonly FileDependency[];
}

interface CachedCases {
  /** See `cacheKeyOf`. */
  readonly key: readonly unknown[];
  readonly cases: readonly BuiltCase[];
}

/** Each suite's built cases, kept as long as the suite is in use. */
const CACHED = new WeakMap<LoadedSuite, CachedCases>();

/**
 * Builds the cases of a suite, reusing cases from an earlier version that can't have changed: the same data
 * (`parseYaml` keeps the data of unchanged cases), the same lines, the same head of the file, and the same other files.
 */
export function caseCache(suite: Scope, before: LoadedSuite | undefined) {
  const key = cacheKeyOf(suite);
  const kept = before && CACHED.get(before);
  const isSame = (value: unknown, index: number) => value === kept?.key[index];
  const earlier = key.length === kept?.key.length && key.every(isSame) ? kept.cases : [];
  const cases: BuiltCase[] = [];
  return {
    /** Called for each case, in order. */
    async caseOf(source: CaseSource): Promise<SuiteCase | undefined> {
      const known = earlier[cases.length];
      // Identical text can occur in different places.
      const isSameData = isMapping(source.raw) && known?.raw === source.raw;
      const isReusable =
        isSameData &&
        known.filled <= suite.room.left &&
        (await areUnchanged(known.fileDependencies, suite.files));
      const built = isReusable ? known : await build(source);
      cases.push(built);
      suite.room.left -= built.filled;
      for (const path of built.dependencies) suite.dependencies.add(path);
      for (const { problem, owner } of built.reports) suite.reporter.add(problem, owner);
      return built.suiteCase;
    },
    /** Called after all cases are built, because one case can cause an error in another. */
    outline(): OutlineCase[] {
      const errors = suite.reporter.errors();
      return cases.map(({ outline }, owner) => {
        const own = [undefined, owner].flatMap((one) => errors.get(one) ?? []);
        return { ...outline, errors: own.map(({ problem }) => problem) };
      });
    },
    prompts: () => cases.flatMap(({ prompts }) => [...prompts]),
    keepFor: (loaded: LoadedSuite) => CACHED.set(loaded, { key, cases }),
  };
}

async function build({ raw, location }: CaseSource): Promise<BuiltCase> {
  const suite = location.scope;
  const reporter = new Reporter();
  const dependencies = new Set<string>();
  const prompts = new Set<LoadedPrompt>();
  const fileDependencies: FileDependency[] = [];
  const most = Math.min(LIMITS.filledCase, suite.room.left);
  const room = { left: most, isExceeded: false };
  const scope: Scope = {
    ...suite,
    reporter,
    room,
    dependencies,
    files: trackDependencies(suite.files, fileDependencies),
    loadPrompt: (text, path) => {
      const prompt = suite.loadPrompt(text, path);
      prompts.add(prompt);
      return prompt;
    },
  };
  const source = { raw, location: { ...location, scope } };
  const { suiteCase, ...known } = await buildCase(source);
  const outline = outlineOf(source, known);
  const { reports } = reporter;
  return {
    raw: room.isExceeded ? undefined : raw,
    filled: most - room.left,
    suiteCase,
    outline,
    reports,
    dependencies,
    prompts,
    fileDependencies,
  };
}

/** Everything that a case depends on in addition to its own text, compared by value. */
function cacheKeyOf({ document, options }: Scope): readonly unknown[] {
  const { cases: _, ...head } = mappingOf(document.value);
  const { workspace, defaultJudge, judgeOverride, target } = options;
  const lines = document.positionAt(document.text.length).line;
  return [lines, workspace, defaultJudge, judgeOverride, target, ...Object.entries(head).flat()];
}

/** A case's read of another file. */
interface FileDependency {
  ask(files: Files): Promise<unknown>;
  /** A digest of the result. */
  readonly answer: Promise<string>;
}

/** Wraps files to record each read. */
function trackDependencies(files: Files, fileDependencies: FileDependency[]): Files {
  return interceptFiles((_question, ask) => {
    const answer = ask(files);
    fileDependencies.push({ ask, answer: markOf(answer) });
    return answer;
  });
}

async function areUnchanged(
  fileDependencies: readonly FileDependency[],
  files: Files,
): Promise<boolean> {
  const same = await Promise.all(
    fileDependencies.map(async ({ ask, answer }) => (await markOf(ask(files))) === (await answer)),
  );
  return same.every(Boolean);
}

/** Wraps files to perform each read once, so that cases can share the results. */
export function memoizeFiles(files: Files): Files {
  const answers = new Map<string, Promise<unknown>>();
  return interceptFiles(<Answer>(question: string, ask: (from: Files) => Promise<Answer>) => {
    const answer = (answers.get(question) as Promise<Answer> | undefined) ?? ask(files);
    answers.set(question, answer);
    return answer;
  });
}

/** Wraps files to pass each read to a function, with a key that identifies it. */
function interceptFiles(
  through: <Answer>(question: string, ask: (from: Files) => Promise<Answer>) => Promise<Answer>,
): Files {
  return {
    read: (path, most) => through(`read ${most} ${path}`, (from) => from.read(path, most)),
    image: (path) => through(`image ${path}`, (from) => from.image(path)),
    kindOf: (path) => through(`kindOf ${path}`, (from) => from.kindOf(path)),
    realPath: (path) => through(`realPath ${path}`, (from) => from.realPath(path)),
    glob: (patterns, folder) =>
      through(JSON.stringify([patterns, folder]), (from) => from.glob(patterns, folder)),
  };
}

/** A text's digest, which avoids keeping the text in memory. */
const markOf = memoize(
  (answer: Promise<unknown>): Promise<string> =>
    answer.then(
      (given) => (typeof given === 'string' ? sha256(given) : JSON.stringify(given)),
      (error: unknown) => (error instanceof FileError ? error.reason : String(error)),
    ),
);
