import { randomUUID } from 'node:crypto';
import { typeOf } from '../../assertions/registry.ts';
import { liveTurnsOf, type Turn, toConversation, turnsOf } from '../../core/conversation.ts';
import type { CaseRef } from '../../core/identity.ts';
import { caseName } from '../../core/presentation/words.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { caseStatus } from '../../core/scoring.ts';
import type { Assertion, LiveTurnsOrigin, SuiteCase, TranscriptOrigin } from '../../core/suite.ts';
import { NO_USAGE, type Verdict } from '../../core/verdict.ts';
import { judgeAssertions } from '../../judge/judgeAssertions.ts';
import { errorVerdict, skippedVerdict } from '../../judge/verdicts.ts';
import {
  hasOtherTurns,
  provenanceOf,
  reuseConversation,
  reuseSkip,
  type StoredCases,
} from '../earlierRun.ts';
import type { CaseContext, RunContext } from '../runContext.ts';
import type { PlannedCase, RunOptions } from '../runOptions.ts';
import {
  addQuestionHashes,
  boundedLine,
  caseLine,
  EMPTY_CONVERSATION,
  type ExecutionResult,
  errorReasonOf,
  lostLine,
  skipAll,
  skippedResult,
} from './caseLine.ts';
import {
  type ConversationResult,
  converse,
  scriptedUser,
  simulatedUser,
  stopOfTarget,
  type UserSide,
} from './converse.ts';

/**
 * Runs one repetition of a case. An error ends it with the status `error`.
 *
 * @throws the signal's reason when aborted, and nothing else
 */
export async function runCase(
  planned: PlannedCase,
  context: RunContext,
  stored?: StoredCases,
): Promise<CaseLine> {
  const { scrubber, signal } = context.options;
  signal.throwIfAborted();
  const began = performance.now();
  const opened = await context.begin(planned);
  const { suiteCase, fault } = opened;
  const earlier = await stored?.line(planned.ref);
  if (stored && !earlier) {
    const reason = 'unreadable: The record of the conversation is damaged.';
    return lostLine(planned, reason, 'The conversation cannot be read.');
  }
  const described = {
    ...opened.description,
    ...(earlier ? provenanceOf(earlier) : { conversation_id: randomUUID() }),
  };
  const lineOf = (ended: ExecutionResult) => {
    const duration = performance.now() - began;
    const line = caseLine(planned, suiteCase, described, ended, duration);
    return boundedLine(planned, scrubber.data(line));
  };
  const skipped = suiteCase.skip
    ? skippedResult(suiteCase)
    : (fault ?? (earlier && reuseSkip(earlier, suiteCase)));
  if (skipped) return lineOf(skipped);
  const run = new CaseRun(planned.ref, opened, context.options, described.conversation_id, earlier);
  return lineOf(await run.judge(await run.converse()));
}

class CaseRun {
  readonly #case: SuiteCase;
  readonly #ref: CaseRef;
  readonly #context: CaseContext;
  readonly #options: RunOptions;
  readonly #verdicts = new Map<Assertion, Verdict>();
  readonly #withQuestion: (verdict: Verdict) => Verdict;
  readonly #earlier: CaseLine | undefined;
  readonly #conversationId: string | undefined;

  /** @param earlier the earlier run's conversation, to judge again */
  constructor(
    ref: CaseRef,
    context: CaseContext,
    options: RunOptions,
    conversationId: string | undefined,
    earlier: CaseLine | undefined,
  ) {
    this.#conversationId = conversationId;
    this.#earlier = earlier;
    this.#case = context.suiteCase;
    this.#ref = ref;
    this.#withQuestion = addQuestionHashes(this.#case);
    this.#context = context;
    this.#options = options;
  }

  async judge(result: ConversationResult): Promise<ExecutionResult> {
    const { signal } = this.#options;
    const { origin, assertions, threshold, aggregate } = this.#case;
    if (signal.aborted && origin.kind === 'simulate') return this.#cancelled(result);
    signal.throwIfAborted();
    const { conversation, usage, stop, failedTurn } = result;
    if ('error' in result) {
      const why = 'The conversation was cut short by an error.';
      for (const one of assertions.filter((each) => !this.#verdicts.has(each))) {
        this.#settle(one, skippedVerdict(one, 'not-reached', why));
      }
      return {
        status: 'error',
        reason: errorReasonOf(result.error),
        stop: stop ?? { reason: stopOfTarget(result.error) },
        conversation,
        verdicts: this.#inOrder(),
        usage,
        ...(failedTurn && { failedTurn }),
      };
    }
    if (this.#earlier && hasOtherTurns(this.#earlier, origin, this.#options.scrubber)) {
      const why =
        'The turns of this case differ from those of its recorded conversation. Run the case again.';
      for (const one of assertions) this.#settle(one, errorVerdict(one, 'turn-not-found', why));
    }
    for (const one of assertions.filter((each) => !this.#verdicts.has(each))) {
      if (one.scriptedTurn === undefined || one.scriptedTurn < result.replyTurns.length) continue;
      const why = 'The conversation ended at a failing turn before this one.';
      this.#settle(one, skippedVerdict(one, 'not-reached', why));
    }
    const left = assertions.filter((one) => !this.#verdicts.has(one));
    await this.#ask(result, left);
    const verdicts = this.#inOrder();
    const endedEarly = this.#endedEarly(result);
    const stoppedEarly = endedEarly && stop?.reason === 'stop-on-failure';
    return {
      status: caseStatus(verdicts, threshold, aggregate, stoppedEarly),
      // A script that was completed needs no stop reason.
      ...(stop && (origin.kind === 'simulate' || endedEarly) && { stop }),
      conversation,
      verdicts,
      usage,
      ...this.#reportedTools(result),
      ...(result.measured && { targetUsage: result.measured }),
      ...(result.reporting && { reported: result.reporting.reports }),
    };
  }

  async converse(): Promise<ConversationResult> {
    const { origin } = this.#case;
    if (!this.#earlier) {
      return origin.kind === 'transcript' ? this.#replay(origin) : this.#talk(origin);
    }
    const reused = reuseConversation(this.#earlier);
    for (const turn of turnsOf(reused.conversation)) this.#tell(turn);
    return reused;
  }

  /** Keeps the live turns, because they may have cost something. @throws the signal's reason if there are none */
  #cancelled({ conversation, usage }: ConversationResult): ExecutionResult {
    if (liveTurnsOf(conversation).length === 0) this.#options.signal.throwIfAborted();
    const reason = 'The run was canceled.';
    const verdicts = skipAll(this.#case, 'not-reached', reason);
    const stop = { reason: 'cancelled' } as const;
    return { status: 'skipped', reason, stop, conversation, verdicts, usage };
  }

  #replay(origin: TranscriptOrigin): ConversationResult {
    const { scrubber } = this.#options;
    const unscrubbed = toConversation(origin.messages, origin.notes);
    const conversation = scrubber.data(unscrubbed);
    for (const turn of turnsOf(conversation)) this.#tell(turn);
    return { conversation, unscrubbed, replyTurns: [], usage: NO_USAGE };
  }

  async #talk(origin: LiveTurnsOrigin): Promise<ConversationResult> {
    const { signal, scrubber, follow = false } = this.#options;
    let result: ConversationResult = {
      conversation: EMPTY_CONVERSATION,
      replyTurns: [],
      usage: NO_USAGE,
    };
    try {
      const session = await this.#context.openSession(origin, this.#conversationId ?? '');
      try {
        result = await converse(
          origin,
          this.#userOf(origin),
          session,
          signal,
          (turn) => this.#tell(turn),
          follow ? (turn) => this.#context.report({ kind: 'speaking', turn }) : undefined,
          this.#case.assertions.some(timesFirstToken),
          (soFar) => this.#shouldContinue(soFar),
          scrubber,
        );
      } finally {
        await session.close(signal);
      }
      return result;
    } catch (error) {
      // An error in the conversation takes precedence over an error when closing it.
      return { error, ...result };
    }
  }

  #userOf(origin: LiveTurnsOrigin): UserSide {
    if (origin.kind === 'turns') return scriptedUser(origin);
    const { repetition } = this.#ref;
    const id = { conversation: `${caseName(this.#ref)} ${repetition}`, repetition };
    return simulatedUser(origin, id, this.#context.judging.modelFor);
  }

  /** Whether to continue. With `stop_on_failure`, checks the latest reply's assertions immediately. */
  async #shouldContinue(result: ConversationResult): Promise<boolean> {
    if (!this.#case.stopOnFailure) return true;
    const latest = result.replyTurns.length - 1;
    const about = this.#case.assertions.filter((one) => one.scriptedTurn === latest);
    await this.#ask(result, about);
    return about.every((one) => {
      const status = this.#verdicts.get(one)?.status;
      return status === 'pass' || status === 'skipped';
    });
  }

  /** Whether the conversation is from an earlier run. */
  get #isStored(): boolean {
    const isReplayed =
      this.#options.replay !== undefined && this.#case.origin.kind !== 'transcript';
    return this.#earlier !== undefined || isReplayed;
  }

  async #ask(result: ConversationResult, assertions: readonly Assertion[]): Promise<void> {
    await judgeAssertions({
      ...this.#context.judging,
      conversation: result.conversation,
      unscrubbed: result.unscrubbed,
      isStored: this.#isStored,
      replyTurns: result.replyTurns,
      endedEarly: this.#endedEarly(result),
      assertions,
      facts: {
        ...this.#case,
        ...this.#reportedTools(result),
        conversationId: this.#conversationId,
      },
      ...(result.measured && { targetUsage: result.measured }),
      ...(result.reporting && { reporting: result.reporting }),
      onVerdict: (verdict) => {
        const assertion = assertions.find(({ index }) => index === verdict.assertion.index);
        if (assertion) this.#settle(assertion, verdict);
      },
    });
  }

  /** The tools that the target reported, unless the file lists tools. */
  #reportedTools({ tools }: ConversationResult): Pick<ConversationResult, 'tools'> {
    return tools && this.#case.tools.length === 0 ? { tools } : {};
  }

  /** Whether the conversation could have continued. */
  #endedEarly({ replyTurns }: Pick<ConversationResult, 'replyTurns'>): boolean {
    const { origin } = this.#case;
    if (origin.kind === 'turns') return replyTurns.length < origin.turns.length;
    return origin.kind === 'simulate';
  }

  #settle(assertion: Assertion, found: Verdict): void {
    const verdict = this.#withQuestion(found);
    this.#verdicts.set(assertion, verdict);
    this.#context.report({ kind: 'verdict', verdict: this.#options.scrubber.data(verdict) });
  }

  #tell(turn: Turn): void {
    this.#context.report({ kind: 'turn', turn });
  }

  #inOrder(): Verdict[] {
    return this.#case.assertions.flatMap((one) => this.#verdicts.get(one) ?? []);
  }
}

function timesFirstToken(assertion: Assertion): boolean {
  const { nested = [], params } = assertion;
  const isTimed = typeOf(assertion).timesFirstToken?.(params) ?? false;
  return isTimed || nested.some((one) => timesFirstToken(one.assertion));
}
