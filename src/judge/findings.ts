import { numbersOf } from '../assertions/shared/entries.ts';
import { fence } from '../core/text/visibleText.ts';
import type { Part } from './parts.ts';

/** What was found about a part. */
export interface JudgedPart<Answer> {
  readonly part: Part;
  readonly answer: Answer;
}

/** What the entries of turns do without where findings do not fit; the judge is told. */
interface LeftOut {
  readonly keys: readonly string[];
  readonly note?: string;
}

const NOTHING: LeftOut = { keys: [] };
const QUOTES: LeftOut = { keys: ['evidence'], note: '[quotes of turns are not shown]' };
const WORDS: LeftOut = {
  keys: ['evidence', 'rationale'],
  note: '[quotes and reasons of turns are not shown]',
};

/** Findings about all parts, in fewer and fewer words: the first that fits is sent. */
export function findingsOfAll(judged: readonly JudgedPart<unknown>[]): string[] {
  return [NOTHING, QUOTES, WORDS].map((leftOut) => findings(judged, leftOut));
}

/** As `findingsOfAll`, and then without those about the earliest parts, which are named. */
export function findingsOfLatest(judged: readonly JudgedPart<unknown>[]): string[] {
  return [
    ...findingsOfAll(judged),
    ...judged.map((_one, index) => findings(judged, WORDS, index + 1)),
  ];
}

/** @param from the first part of which the findings are shown */
function findings(
  judged: readonly JudgedPart<unknown>[],
  { keys, note }: LeftOut,
  from = 0,
): string {
  const missing = judged.slice(0, from).flatMap(({ part }) => part.turns);
  const about = judged
    .slice(from)
    .map(
      ({ part, answer }) =>
        `[findings about turns ${numbersOf(part.turns)}]\n${fence(JSON.stringify(answer, without(keys)))}`,
    );
  return [
    '=== FINDINGS ABOUT EARLIER PARTS ===',
    ...(missing.length === 0 ? [] : [`[findings about turns ${numbersOf(missing)} are not shown]`]),
    ...(note === undefined ? [] : [note]),
    ...about,
    '=== END OF FINDINGS ===',
  ].join('\n');
}

/** For `JSON.stringify`: leaves these keys out of the entries of turns. */
function without(keys: readonly string[]) {
  return (key: string, value: unknown): unknown => {
    if (key !== 'turns' || !Array.isArray(value)) return value;
    return value.map((entry: object) =>
      Object.fromEntries(Object.entries(entry).filter(([name]) => !keys.includes(name))),
    );
  };
}
