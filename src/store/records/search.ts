import { textFinder } from '../../core/record/searchedText.ts';
import { readLines } from '../../disk/jsonLines.ts';
import { openRegular } from '../../disk/regularFile.ts';
import type { RecordedLine } from './parseLine.ts';

export interface FoundCases {
  /** Indexes of the matching places. */
  readonly cases: readonly number[];
  /** Number of places searched so far. */
  readonly looked: number;
}

/** Number of cases between reports. */
const REPORT_INTERVAL = 250;

/**
 * Searches whole lines for a string, one slice of the record at a time.
 * @param from index of the first place to search
 * @yields the matches since the last report
 */
export async function* searchRecords(
  places: readonly RecordedLine[],
  text: string,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<FoundCases> {
  const contains = textFinder(text);
  let cases: number[] = [];
  for (let at = from; at < places.length; ) {
    const end = endOfRecord(places, at);
    for await (const value of valuesIn(places.slice(at, end))) {
      if (signal.aborted) return;
      if (contains(value)) cases.push(at);
      at += 1;
      if (at % REPORT_INTERVAL > 0) continue;
      yield { cases, looked: at };
      cases = [];
    }
    // The record may have been deleted or shortened.
    at = end;
  }
  yield { cases, looked: places.length };
}

/** Index of the first place after `start` that is in a different record. */
function endOfRecord(places: readonly RecordedLine[], start: number): number {
  const first = places[start];
  let end = start + 1;
  while (end < places.length && places[end]?.record === first?.record) end += 1;
  return end;
}

/** The parsed lines of one record. @param places places in the record, in order */
async function* valuesIn(places: readonly RecordedLine[]): AsyncGenerator<unknown> {
  const [first] = places;
  const last = places.at(-1);
  const file = first && last && (await openRegular(first.record).catch(() => undefined));
  if (!file) return;
  let next = 0;
  try {
    for await (const lines of readLines(file, first.offset, last.offset + last.length)) {
      for (const { offset, value } of lines) {
        if (offset !== places[next]?.offset) continue;
        next += 1;
        yield value;
      }
    }
  } finally {
    await file.close();
  }
}
