import type { Problem, Range } from '../core/problem.ts';
import { isError } from '../core/problem.ts';

/** A problem, and the case that it keeps from running; undefined where it is the whole file. */
export interface Report {
  readonly problem: Problem;
  readonly owner: number | undefined;
}

type Details = Partial<Pick<Problem, 'severity' | 'replacement' | 'fix' | 'unnecessary'>>;

/**
 * Collects the problems of a suite and whom they keep from running: the whole file, or one case
 * (its place in the suite, from 0).
 */
export class Reporter {
  readonly #found: Report[] = [];
  readonly #errors = new Map<number | undefined, Problem[]>();

  add(problem: Problem, owner?: number): void {
    this.#found.push({ problem, owner });
    if (!isError(problem)) return;
    const errors = this.#errors.get(owner);
    if (errors) errors.push(problem);
    else this.#errors.set(owner, [problem]);
  }

  /** Everything, as it was told. */
  get reports(): readonly Report[] {
    return this.#found;
  }

  get hasErrors(): boolean {
    return this.#errors.size > 0;
  }

  say(
    code: string,
    message: string,
    place: { readonly path: string; readonly range: Range },
    owner?: number,
    details: Details = {},
  ): void {
    const { path, range } = place;
    this.add({ code, message, severity: 'error', path, range, ...details }, owner);
  }

  /** Sorted by file and place, each once. Of a file that does not parse, only why it does not. */
  all(): Problem[] {
    // What an alias stands for is read twice and told once: the first time, where it was written.
    const unique = new Map<string, Problem>();
    for (const { problem } of this.#found) {
      const { code, message, path, range } = problem;
      const key = JSON.stringify([code, message, path, range]);
      if (!unique.has(key)) unique.set(key, problem);
    }
    const problems = [...unique.values()].sort(byPlace);
    const unparsed = new Set(problems.filter(isSyntax).map(({ path }) => path));
    return problems.filter((problem) => !unparsed.has(problem.path) || isSyntax(problem));
  }

  /** The errors that keep a case from running, the file's own included. */
  errorsOf(owner: number): Problem[] {
    return [...(this.#errors.get(undefined) ?? []), ...(this.#errors.get(owner) ?? [])];
  }
}

const SYNTAX = ['yaml-syntax', 'tab-indent', 'several-documents', 'too-deep'];

function isSyntax({ code }: Problem): boolean {
  return SYNTAX.includes(code);
}

function byPlace(a: Problem, b: Problem): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  const { line, character } = a.range.start;
  return line - b.range.start.line || character - b.range.start.character;
}
