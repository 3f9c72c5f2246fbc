import { addTo } from '../../core/data/data.ts';
import { isError, type Problem } from '../../core/problem.ts';
import { counted } from '../../core/text/format.ts';
import { visibleJson } from '../../core/text/visibleText.ts';
import type { LoadedSuite } from '../../evalfile/loadedSuite.ts';
import { EXIT, type ExitCode } from '../exitCode.ts';
import { groupWarnings, problemsOf, reportProblems } from '../problems.ts';
import type { Shell } from '../shell.ts';
import { loadSuites } from '../suites.ts';

/**
 * Validates files without running anything. Exits with 3 if a file is invalid; warnings alone don't change the exit
 * code.
 */
export async function check(
  args: readonly string[],
  { format }: { readonly format: 'text' | 'json' },
  shell: Shell,
): Promise<ExitCode> {
  // Programs that read the output get each problem separately.
  const folder = format === 'json' ? undefined : shell.folder;
  const suites = await loadSuites(args, shell);
  const loaded = await Promise.all(suites.map((suite) => withVariants(suite, folder)));
  const problems = problemsOf(loaded);
  const errors = problems.filter(isError).length;
  if (format === 'json') {
    const placed = problems.map((problem) => ({
      ...problem,
      line: problem.range.start.line + 1,
      column: problem.range.start.character + 1,
    }));
    shell.out.write(`${visibleJson(placed)}\n`);
  } else {
    reportProblems(loaded, shell.folder, (text) => shell.out.write(text), true);
    const warnings = problems.filter(({ severity }) => severity === 'warning').length;
    const found = `${counted(errors, 'error')}, ${counted(warnings, 'warning')}`;
    shell.out.write(`Checked ${counted(loaded.length, 'file')}: ${found}.\n`);
  }
  return errors > 0 ? EXIT.invalid : EXIT.passed;
}

/**
 * Adds each variant's problems.
 *
 * @param folder base of paths in grouped warnings; undefined to keep warnings separate
 */
async function withVariants(loaded: LoadedSuite, folder: string | undefined): Promise<LoadedSuite> {
  const byCase = new Map<string, Problem[]>();
  for (const one of loaded.suite?.cases ?? []) {
    const { problems = [] } = (await one.open?.()) ?? {};
    for (const problem of problems) addTo(byCase, one.id, problem);
  }
  if (byCase.size === 0) return loaded;
  const found = [...byCase.values()].flatMap((own) =>
    folder === undefined ? own : groupWarnings(own, folder),
  );
  const problems = problemsOf([{ ...loaded, problems: [...loaded.problems, ...found] }]);
  return { ...loaded, problems };
}
