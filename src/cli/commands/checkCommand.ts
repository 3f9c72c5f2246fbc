import { counted } from '../../core/presentation/amounts.ts';
import { visibleJson } from '../../core/presentation/visibleText.ts';
import { isError, type Problem } from '../../core/problem.ts';
import type { LoadedSuite } from '../../evalfile/loadedSuite.ts';
import { EXIT, type ExitCode } from '../exitCode.ts';
import type { Shell } from '../shell.ts';
import { loadSuites, problemsOf, showProblems } from '../suites.ts';

export interface CheckOptions {
  readonly format: 'text' | 'json';
}

/** Validates files without running anything. Invalid files exit with 3; warnings alone do not. */
export async function check(
  args: readonly string[],
  options: CheckOptions,
  shell: Shell,
): Promise<ExitCode> {
  const loaded = await Promise.all((await loadSuites(args, shell)).map(withVariants));
  const problems = problemsOf(loaded);
  const errors = problems.filter(isError).length;
  if (options.format === 'json') {
    const placed = problems.map((problem) => ({
      ...problem,
      line: problem.range.start.line + 1,
      column: problem.range.start.character + 1,
    }));
    shell.out.write(`${visibleJson(placed)}\n`);
  } else {
    showProblems(loaded, shell.folder, (text) => shell.out.write(text), true);
    const warnings = problems.filter(({ severity }) => severity === 'warning').length;
    const found = `${counted(errors, 'error')}, ${counted(warnings, 'warning')}`;
    shell.out.write(`Checked ${counted(loaded.length, 'file')}: ${found}.\n`);
  }
  return errors > 0 ? EXIT.invalid : EXIT.passed;
}

/** With what is wrong with each variant; they are read one after the other, and none is kept. */
async function withVariants(loaded: LoadedSuite): Promise<LoadedSuite> {
  const found: Problem[] = [];
  for (const one of loaded.suite?.cases ?? []) {
    const { problems = [] } = (await one.open?.()) ?? {};
    found.push(...problems);
  }
  if (found.length === 0) return loaded;
  const problems = problemsOf([{ ...loaded, problems: [...loaded.problems, ...found] }]);
  return { ...loaded, problems };
}
