import type { Conversation, FailedTurn, Report } from '../../core/conversation.ts';
import { errorText } from '../../core/errors.ts';
import { placeText } from '../../core/presentation/failureText.ts';
import { isError, type Source } from '../../core/problem.ts';
import type { SuiteCase } from '../../core/suite.ts';
import { NO_USAGE, type Status, type Usage, type Verdict } from '../../core/verdict.ts';
import { JudgeError } from '../../judge/ask.ts';
import { skippedVerdict } from '../../judge/verdicts.ts';
import { ModelError } from '../../models/model.ts';
import { TargetError } from '../../targets/target.ts';
import type { Stop } from './userSide.ts';
import { withQuestions } from './withQuestions.ts';

/** What came of one repetition of a case. */
export interface Ended {
  readonly status: Status;
  readonly reason?: string;
  /** Where the mistake stands that it is about, in a file of data. */
  readonly fault?: Source;
  /** The turn that did not come, which is why it errored. */
  readonly failedTurn?: FailedTurn;
  readonly stop?: Stop;
  readonly conversation: Conversation;
  readonly verdicts: readonly Verdict[];
  readonly usage: Usage;
  /** Of the target alone, where each of its replies said what it used. */
  readonly targetUsage?: Usage;
  /** What the target's replies showed; absent if there was no target. */
  readonly reported?: readonly Report[];
}

export const NOTHING_SAID: Conversation = { entries: [], notes: [] };

/** A variant is read when it runs. What is wrong with it ends it alone. */
export async function openCase(
  suiteCase: SuiteCase,
): Promise<{ suiteCase: SuiteCase; fault?: Ended }> {
  if (!suiteCase.open || suiteCase.skip) return { suiteCase };
  const { suiteCase: opened, problems } = await suiteCase.open();
  if (opened) return { suiteCase: opened };
  const [first] = problems.filter(isError);
  const at = first && `${placeText(first)}: ${first.message}`;
  const reason = `invalid-case: ${at ?? 'It cannot be read.'}`;
  const verdicts = suiteCase.assertions
    .map((one) => skippedVerdict(one, 'not-reached', 'The case cannot be read.'))
    .map(withQuestions(suiteCase));
  const fault: Ended = {
    status: 'error',
    reason,
    ...(first && { fault: { path: first.path, range: first.range } }),
    conversation: NOTHING_SAID,
    verdicts,
    usage: NO_USAGE,
  };
  return { suiteCase, fault };
}

/** A case that is not to run. */
export function skippedCase(suiteCase: SuiteCase): Ended {
  const { skip, assertions } = suiteCase;
  const reason = skip?.reason ?? 'The case sets `skip`.';
  const verdicts = assertions
    .map((one) => skippedVerdict(one, 'case-skipped', reason))
    .map(withQuestions(suiteCase));
  return { status: 'skipped', reason, conversation: NOTHING_SAID, verdicts, usage: NO_USAGE };
}

/** What a person reads of an error that ended a case. */
export function reasonOf(error: unknown): string {
  if (error instanceof TargetError && error.reason === 'target-error') {
    return `The target failed: ${error.message}`;
  }
  if (error instanceof JudgeError) return `The simulated user: ${error.reason}: ${error.message}`;
  if (error instanceof TargetError || error instanceof ModelError) {
    return `${error.reason}: ${error.message}`;
  }
  return errorText(error);
}
