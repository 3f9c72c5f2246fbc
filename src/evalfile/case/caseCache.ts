import type { SuiteCase } from '../../core/suite.ts';
import type { Files } from '../files.ts';
import type { LoadedSuite, LoadOptions, OutlineCase } from '../loadedSuite.ts';
import { outlineOf } from '../outline.ts';
import { type Report, Reporter } from '../reporter.ts';
import type { Scope } from '../scope.ts';
import { buildCase } from './buildCase.ts';
import type { CaseSource } from './caseSources.ts';

/** What came of a case. */
interface BuiltCase {
  readonly raw: unknown;
  readonly suiteCase: SuiteCase | undefined;
  readonly outline: Omit<OutlineCase, 'errors'>;
  readonly reports: readonly Report[];
  /** Whether other files were looked at, which may be others the next time. */
  readonly lookedAround: boolean;
}

/** What the cases of a suite rest on beside their own text. */
interface Ground {
  readonly lines: number;
  readonly head: Readonly<Record<string, unknown>>;
  readonly options: LoadOptions;
}

interface Kept {
  readonly ground: Ground;
  readonly cases: readonly BuiltCase[];
}

/** What came of the cases of a suite, for as long as somebody has that suite. */
const KEPT = new WeakMap<LoadedSuite, Kept>();

/**
 * The cases of a suite, built but for those that came out the same in an earlier version of the suite: the very
 * same data (`parseYaml` keeps those of the cases that did not change), on the same lines, under the
 * same head.
 */
export class CaseCache {
  readonly #scope: Scope;
  readonly #ground: Ground;
  readonly #built: BuiltCase[] = [];
  readonly #earlier: readonly BuiltCase[];

  constructor(scope: Scope, before: LoadedSuite | undefined) {
    this.#scope = scope;
    this.#ground = groundOf(scope);
    const kept = before && KEPT.get(before);
    this.#earlier = kept && isSame(kept.ground, this.#ground) ? kept.cases : [];
  }

  /** In their order, one after the other. */
  async caseOf(source: CaseSource): Promise<SuiteCase | undefined> {
    const known = this.#earlier[this.#built.length];
    const stays = known && !known.lookedAround && isObject(source.raw) && known.raw === source.raw;
    const built = stays ? known : await this.#build(source);
    this.#built.push(built);
    for (const { problem, owner } of built.reports) this.#scope.reporter.add(problem, owner);
    return built.suiteCase;
  }

  /** Once all cases are built: they may be at fault for each other's sake. */
  outline(): OutlineCase[] {
    return this.#built.map(({ outline }, owner) => ({
      ...outline,
      errors: this.#scope.reporter.errorsOf(owner),
    }));
  }

  /** For the next version of the suite. */
  keepFor(suite: LoadedSuite): void {
    KEPT.set(suite, { ground: this.#ground, cases: this.#built });
  }

  async #build(source: CaseSource): Promise<BuiltCase> {
    const reporter = new Reporter();
    let looks = 0;
    const files = watched(this.#scope.files, () => {
      looks += 1;
    });
    const scope = { ...this.#scope, reporter, files };
    const suiteCase = await buildCase(source, scope);
    const { errors: _, ...outline } = outlineOf(source, scope);
    const { raw } = source;
    return { raw, suiteCase, outline, reports: reporter.reports, lookedAround: looks > 0 };
  }
}

function groundOf({ document, options }: Scope): Ground {
  const { cases: _, ...head } = Object(document.value) as Record<string, unknown>;
  return { lines: document.positionAt(document.text.length).line, head, options };
}

function isSame(a: Ground, b: Ground): boolean {
  const keys = Object.keys(a.head);
  return (
    a.lines === b.lines &&
    keys.length === Object.keys(b.head).length &&
    keys.every((key) => a.head[key] === b.head[key]) &&
    a.options.workspace === b.options.workspace &&
    a.options.defaultJudge === b.options.defaultJudge &&
    a.options.judgeOverride === b.options.judgeOverride
  );
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function watched(files: Files, look: () => void): Files {
  const seen =
    <Asked extends unknown[], Answer>(ask: (...asked: Asked) => Answer) =>
    (...asked: Asked): Answer => {
      look();
      return ask(...asked);
    };
  return {
    read: seen((path: string, maxBytes: number) => files.read(path, maxBytes)),
    exists: seen((path: string) => files.exists(path)),
    realPath: seen((path: string) => files.realPath(path)),
    glob: seen((patterns: readonly string[], folder: string) => files.glob(patterns, folder)),
  };
}
