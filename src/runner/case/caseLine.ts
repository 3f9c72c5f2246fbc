import type { CaseLine } from '../../core/record/runRecord.ts';
import { caseScore } from '../../core/scoring.ts';
import type { SuiteCase } from '../../core/suite.ts';
import { addUsage, NO_USAGE } from '../../core/verdict.ts';
import { skippedVerdict } from '../../judge/verdicts.ts';
import type { PlannedCase } from '../caseRunner.ts';
import type { describeCase } from './describeCase.ts';
import { type Ended, NOTHING_SAID } from './ended.ts';
import { withQuestions } from './withQuestions.ts';

type Described = Awaited<ReturnType<typeof describeCase>> & Pick<CaseLine, 'conversation_id'>;

/**
 * What a record keeps of one repetition of a case.
 *
 * @param suiteCase as it was opened
 * @param duration milliseconds
 */
export function caseLine(
  { suite, ref }: Pick<PlannedCase, 'suite' | 'ref'>,
  suiteCase: SuiteCase,
  described: Partial<Described>,
  ended: Ended,
  duration: number,
): CaseLine {
  const { id, source, description, tags, threshold, repeat } = suiteCase;
  return {
    kind: 'case',
    suite: suite.path,
    suite_name: suite.name,
    id,
    ...(ref.variant !== undefined && { variant: ref.variant }),
    repetition: ref.repetition,
    repetitions: repeat.times,
    ...(repeat.pass < 1 && { must_pass: repeat.pass }),
    source: { path: source.path, range: source.range, hash: source.hash },
    ...(description !== undefined && { description }),
    tags: [...tags],
    ...described,
    ...(ended.stop && { stop_reason: ended.stop.reason }),
    ...(ended.stop?.why !== undefined && { stop_rationale: ended.stop.why }),
    status: ended.status,
    // What couldn't be judged might have changed it.
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

/** Of a case of which nothing came back from where it ran. */
export function lostLine(planned: PlannedCase, reason: string): CaseLine {
  const verdicts = planned.case.assertions
    .map((one) => skippedVerdict(one, 'not-reached', 'The case did not come back.'))
    .map(withQuestions(planned.case));
  const nothing = { conversation: NOTHING_SAID, usage: NO_USAGE };
  return caseLine(planned, planned.case, {}, { status: 'error', reason, verdicts, ...nothing }, 0);
}
