import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ComparableRun } from '../../src/analysis/compareRuns.ts';
import { ComparisonData } from '../../src/analysis/comparisonData.ts';
import { type CaseLine, RECORD_VERSION, type RunLine } from '../../src/core/record/runRecord.ts';
import { caseStatus } from '../../src/core/scoring.ts';
import { NO_USAGE, type Status, type TurnVerdict, type Verdict } from '../../src/core/verdict.ts';
import { seededRandom } from '../../src/statistics/intervals.ts';
import { buildCaseLine, talk } from './buildRun.ts';

/** A score, which passes if it is at least 0.5, or a status without a score. */
export type Given = number | 'error' | 'skipped';

export interface BuiltVerdict {
  readonly key?: string;
  readonly question?: string;
  readonly judge?: string | null;
  readonly turns?: readonly [turn: number, given: Given][];
  readonly unstable?: boolean;
  readonly samples?: number;
  readonly cached?: boolean;
  readonly required?: boolean;
}

function outcomeOf(given: Given) {
  return typeof given === 'number'
    ? { status: given >= 0.5 ? ('pass' as const) : ('fail' as const), score: given }
    : { status: given, score: null };
}

export function buildVerdict(given: Given, built: BuiltVerdict = {}): Verdict {
  const { key = 'Kind', judge = 'openai:judge', question = 'q1', turns = [] } = built;
  const { samples = 1, unstable, cached = false, required = false } = built;
  const entries = turns.map(
    ([turn, own]) => ({ turn, rationale: `About turn ${turn}.`, ...outcomeOf(own) }) as TurnVerdict,
  );
  return {
    assertion: {
      key,
      index: 0,
      type: 'criterion',
      name: key,
      path: '/work/suite.eval.yaml',
      line: 14,
      required,
      weight: 1,
    },
    threshold: 0.5,
    rationale: `It is ${given}.`,
    turns: entries,
    hits: [],
    misses: [],
    details: {},
    ...(judge !== null && {
      judge: {
        model: judge,
        prompt_hash: 'p',
        samples,
        spread: null,
        ...(unstable !== undefined && { unstable }),
      },
    }),
    question_hash: question,
    usage: cached ? { ...NO_USAGE, from_cache: 1 } : NO_USAGE,
    ...(typeof given === 'number' ? {} : { reason: 'not-applicable' }),
    ...outcomeOf(given),
  } as Verdict;
}

/** A case whose status follows from its verdicts. */
export function judgedLine(
  id: string,
  verdicts: readonly Verdict[],
  given: Partial<CaseLine> & { readonly said?: string } = {},
): CaseLine {
  const { said = 'Hello', ...rest } = given;
  return buildCaseLine({
    id,
    status: caseStatus(verdicts, undefined),
    verdicts: [...verdicts],
    conversation: talk('Hi', said, 'And?', 'Done'),
    input_hash: 'i1',
    target: { name: 'agent', type: 'module', digest: '1'.repeat(64) },
    ...rest,
  });
}

/**
 * 200 cases with assertions whose judge gets a fraction `wrong` of its verdicts wrong. In bad cases, the first
 * assertion fails.
 */
export function noisyRun(
  seed: number,
  wrong: number,
  assertions: number,
  isBad: (id: number) => boolean,
) {
  const random = seededRandom(seed);
  return Array.from({ length: 200 }, (_, id) =>
    judgedLine(
      `case-${id}`,
      Array.from({ length: assertions }, (_, index) => {
        const good = isBad(id) && index === 0 ? 0 : 1;
        return buildVerdict(random() < wrong ? 1 - good : good, { key: `Assertion ${index}` });
      }),
    ),
  );
}

export function runLine(given: Partial<RunLine> = {}): RunLine {
  return {
    kind: 'run',
    version: RECORD_VERSION,
    id: randomBytes(4).toString('hex'),
    started: '2026-01-01T00:00:00.000Z',
    files: [{ path: '/work/suite.eval.yaml', hash: '0'.repeat(64) }],
    options: {},
    judges: ['openai:judge'],
    ...given,
  };
}

export function comparedOf(lines: readonly CaseLine[], run: Partial<RunLine> = {}): ComparableRun {
  const data = new ComparisonData();
  for (const line of lines) data.add(line);
  return { run: runLine(run), data, finished: true };
}

export interface WrittenRun extends Partial<RunLine> {
  readonly lines: readonly CaseLine[];
  readonly ended?: boolean;
}

let minute = 0;

/** Writes the record of a run of `suite.eval.yaml` in a folder. The record written last is the newest. */
export async function writeRun(
  folder: string,
  { lines, ended = true, ...given }: WrittenRun,
): Promise<{ readonly id: string; readonly path: string }> {
  minute += 1;
  const started = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
  const files = [{ path: 'suite.eval.yaml', hash: '0'.repeat(64) }];
  const run = runLine({ started, files, ...given });
  const local = JSON.stringify(lines).replaceAll('/work/suite.eval.yaml', 'suite.eval.yaml');
  const counts: Record<Status, number> = { pass: 0, fail: 0, error: 0, skipped: 0 };
  const all = [
    run,
    ...(JSON.parse(local) as unknown[]),
    ...(ended ? [{ kind: 'end', finished: started, cancelled: false, counts }] : []),
  ];
  const runs = join(folder, '.turnlight/runs');
  await mkdir(runs, { recursive: true });
  const path = join(runs, `${started.replace(/[:.]/g, '-')}-${run.id}.jsonl`);
  await writeFile(path, `${all.map((one) => JSON.stringify(one)).join('\n')}\n`);
  return { id: run.id, path };
}
