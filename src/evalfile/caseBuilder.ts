import type { SuiteCase } from '../core/suite.ts';
import { buildCase } from './buildCase.ts';
import type { CaseSource } from './caseSources.ts';
import type { Files } from './files.ts';
import type { LoadedSuite, LoadOptions, OutlineCase } from './loadedSuite.ts';
import { outlineOf } from './outline.ts';
import { type Report, Reporter } from './reporter.ts';
import type { Scope } from './scope.ts';

/** What came of a case. */
interface Outcome {
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

interface Memory {
  readonly ground: Ground;
  readonly outcomes: readonly Outcome[];
}

/** What came of the cases of a suite, for as long as somebody has that suite. */
const MEMORIES = new WeakMap<LoadedSuite, Memory>();

/**
 * Builds cases, but for those that came out the same in an earlier version of the suite: the very
 * same data (`parseYaml` keeps those of the cases that did not change), on the same lines, under the
 * same head.
 */
export class CaseBuilder {
  readonly #scope: Scope;
  readonly #ground: Ground;
  readonly #outcomes: Outcome[] = [];
  readonly #earlier: readonly Outcome[];

  constructor(scope: Scope, before: LoadedSuite | undefined) {
    this.#scope = scope;
    this.#ground = groundOf(scope);
    const memory = before && MEMORIES.get(before);
    this.#earlier = memory && isSame(memory.ground, this.#ground) ? memory.outcomes : [];
  }

  /** In their order, one after the other. */
  async build(source: CaseSource): Promise<SuiteCase | undefined> {
    const known = this.#earlier[this.#outcomes.length];
    const stays = known && !known.lookedAround && isObject(source.raw) && known.raw === source.raw;
    const outcome = stays ? known : await this.#made(source);
    this.#outcomes.push(outcome);
    for (const { problem, owner } of outcome.reports) this.#scope.reporter.add(problem, owner);
    return outcome.suiteCase;
  }

  /** Once all cases are built: they may be at fault for each other's sake. */
  outline(): OutlineCase[] {
    return this.#outcomes.map(({ outline }, owner) => ({
      ...outline,
      errors: this.#scope.reporter.errorsOf(owner),
    }));
  }

  rememberFor(suite: LoadedSuite): void {
    MEMORIES.set(suite, { ground: this.#ground, outcomes: this.#outcomes });
  }

  async #made(source: CaseSource): Promise<Outcome> {
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
