import type * as z from 'zod';
import { mappingOf, valueAt } from '../../core/data/data.ts';
import { listOf, tryParse } from '../../core/data/listOf.ts';
import { BYTES_PER_VALUE, LIMITS, readable } from '../../core/limits.ts';
import type { RepeatedLine, Repetition } from '../../core/record/repetitions.ts';
import {
  type CaseLine,
  type CaseSummary,
  caseLineSchema,
  type EndLine,
  endLineSchema,
  RECORD_VERSION,
  type RunLine,
  runLineSchema,
} from '../../core/record/runRecord.ts';
import { contradictsVerdicts, isFailure } from '../../core/scoring.ts';
import { shownVerdictSchema } from '../../core/verdict.ts';
import type { JsonLine } from '../../disk/jsonLines.ts';
import { BROKEN_HASH, shortHash } from '../../node/hashes.ts';
import { absolutePath, mapCasePaths, mapRunPaths } from '../../node/paths.ts';

/** The schema of a case for lists, tables, and indexes. Checking 10,000 whole cases would take seconds. */
const summarySchema = caseLineSchema
  .pick({
    suite: true,
    suite_name: true,
    id: true,
    variant: true,
    target_variant: true,
    repetition: true,
    repetitions: true,
    stop_reason: true,
    source: true,
    must_pass: true,
    tags: true,
    status: true,
    score: true,
    threshold: true,
    reason: true,
    input_hash: true,
    fault: true,
    usage: true,
    target_usage: true,
    duration: true,
    finished: true,
  })
  .extend({ verdicts: listOf(shownVerdictSchema) });

/** A case without its conversation. Its `suite` is absolute. */
export type SummaryLine = z.infer<typeof summarySchema> & Pick<CaseSummary, 'latencies'>;

/** A line's position in its record, in bytes, without the line break. */
export interface LinePlace {
  readonly offset: number;
  readonly length: number;
}

export interface RecordedLine extends LinePlace {
  /** Absolute. */
  readonly record: string;
}

/** Facts about an execution that are kept in memory. `verdicts` contains only failed `required` verdicts. */
export interface CaseStats extends RecordedLine, RepeatedLine {
  /** Absolute path of the eval file. */
  readonly suite: string;
  readonly repetition: number;
  /** Number of repetitions of the case. */
  readonly repetitions: number;
  /** ISO 8601, UTC. */
  readonly finished: string;
  /** Absolute path of the file that contains the case: the eval file or a file that it includes. */
  readonly file: string;
  /** From 0. */
  readonly line: number;
  /** Null if unknown. */
  readonly cost: number | null;
  /** Milliseconds. */
  readonly duration: number;
  /** True if the run was canceled before the case ended. */
  readonly isCanceled?: true;
  /** SHA-256 hash of the case's text; set for a variant. */
  readonly hash?: string;
  /** `shortHash` of the inputs; set for a variant, if recorded. */
  readonly input?: string;
}

/** A line in a record, or why it couldn't be read. */
export type ParsedLine<Case> =
  | { readonly kind: 'run'; readonly run: RunLine }
  | { readonly kind: 'case'; readonly one: Case }
  | { readonly kind: 'end'; readonly end: EndLine }
  | string;

/** @param parseCase `parseSummary` or `parseTrueCase` @param version the record's version; 0 before its first line */
export function parseLine<Case extends object>(
  { value, isTooLarge }: JsonLine,
  parseCase: (value: unknown, root: string) => Case | string | undefined,
  root: string,
  version: number,
): ParsedLine<Case> {
  const { kind } = mappingOf(value);
  if (kind === 'case') {
    const one = parseCase(value, root);
    if (typeof one === 'string') return one;
    if (one) return { kind, one };
  } else if (kind === 'run') {
    const run = parseRunLine(value, root);
    if (run) return { kind, run };
  } else if (kind === 'end') {
    const end = parseEndLine(value);
    if (end) return { kind, end };
  }
  return isTooLarge ? TOO_LARGE : whyUnread(version);
}

/** Undefined if the value isn't a case. */
export function parseSummary(value: unknown, root: string): SummaryLine | undefined {
  const summary = tryParse(summarySchema, value);
  if (!summary) return undefined;
  const latencies = summary.target_variant && { latencies: latenciesIn(value) };
  return { ...summary, ...latencies, suite: absolutePath(root, summary.suite) };
}

/** Like `latenciesOf`, but without checking the conversation first. */
function latenciesIn(line: unknown): number[] {
  const entries = valueAt(line, ['conversation', 'entries']);
  const latencies = Array.isArray(entries) ? entries.map((one) => mappingOf(one).latency) : [];
  return latencies.filter((one) => typeof one === 'number');
}

/** Like `parseCaseLine`, but returns a string if the verdicts contradict a passed or skipped status. */
export function parseTrueCase(value: unknown, root: string): CaseLine | string | undefined {
  const line = parseCaseLine(value, root);
  return line && contradictsVerdicts(line.status, line.verdicts, line.threshold)
    ? CONTRADICTION
    : line;
}

/** Parses a record's first line, with absolute paths. Undefined if the value isn't one. */
export function parseRunLine(value: unknown, root: string): RunLine | undefined {
  const run = tryParse(runLineSchema, value);
  return run && mapRunPaths(run, (path) => absolutePath(root, path));
}

/** Parses a record's last line. Undefined if the value isn't one. */
export function parseEndLine(value: unknown): EndLine | undefined {
  return tryParse(endLineSchema, value);
}

/** Parses a case, with absolute paths. Undefined if the value isn't one. */
export function parseCaseLine(value: unknown, root: string): CaseLine | undefined {
  const line = tryParse(caseLineSchema, value);
  return line && mapCasePaths(line, (path) => absolutePath(root, path));
}

/** @param last the record's previous case; strings that are equal share memory */
export function statsOf(
  summary: SummaryLine,
  { root, ...place }: RecordedLine & { readonly root: string },
  last: CaseStats | undefined,
): CaseStats {
  const { id, variant, repetition, repetitions, status, score, must_pass, finished, source } =
    summary;
  const suite = once(summary.suite, last?.suite);
  return {
    ...{ suite, id, variant, repetition, repetitions, status, score, must_pass, finished },
    verdicts: gatesOf(summary.verdicts),
    file: once(absolutePath(root, source.path), suite, last?.file),
    line: source.range.start.line,
    cost: summary.usage.cost,
    duration: summary.duration,
    ...place,
    ...(summary.stop_reason === 'cancelled' && { isCanceled: true as const }),
    ...(variant !== undefined && { hash: once(source.hash, last?.hash), ...inputOf(summary) }),
  };
}

function once(text: string, ...known: readonly (string | undefined)[]): string {
  return known.find((one) => one === text) ?? text;
}

/** The `required` verdicts that failed. */
function gatesOf(verdicts: SummaryLine['verdicts']): Repetition['verdicts'] {
  const gates = verdicts.filter((one) => one.assertion.required && isFailure(one));
  // Thousands of cases share this empty list.
  if (gates.length === 0) return NO_GATES;
  return gates.map(({ status }) => ({ status, assertion: { required: true } }));
}

const NO_GATES: Repetition['verdicts'] = [];

function inputOf({ input_hash, fault }: SummaryLine): Pick<CaseStats, 'input'> {
  if (fault) return { input: BROKEN_HASH };
  return input_hash === undefined ? {} : { input: shortHash(input_hash) };
}

const CONTRADICTION = 'the status of the case contradicts its verdicts';

const TOO_LARGE = `the line has more than ${readable(LIMITS.recordLine)} bytes or ${readable(LIMITS.values)} values`;

export const TOO_LONG = `it has more than ${readable(LIMITS.record)} bytes; the rest is not read`;

/** The problem with small records that would take up a lot of memory and time. */
export const TOO_DENSE = `it has more than ${readable(LIMITS.recordValues)} values beyond one per ${BYTES_PER_VALUE} bytes; the rest is not read`;

export const TOO_MANY = `it has more than ${readable(LIMITS.recordCases)} cases; the others are not read`;

/** @param version the record's version */
export function whyUnread(version: number): string {
  return version > RECORD_VERSION
    ? `a newer version of Turnlight wrote this record`
    : 'this is not a line of a run record';
}
