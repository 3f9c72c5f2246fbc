import { recordsAt } from './append.ts';
import { keptHomes } from './home.ts';
import type { FoundCase } from './latest.ts';
import { RecordReader } from './recordIndex.ts';
import { newestFirst } from './recordNames.ts';

/** So many runs of an eval file are looked through for verdicts on labelled conversations. */
export const LABELLED_RUNS = 20;

/** Lines that are read at once. */
const AT_ONCE = 50;

/**
 * The lines of an eval file's last runs that labels may speak of, the newest run first: of the newest all, since
 * a case may have been renamed, and of the others those of cases that labels name.
 *
 * @param evalFile absolute
 * @param ids of those cases; all by default
 */
export async function* labelledLines(
  evalFile: string,
  ids?: ReadonlySet<string>,
): AsyncGenerator<FoundCase> {
  const { path, kept } = keptHomes(evalFile);
  const records = (await Promise.all(kept.map(recordsAt))).flatMap(newestFirst);
  let runs = 0;
  for (const record of records) {
    if (runs === LABELLED_RUNS) return;
    const reader = new RecordReader(record);
    const { entries } = await reader.index();
    const wanted = entries.filter(({ id }) => runs === 0 || !ids || ids.has(id));
    let isOfFile = false;
    for (let from = 0; from < wanted.length; from += AT_ONCE) {
      const lines = await reader.lines(wanted.slice(from, from + AT_ONCE));
      for (const line of lines.values()) {
        if (line.suite !== path && line.suite !== evalFile) continue;
        isOfFile = true;
        yield { line, record };
      }
    }
    if (isOfFile) runs += 1;
  }
}
