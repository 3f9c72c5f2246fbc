import { resolve } from 'node:path';
import { LIMITS } from '../../core/limits.ts';
import { caseName } from '../../core/presentation/words.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { nodeFiles } from '../../evalfile/nodeFiles.ts';
import { NOT_SIMULATED, type SaveAs, SaveError, savedCase } from '../../evalfile/savedCase.ts';
import { writeEvalFile } from '../../interop/importedFiles.ts';
import { shownPath } from '../../report/style.ts';
import { LatestRuns } from '../../store/records/latest.ts';
import { EXIT, type ExitCode, UsageError } from '../exitCode.ts';
import { assertWritesInside } from '../paths.ts';
import type { Shell } from '../shell.ts';
import { loadSuites } from '../suites.ts';

interface SaveOptions {
  /** `id`, or `id/variant`. */
  readonly case: string;
  readonly as: SaveAs;
  readonly repetition: number;
}

/** Saves a case's last simulated conversation as a new case. @throws UsageError, UnwritableError */
export async function save(
  file: string,
  { case: name, as, repetition }: SaveOptions,
  shell: Shell,
): Promise<ExitCode> {
  const [suite] = await loadSuites([resolve(shell.folder, file)], shell);
  if (!suite) throw new UsageError(`There is no eval file ${file}.`);
  const [id = '', ...rest] = name.split('/');
  const variant = rest.length > 0 ? rest.join('/') : undefined;
  const found = suite.outline.find((one) => one.id === id);
  if (!found) throw new UsageError(`There is no case "${visibleLine(id, 80)}" in ${file}.`);
  const runs = await new LatestRuns().find(suite.path, id, { variant });
  const line = runs.find((one) => one.line.repetition === repetition)?.line;
  if (!line) {
    const which = repetition > 1 ? `, repetition ${repetition}` : '';
    const known = suite.suite?.cases.filter((one) => one.id === id) ?? [];
    if (known.some(({ origin }) => origin.kind !== 'simulate')) throw new UsageError(NOT_SIMULATED);
    const several = known.find((one) => one.variant !== undefined);
    if (several && variant === undefined) {
      const example = visibleLine(caseName(several), 80);
      throw new UsageError(`${visibleLine(id, 80)} has variants. Pass one, such as "${example}".`);
    }
    throw new UsageError(`There is no run of ${visibleLine(name, 80)}${which}. Run it first.`);
  }
  assertWritesInside(found.path, shell.folder);
  const text = await nodeFiles().read(found.path, LIMITS.evalFile);
  const ids = suite.outline.map((one) => one.id);
  const saved = asUsageError(() => savedCase(text, found.path, line, as, ids));
  const lines = text.split('\n');
  const row = lines[saved.position.line] ?? '';
  lines[saved.position.line] =
    row.slice(0, saved.position.character) + saved.newText + row.slice(saved.position.character);
  await writeEvalFile(found.path, lines.join('\n'), true);
  const shown = shownPath(found.path, shell.folder);
  shell.out.write(`Saved ${visibleLine(caseName(line), 80)} as ${saved.id} in ${shown}.\n`);
  return EXIT.passed;
}

/** @throws UsageError */
function asUsageError<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof SaveError) throw new UsageError(error.message);
    throw error;
  }
}
