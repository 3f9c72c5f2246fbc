import * as z from 'zod';
import { mappingOf } from '../core/data/data.ts';
import { fitting, listOf } from '../core/data/listOf.ts';
import { oneAtATime } from '../core/oneAtATime.ts';
import { countCases, type RepeatedLine, type Repetition } from '../core/record/repetitions.ts';
import { caseLineSchema, type EndLine, endLineSchema } from '../core/record/runRecord.ts';
import { sumOfKnown } from '../core/scoring.ts';
import { isFailure, type Status, statusSchema } from '../core/verdict.ts';
import { RecordFollower } from './recordFollower.ts';
import type { Line } from './recordLines.ts';

/** What of the verdicts of a line may decide its case. */
export const gateListSchema = listOf(
  z.object({ status: statusSchema, assertion: z.object({ required: z.boolean() }) }),
);

const glanceSchema = caseLineSchema
  .pick({
    suite: true,
    id: true,
    variant: true,
    status: true,
    score: true,
    must_pass: true,
    usage: true,
    duration: true,
  })
  .extend({ verdicts: gateListSchema });

/** Of an execution what counts in a list of runs and in trends; of its verdicts those that decide whatever others say. */
export interface CaseGlance extends RepeatedLine {
  readonly cost: number | null;
  readonly duration: number;
}

/** @returns undefined where it is no line of a case */
export function glanceAt(value: unknown): CaseGlance | undefined {
  if (mappingOf(value).kind !== 'case') return undefined;
  const line = fitting(glanceSchema, value);
  if (!line) return undefined;
  const { usage, verdicts, ...rest } = line;
  return { ...rest, cost: usage.cost, verdicts: gatesOf(verdicts) };
}

/** Those that decide, whatever others say. */
export function gatesOf(verdicts: Repetition['verdicts']): Repetition['verdicts'] {
  const gates = verdicts.filter((one) => one.assertion.required && isFailure(one));
  // Thousands of cases have none.
  return gates.length === 0 ? NO_GATES : gates;
}

const NO_GATES: Repetition['verdicts'] = [];

/** Counts the cases of a record as it grows: what was read before is not read again. */
export class RecordCount {
  readonly #follower: RecordFollower;
  #glances: CaseGlance[] = [];
  end: EndLine | undefined;

  /** @param path absolute */
  constructor(path: string) {
    this.#follower = new RecordFollower(path);
  }

  readonly readOn = oneAtATime(() =>
    this.#follower.readOn({ anew: () => this.#forget(), line: (line) => this.#add(line) }),
  );

  get counts(): Readonly<Record<Status, number>> {
    return countCases(this.#glances);
  }

  /** Null where nothing is known of it. */
  get cost(): number | null {
    return sumOfKnown(this.#glances.map(({ cost }) => cost));
  }

  #forget(): void {
    this.#glances = [];
    this.end = undefined;
  }

  #add({ value }: Line): void {
    const glance = glanceAt(value);
    if (glance) this.#glances.push(glance);
    else if (mappingOf(value).kind === 'end') this.end = fitting(endLineSchema, value) ?? this.end;
  }
}
