import { questionHash } from '../../assertions/questionHash.ts';
import type { Conversation, FailedTurn, Report } from '../../core/conversation.ts';
import { isSmallJson, jsonExcess } from '../../core/data/data.ts';
import { errorText } from '../../core/errors.ts';
import { LIMITS, readable } from '../../core/limits.ts';
import type { Tool } from '../../core/message.ts';
import { placeText } from '../../core/presentation/failureText.ts';
import { isError, type Source } from '../../core/problem.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { caseScore } from '../../core/scoring.ts';
import type { Assertion, SuiteCase } from '../../core/suite.ts';
import { addUsage, NO_USAGE, type Status, type Usage, type Verdict } from '../../core/verdict.ts';
import { JudgeError } from '../../judge/ask.ts';
import { skippedVerdict } from '../../judge/verdicts.ts';
import { ModelError } from '../../models/model.ts';
import { TargetError } from '../../targets/target.ts';
import type { PlannedCase } from '../runOptions.ts';
import type { Stop } from './converse.ts';

/** The record line for one repetition of a case. @param suiteCase the opened case @param duration in milliseconds */
export function caseLine(
  { suite, ref }: Pick<PlannedCase, 'suite' | 'ref'>,
  suiteCase: SuiteCase,
  described: Partial<
    Pick<CaseLine, 'origin' | 'facts' | 'target' | 'input_hash' | 'script_hash' | 'conversation_id'>
  >,
  ended: ExecutionResult,
  duration: number,
): CaseLine {
  const { id, source, description, tags, threshold, repeat, targetVariant } = suiteCase;
  return {
    kind: 'case',
    suite: suite.path,
    suite_name: suite.name,
    id,
    ...(ref.variant !== undefined && { variant: ref.variant }),
    ...(targetVariant && {
      target_variant: { name: targetVariant.name, of: [...targetVariant.of] },
    }),
    repetition: ref.repetition,
    repetitions: repeat.times,
    ...(repeat.pass < 1 && { must_pass: repeat.pass }),
    source: { path: source.path, range: source.range, hash: source.hash },
    ...(description !== undefined && { description }),
    tags: [...tags],
    ...described,
    ...(ended.tools &&
      described.facts && { facts: { ...described.facts, tools: [...ended.tools] } }),
    ...(ended.stop && { stop_reason: ended.stop.reason }),
    ...(ended.stop?.why !== undefined && { stop_rationale: ended.stop.why }),
    status: ended.status,
    // An assertion that couldn't be judged might have changed the score.
    score: ended.status === 'error' ? null : caseScore(ended.verdicts, suiteCase.aggregate),
    ...(threshold !== undefined && { threshold }),
    ...(ended.reason !== undefined && { reason: ended.reason }),
    ...(ended.failedTurn && { failed_turn: ended.failedTurn }),
    ...(ended.fault && { fault: ended.fault }),
    conversation: ended.conversation,
    verdicts: [...ended.verdicts],
    ...(ended.targetUsage && { target_usage: ended.targetUsage }),
    ...(ended.reported && { reported: [...ended.reported] }),
    usage: ended.verdicts.reduce((sum, { usage }) => addUsage(sum, usage), ended.usage),
    duration,
    finished: new Date().toISOString(),
  };
}

/** The line, replaced by an error if it is too large to be read from a record. */
export function boundedLine(planned: PlannedCase, line: CaseLine): CaseLine {
  if (isSmallJson(line, LIMITS.recordLine)) return line;
  const bytes = Buffer.from(JSON.stringify(line));
  const isLong = bytes.length > LIMITS.recordLine;
  const why = isLong ? `has more than ${readable(LIMITS.recordLine)} bytes` : jsonExcess(bytes);
  if (why === undefined) return line;
  const reason = `too-large: The result of the case ${why}.`;
  const { usage, duration } = line;
  return { ...lostLine(planned, reason, 'The result is too large.'), usage, duration };
}

/** The line for a case without a result, for example because its worker returned none. */
export function lostLine(
  planned: PlannedCase,
  reason: string,
  rationale = 'The worker returned no result.',
): CaseLine {
  const verdicts = skipAll(planned.case, 'not-reached', rationale);
  const nothing = { conversation: EMPTY_CONVERSATION, usage: NO_USAGE };
  return caseLine(planned, planned.case, {}, { status: 'error', reason, verdicts, ...nothing }, 0);
}

/** Skipped verdicts for all of a case's assertions. */
export function skipAll(suiteCase: SuiteCase, reason: string, rationale: string): Verdict[] {
  return suiteCase.assertions
    .map((one) => skippedVerdict(one, reason, rationale))
    .map(addQuestionHashes(suiteCase));
}

/** The result of one repetition of a case. */
export interface ExecutionResult {
  readonly status: Status;
  readonly reason?: string;
  /** Location of the mistake, if it is in a data file. */
  readonly fault?: Source;
  /** The turn that failed. */
  readonly failedTurn?: FailedTurn;
  readonly stop?: Stop;
  readonly conversation: Conversation;
  readonly verdicts: readonly Verdict[];
  readonly usage: Usage;
  /** Tools that the target reported; set if the case doesn't list its own. */
  readonly tools?: readonly Tool[];
  /** The target's usage alone; set if every reply reported it. */
  readonly targetUsage?: Usage;
  /** What the target's replies reported; absent if there was no target. */
  readonly reported?: readonly Report[];
}

export const EMPTY_CONVERSATION: Conversation = { entries: [], notes: [] };

/** Opens a case. A variant is read only when it runs, so that a mistake in it doesn't affect other cases. */
export async function openCase(
  suiteCase: SuiteCase,
): Promise<{ suiteCase: SuiteCase; fault?: ExecutionResult }> {
  if (!suiteCase.open || suiteCase.skip) return { suiteCase };
  const { suiteCase: opened, problems } = await suiteCase.open();
  if (opened) return { suiteCase: opened };
  const [first] = problems.filter(isError);
  const at = first && `${placeText(first)}: ${first.message}`;
  const fault: ExecutionResult = {
    status: 'error',
    reason: `invalid-case: ${at ?? 'It cannot be read.'}`,
    ...(first && { fault: { path: first.path, range: first.range } }),
    conversation: EMPTY_CONVERSATION,
    verdicts: skipAll(suiteCase, 'not-reached', 'The case cannot be read.'),
    usage: NO_USAGE,
  };
  return { suiteCase, fault };
}

/** The result of a case with `skip`. */
export function skippedResult(suiteCase: SuiteCase): ExecutionResult {
  const reason = suiteCase.skip?.reason ?? 'The case sets `skip`.';
  const verdicts = skipAll(suiteCase, 'case-skipped', reason);
  return { status: 'skipped', reason, conversation: EMPTY_CONVERSATION, verdicts, usage: NO_USAGE };
}

/** The message of an error that ended a case. */
export function errorReasonOf(error: unknown): string {
  if (error instanceof TargetError && error.reason === 'target-error') {
    return `The target failed: ${error.message}`;
  }
  if (error instanceof JudgeError) return `The simulated user: ${error.reason}: ${error.message}`;
  if (error instanceof TargetError || error instanceof ModelError) {
    return `${error.reason}: ${error.message}`;
  }
  return errorText(error);
}

/** Adds the hash of the assertion's question to a verdict. */
export function addQuestionHashes(suiteCase: SuiteCase): (verdict: Verdict) => Verdict {
  const hashes = new Map<string, string>();
  const add = (assertions: readonly Assertion[]) => {
    for (const one of assertions) {
      hashes.set(one.key, questionHash(one, suiteCase));
      add((one.nested ?? []).map(({ assertion }) => assertion));
    }
  };
  add(suiteCase.assertions);
  const asked = (verdict: Verdict): Verdict => {
    const hash = hashes.get(verdict.assertion.key ?? '');
    return {
      ...verdict,
      ...(hash !== undefined && { question_hash: hash }),
      ...(verdict.nested && { nested: verdict.nested.map(asked) }),
    };
  };
  return asked;
}
