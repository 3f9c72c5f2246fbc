import { randomUUID } from 'node:crypto';
import { liveTurnsOf, toConversation, turnsOf } from '../../core/conversation.ts';
import { unreachable } from '../../core/errors.ts';
import type { CaseRef } from '../../core/identity.ts';
import type { Logger } from '../../core/logger.ts';
import { caseName } from '../../core/presentation/words.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { caseStatus } from '../../core/scoring.ts';
import type {
  Assertion,
  LiveOrigin,
  Suite,
  SuiteCase,
  TranscriptOrigin,
} from '../../core/suite.ts';
import { NO_USAGE, type Verdict } from '../../core/verdict.ts';
import { judgeAssertions } from '../../judge/judgeAssertions.ts';
import { skippedVerdict } from '../../judge/verdicts.ts';
import type { AnswerLookup } from '../../models/cache.ts';
import type { PlannedCase } from '../caseRunner.ts';
import type { Exchanges } from '../exchanges.ts';
import type { RunOptions } from '../runOptions.ts';
import { madeOf, type StoredCases, saidThen, unsaidThen } from '../stored.ts';
import { caseLine } from './caseLine.ts';
import { type Conversed, converse, stopOfTarget } from './converse.ts';
import { describeCase } from './describeCase.ts';
import { type Ended, NOTHING_SAID, openCase, reasonOf, skippedCase } from './ended.ts';
import { ModelledUser, ScriptedUser, type UserSide } from './userSide.ts';
import { withQuestions } from './withQuestions.ts';

/**
 * Runs one repetition of a case. What goes wrong in it ends it as `error`, with what was said so far.
 *
 * @returns undefined if the limit of the cost kept it from beginning
 * @throws the signal's reason when aborted, and nothing else
 */
export async function runCase(
  planned: PlannedCase,
  exchanges: Exchanges,
  options: RunOptions,
  stored?: StoredCases,
): Promise<CaseLine | undefined> {
  options.signal.throwIfAborted();
  if (exchanges.stopped) return undefined;
  const { ref } = planned;
  const began = performance.now();
  const { suiteCase, fault } = await openCase(planned.case);
  options.onEvent({ kind: 'case-started', ref, case: suiteCase });
  const then = await stored?.line(ref);
  const described = {
    ...(await describeCase(suiteCase, exchanges)),
    ...(then ? madeOf(then) : { conversation_id: randomUUID() }),
  };
  const lineOf = (ended: Ended) => {
    const duration = performance.now() - began;
    return options.scrubber.data(caseLine(planned, suiteCase, described, ended, duration));
  };
  const unsaid = suiteCase.skip
    ? skippedCase(suiteCase)
    : (fault ?? (then && unsaidThen(then, suiteCase)));
  if (unsaid) return lineOf(unsaid);
  const { conversation_id } = described;
  const run = new CaseRun(
    { ...planned, case: suiteCase },
    exchanges,
    options,
    conversation_id,
    then,
  );
  return lineOf(await run.judge(await run.converse()));
}

class CaseRun {
  readonly #suite: Suite;
  readonly #case: SuiteCase;
  readonly #ref: CaseRef;
  readonly #exchanges: Exchanges;
  readonly #options: RunOptions;
  readonly #verdicts = new Map<Assertion, Verdict>();
  readonly #withQuestion: (verdict: Verdict) => Verdict;
  readonly #lookup: AnswerLookup | undefined;
  readonly #then: CaseLine | undefined;
  readonly #conversationId: string | undefined;

  /** @param then what was said before, to be judged anew */
  constructor(
    planned: PlannedCase,
    exchanges: Exchanges,
    options: RunOptions,
    conversationId: string | undefined,
    then: CaseLine | undefined,
  ) {
    this.#conversationId = conversationId;
    this.#then = then;
    this.#suite = planned.suite;
    this.#case = planned.case;
    this.#ref = planned.ref;
    this.#withQuestion = withQuestions(planned.case);
    this.#exchanges = exchanges;
    this.#options = options;
    this.#lookup = exchanges.lookupFor(planned.ref.repetition);
  }

  async judge(said: Conversed): Promise<Ended> {
    const { signal } = this.#options;
    const { origin, assertions, threshold, aggregate } = this.#case;
    if (signal.aborted && origin.kind === 'simulate') return this.#cancelled(said);
    signal.throwIfAborted();
    const { conversation, usage, stop, failedTurn } = said;
    if ('error' in said) {
      const reason = reasonOf(said.error);
      for (const one of assertions) {
        if (this.#verdicts.has(one)) continue;
        this.#settle(
          one,
          skippedVerdict(one, 'not-reached', 'The conversation was cut short by an error.'),
        );
      }
      const verdicts = this.#inOrder();
      const because = stop ?? { reason: stopOfTarget(said.error) };
      const failed = {
        status: 'error',
        reason,
        stop: because,
        conversation,
        verdicts,
        usage,
      } as const;
      return { ...failed, ...(failedTurn && { failedTurn }) };
    }
    for (const one of assertions) {
      if (one.scriptedTurn === undefined || one.scriptedTurn < said.replyTurns.length) continue;
      const why = 'The conversation ended at a failing turn before this one.';
      this.#settle(one, skippedVerdict(one, 'not-reached', why));
    }
    const left = assertions.filter((one) => !this.#verdicts.has(one));
    await this.#ask(said, left);
    const verdicts = this.#inOrder();
    return {
      status: caseStatus(verdicts, threshold, aggregate),
      // A script that was said to its end ended as it should.
      ...(stop && (origin.kind === 'simulate' || this.#endedEarly(said)) && { stop }),
      conversation,
      verdicts,
      usage,
      ...(said.measured && { targetUsage: said.measured }),
      ...(said.reporting && { reported: said.reporting.reports }),
    };
  }

  async converse(): Promise<Conversed> {
    const { origin } = this.#case;
    if (!this.#then) {
      return origin.kind === 'transcript' ? this.#happened(origin) : this.#talk(origin);
    }
    const said = saidThen(this.#then);
    for (const turn of turnsOf(said.conversation)) this.#tell(turn);
    return said;
  }

  /** What was paid for is kept. @throws the signal's reason where nothing was said */
  #cancelled({ conversation, usage }: Conversed): Ended {
    if (liveTurnsOf(conversation).length === 0) this.#options.signal.throwIfAborted();
    const reason = 'The run was cancelled.';
    const verdicts = this.#case.assertions.map((one) =>
      this.#withQuestion(skippedVerdict(one, 'not-reached', reason)),
    );
    const stop = { reason: 'cancelled' } as const;
    return { status: 'skipped', reason, stop, conversation, verdicts, usage };
  }

  #happened(origin: TranscriptOrigin): Conversed {
    const { scrubber } = this.#options;
    const conversation = scrubber.data(toConversation(origin.messages, origin.notes));
    for (const turn of turnsOf(conversation)) this.#tell(turn);
    return { conversation, replyTurns: [], usage: NO_USAGE };
  }

  async #talk(origin: LiveOrigin): Promise<Conversed> {
    const { signal, scrubber, follow = false, onEvent } = this.#options;
    let said: Conversed = { conversation: NOTHING_SAID, replyTurns: [], usage: NO_USAGE };
    try {
      const session = await this.#exchanges.session(
        this.#suite,
        origin,
        this.#case,
        { repetition: this.#ref.repetition, conversationId: this.#conversationId ?? '' },
        this.#log(),
        this.#lookup,
      );
      try {
        said = await converse(
          origin,
          this.#userOf(origin),
          session,
          signal,
          (turn) => this.#tell(turn),
          follow ? (turn) => onEvent({ kind: 'speaking', ref: this.#ref, turn }) : undefined,
          (sofar) => this.#turnHolds(sofar),
          scrubber,
        );
      } finally {
        await session.close(signal);
      }
      return said;
    } catch (error) {
      // What cut the conversation short comes before what went wrong when it was closed.
      return { error, ...said };
    }
  }

  #userOf(origin: LiveOrigin): UserSide {
    if (origin.kind === 'turns') return new ScriptedUser(origin);
    const { repetition } = this.#ref;
    const playing = { conversation: `${caseName(this.#ref)} ${repetition}`, repetition };
    return new ModelledUser(origin, playing, ({ user }) => {
      return user.model && this.#exchanges.model(user.model, this.#lookup);
    });
  }

  /** With `stop_on_failure`: checks the latest reply by itself, at once. */
  async #turnHolds(said: Conversed): Promise<boolean> {
    if (!this.#case.stopOnFailure) return true;
    const latest = said.replyTurns.length - 1;
    const about = this.#case.assertions.filter((one) => one.scriptedTurn === latest);
    await this.#ask(said, about);
    return about.every((one) => {
      const status = this.#verdicts.get(one)?.status;
      return status === 'pass' || status === 'skipped';
    });
  }

  async #ask(said: Conversed, assertions: readonly Assertion[]): Promise<void> {
    await judgeAssertions({
      conversation: said.conversation,
      replyTurns: said.replyTurns,
      endedEarly: this.#endedEarly(said),
      assertions,
      facts: { ...this.#case, conversationId: this.#conversationId },
      examples: this.#exchanges.examplesOf(this.#suite)(this.#case),
      signal: this.#options.signal,
      kept: this.#exchanges.keptFor(this.#ref.suite),
      ...(said.measured && { targetUsage: said.measured }),
      ...(said.reporting && { reporting: said.reporting }),
      script: (code, input) => this.#exchanges.script(this.#suite, code, input, this.#log()),
      modelFor: async (spec) => (spec ? this.#exchanges.model(spec, this.#lookup) : undefined),
      onVerdict: (verdict) => {
        const assertion = assertions.find(({ index }) => index === verdict.assertion.index);
        if (assertion) this.#settle(assertion, verdict);
      },
    });
  }

  /** What programs print is told as the case's output. */
  #log(): Logger {
    const { log, scrubber, onEvent } = this.#options;
    const info = (text: string) =>
      onEvent({ kind: 'output', ref: this.#ref, text: scrubber.text(text) });
    return { ...log, info };
  }

  /** Whether more could have been said. */
  #endedEarly({ replyTurns }: Pick<Conversed, 'replyTurns'>): boolean {
    const { origin } = this.#case;
    switch (origin.kind) {
      case 'turns':
        return replyTurns.length < origin.turns.length;
      case 'simulate':
        return true;
      case 'transcript':
        return false;
      default:
        return unreachable(origin);
    }
  }

  #settle(assertion: Assertion, found: Verdict): void {
    const verdict = this.#options.scrubber.data(this.#withQuestion(found));
    this.#verdicts.set(assertion, verdict);
    this.#options.onEvent({ kind: 'verdict', ref: this.#ref, verdict });
  }

  #tell(turn: Parameters<Parameters<typeof converse>[4]>[0]): void {
    this.#options.onEvent({ kind: 'turn', ref: this.#ref, turn });
  }

  #inOrder(): Verdict[] {
    return this.#case.assertions.flatMap((one) => this.#verdicts.get(one) ?? []);
  }
}
