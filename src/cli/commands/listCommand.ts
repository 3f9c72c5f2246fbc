import { groupBy } from '../../core/data/data.ts';
import type { SimulatedUser, SuiteCase } from '../../core/suite.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import type { OutlineCase } from '../../evalfile/loadedSuite.ts';
import { shownPath } from '../../report/style.ts';
import { EXIT, type ExitCode } from '../exitCode.ts';
import { reportProblems } from '../problems.ts';
import type { Shell } from '../shell.ts';
import { loadSuites } from '../suites.ts';

/** Lists the cases of each file. Problems go to standard error; invalid files exit with 3. */
export async function list(args: readonly string[], shell: Shell): Promise<ExitCode> {
  const loaded = await loadSuites(args, shell);
  for (const { path, outline, suite } of loaded) {
    shell.out.write(`${shownPath(path, shell.folder)}\n`);
    const valid = groupBy(suite?.cases ?? [], ({ id }) => id);
    for (const one of outline) {
      const cases = valid.get(one.id ?? '') ?? [];
      shell.out.write(`  ${describe(one, cases[0])}\n`);
      for (const { variant, tags } of cases) {
        if (variant !== undefined) shell.out.write(`    ${describeVariant(variant, tags, one)}\n`);
      }
    }
  }
  const invalid = reportProblems(loaded, shell.folder, (text) => shell.err.write(text));
  return invalid ? EXIT.invalid : EXIT.passed;
}

/** `line-7  [vip]`: a variant with the tags that its case doesn't have. */
function describeVariant(variant: string, tags: readonly string[], one: OutlineCase): string {
  const own = tags.filter((tag) => !one.tags.includes(tag));
  const named = visibleLine(variant, 80);
  return own.length > 0 ? `${named}  [${visibleLine(own.join(', '), 80)}]` : named;
}

/** `order-status  A smooth session.  [orders]  ×3  (only)` */
function describe(one: OutlineCase, valid: SuiteCase | undefined): string {
  const parts = [one.id === undefined ? '(no id)' : visibleLine(one.id, 80)];
  if (one.description !== undefined) parts.push(visibleLine(one.description, 80));
  if (one.tags.length > 0) parts.push(`[${visibleLine(one.tags.join(', '), 80)}]`);
  if (one.repetitions > 1) parts.push(`×${one.repetitions}`);
  if (valid?.origin.kind === 'simulate') parts.push(`(${simulatedText(valid.origin.user)})`);
  if (valid?.only) parts.push('(only)');
  if (valid?.skip) parts.push(`(${skippedText(valid.skip.reason)})`);
  if (one.errors.length > 0) parts.push('(has errors)');
  return parts.join('  ');
}

function simulatedText({ model }: SimulatedUser): string {
  return model ? `simulated by ${visibleLine(model.id, 80)}` : 'simulated, no model set';
}

function skippedText(reason: string | undefined): string {
  return reason === undefined ? 'skipped' : `skipped: ${visibleLine(reason, 80)}`;
}
