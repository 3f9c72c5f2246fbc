import { existsSync } from 'node:fs';
import { verdictsIn } from '../../analysis/agreement.ts';
import { ComparisonData } from '../../analysis/comparisonData.ts';
import { groupBy } from '../../core/data/data.ts';
import { agreesWith, type HasCase, type PlacedLabel } from '../../core/record/label.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { allKeyedVerdicts, keyedVerdicts, type Verdict } from '../../core/verdict.ts';
import { conversationHash } from '../../node/hashes.ts';
import { labelsFolder } from '../../node/paths.ts';
import { readLabels } from '../../store/labels.ts';
import { type OtherCases, opinionsOn } from '../labels/opinionsOn.ts';
import type { RunResults } from './runResults.ts';

/** Maximum number of cases to read at once. */
const AT_ONCE = 50;

/**
 * Marks the cells of labeled verdicts. Reads only cases that have labels, or that may have been renamed.
 *
 * @param readCases returns undefined if the eval file can't be read
 * @returns whether any marks changed
 */
export async function markLabels(
  results: RunResults,
  readCases: (suite: string) => Promise<HasCase | undefined>,
): Promise<boolean> {
  const { places, executions, table } = results;
  const marks = new Map<number, Map<number, boolean>>();
  for (const [suite, own] of groupBy([...places.entries()], ([, place]) => place.suite)) {
    if (!existsSync(labelsFolder(suite))) continue;
    const { labels } = await readLabels(suite);
    if (labels.length === 0) continue;
    const hasCase = await readCases(suite);
    const ids = new Set(labels.map((one) => one.case));
    const hashes = new Set(labels.map((one) => one.conversation_hash));
    const isEachInFile = labels.every((one) => hasCase?.(one.case, one.variant));
    const wanted = own.flatMap(([index, place]) =>
      !isEachInFile || ids.has(place.id) ? [{ ...place, index }] : [],
    );
    const data = new ComparisonData();
    const labeled: { readonly index: number; readonly line: CaseLine }[] = [];
    for (let at = 0; at < wanted.length; at += AT_ONCE) {
      for (const [{ index }, line] of await results.lines(wanted.slice(at, at + AT_ONCE))) {
        if (!hashes.has(conversationHash(line.conversation))) continue;
        data.add(line);
        labeled.push({ index, line });
      }
    }
    const others = { hasCase, candidatesFor: verdictsIn(data)(labelsFolder(suite)) };
    for (const { index, line } of labeled) {
      const { row = -1, from = 0 } = executions[index] ?? {};
      const cells = table.cases[row]?.cells.slice(from) ?? [];
      const found = marks.get(row) ?? new Map<number, boolean>();
      for (const [column, isWrong] of marksOf(line, labels, others, cells)) {
        found.set(column, isWrong || found.get(column) === true);
      }
      marks.set(row, found);
    }
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
  others: OtherCases,
  cells: readonly number[],
): [number, boolean][] {
  const keys = new Map(keyedVerdicts(line.verdicts).map(([key, verdict]) => [verdict, key]));
  const opinions = opinionsOn(line, labels, others).filter(
    (one) => one.standing !== 'earlier-text',
  );
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
