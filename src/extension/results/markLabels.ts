import { existsSync } from 'node:fs';
import { agreesWith, type PlacedLabel } from '../../core/record/label.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { allKeyedVerdicts, keyedVerdicts, type Verdict } from '../../core/verdict.ts';
import { labelsFolder } from '../../node/paths.ts';
import { readLabels } from '../../store/labels.ts';
import { opinionsOn } from '../labels/opinionsOn.ts';
import type { RunResults } from './runResults.ts';

/** Marks the cells of labeled verdicts. Reads only cases that have labels. @returns whether any marks changed */
export async function markLabels(results: RunResults): Promise<boolean> {
  const { places, executions, table } = results;
  const labels = new Map<string, readonly PlacedLabel[]>();
  for (const suite of new Set(places.map((one) => one.suite))) {
    if (existsSync(labelsFolder(suite))) labels.set(suite, (await readLabels(suite)).labels);
  }
  const named = new Map(
    [...labels].map(([suite, own]) => [suite, new Set(own.map((one) => one.case))]),
  );
  const wanted = places.flatMap((place, index) =>
    named.get(place.suite)?.has(place.id) ? [{ ...place, index }] : [],
  );
  const marks = new Map<number, Map<number, boolean>>();
  for (const [{ index, suite }, line] of await results.lines(wanted)) {
    const { row = -1, from = 0 } = executions[index] ?? {};
    const cells = table.cases[row]?.cells.slice(from) ?? [];
    const found = marks.get(row) ?? new Map<number, boolean>();
    for (const [column, isWrong] of marksOf(line, labels.get(suite) ?? [], cells)) {
      found.set(column, isWrong || found.get(column) === true);
    }
    marks.set(row, found);
  }
  let changed = false;
  for (const [index, one] of table.cases.entries()) {
    const found = [...(marks.get(index) ?? [])].flatMap(([column, isWrong]) => [
      column,
      isWrong ? 1 : 0,
    ]);
    if (found.join() === (one.people ?? []).join()) continue;
    changed = true;
    delete one.people;
    if (found.length > 0) one.people = found;
  }
  return changed;
}

/**
 * Labeled columns, and for each whether a person disagrees with the verdict or with the verdict on one of its turns.
 */
function marksOf(
  line: CaseLine,
  labels: readonly PlacedLabel[],
  cells: readonly number[],
): [number, boolean][] {
  const keys = new Map(keyedVerdicts(line.verdicts).map(([key, verdict]) => [verdict, key]));
  const opinions = opinionsOn(line, labels).filter((one) => one.standing !== 'earlier-text');
  return line.verdicts.flatMap((verdict, at): [number, boolean][] => {
    const within = new Map<string, Verdict>([
      [keys.get(verdict) ?? '', verdict],
      ...allKeyedVerdicts(verdict.nested ?? []),
    ]);
    const own = opinions.filter(({ assertion }) => within.has(assertion));
    const column = cells[2 * at];
    if (own.length === 0 || column === undefined) return [];
    const isWrong = own.some((opinion) => {
      const { turn, assertion } = opinion;
      const whole = within.get(assertion);
      const judged = turn === undefined ? whole : whole?.turns.find((one) => one.turn === turn);
      return judged !== undefined && !agreesWith(opinion, judged);
    });
    return [[column, isWrong]];
  });
}
