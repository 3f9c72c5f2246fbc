import { createHash } from 'node:crypto';
import pLimit from 'p-limit';
import { type Conversation, turnsOf, turnsOfSide } from '../core/conversation.ts';
import { deepFreeze } from '../core/deepFreeze.ts';
import { canonicalJson } from '../core/digest.ts';
import type { Assertion } from '../core/suite.ts';
import { NO_USAGE, type Usage, type Verdict } from '../core/verdict.ts';
import type {
  AssertionInput,
  AssertionType,
  CaseFacts,
  Outcome,
  Question,
} from '../metrics/assertionType.ts';
import { findAssertionType } from '../metrics/registry.ts';
import { type Model, ModelError, type ModelRequest } from '../models/model.ts';
import { askJudge, JudgeError, judgeRequest } from './ask.ts';
import { chooseTurns } from './at.ts';
import { conversationBlock } from './conversationBlock.ts';
import { type Cost, concludedVerdict, errorVerdict, skippedVerdict } from './verdicts.ts';

export interface JudgeOptions {
  readonly conversation: Conversation;
  readonly facts: CaseFacts;
  readonly assertions: readonly Assertion[];
  /** The number of the reply to each scripted turn, by the turn's place from 0. */
  readonly replyTurns: readonly number[];
  /** True where `stop_on_failure` left scripted turns out: what `at` misses was not reached. */
  readonly stoppedEarly?: boolean;
  /** The judge of an assertion; undefined where none is configured. */
  readonly modelFor: (assertion: Assertion) => Promise<Model | undefined>;
  readonly signal: AbortSignal;
  readonly onVerdict?: (verdict: Verdict) => void;
}

/** Requests of one conversation that go on side by side. */
const SIDE_BY_SIDE = 4;

const DEFAULT_TEMPERATURE = 0;

/** What one request asks: one assertion, or all plain criteria of the case that it can serve. */
interface Inquiry {
  readonly inputs: readonly [AssertionInput, ...AssertionInput[]];
  readonly question: Question<unknown, Outcome[]>;
}

/**
 * Checks a conversation. Verdicts come in the order of the assertions; `onVerdict` hears of each as
 * it is known. What goes wrong with one assertion is that one's `error`; the others go on.
 *
 * @throws the signal's reason when aborted
 */
export async function judgeAssertions(options: JudgeOptions): Promise<Verdict[]> {
  const { assertions, signal, onVerdict } = options;
  const conversation = deepFreeze(structuredClone(options.conversation));
  const facts = deepFreeze(structuredClone(factsOf(options.facts)));
  const verdicts = new Map<Assertion, Verdict>();
  const settle = (assertion: Assertion, verdict: Verdict) => {
    verdicts.set(assertion, verdict);
    onVerdict?.(verdict);
  };
  const inquiries: Inquiry[] = [];
  const checklists = new Map<string, AssertionInput[]>();

  for (const assertion of assertions) {
    signal.throwIfAborted();
    const type = findAssertionType(assertion.type);
    const input = type && inputFor(type, assertion, conversation, { ...options, facts });
    if (!type || !input) {
      const unknown = `There is no assertion type "${assertion.type}".`;
      settle(assertion, errorVerdict(assertion, 'unknown-type', unknown));
    } else if ('status' in input) {
      settle(assertion, input);
    } else if ('checklist' in type) {
      // One that cannot be asked must not drag along those that it would share a request with.
      const alone = guarded(assertion, () => type.checklist([input]));
      const key = checklistKey(input);
      if ('status' in alone) settle(assertion, alone);
      else checklists.set(key, [...(checklists.get(key) ?? []), input]);
    } else {
      const next = guarded(assertion, () =>
        type.judged ? type.question(input) : type.check(input),
      );
      if ('status' in next) settle(assertion, next);
      else if ('kind' in next) settle(assertion, concludedVerdict(assertion, next));
      else inquiries.push({ inputs: [input], question: single(next) });
    }
  }
  for (const [first, ...rest] of checklists.values()) {
    if (!first) continue;
    const type = findAssertionType(first.assertion.type);
    if (!type || !('checklist' in type)) continue;
    inquiries.push({ inputs: [first, ...rest], question: type.checklist([first, ...rest]) });
  }

  const block = conversationBlock(conversation);
  const limit = pLimit(SIDE_BY_SIDE);
  await Promise.all(
    inquiries.map((inquiry) =>
      limit(async () => {
        for (const [assertion, verdict] of await inquire(inquiry, block, options)) {
          settle(assertion, verdict);
        }
      }),
    ),
  );
  return assertions.flatMap((assertion) => verdicts.get(assertion) ?? []);
}

function inputFor(
  type: AssertionType,
  assertion: Assertion,
  conversation: Conversation,
  { facts, replyTurns, stoppedEarly = false }: JudgeOptions,
): AssertionInput | Verdict {
  const hasSystemText =
    conversation.entries.some(({ kind }) => kind === 'system') ||
    turnsOf(conversation).some(({ items }) => items.some(({ kind }) => kind === 'system'));
  const needed = type.needs?.(facts, hasSystemText);
  if (needed !== undefined) return errorVerdict(assertion, 'missing-need', needed);
  const silent = type.judged ? silentSide(conversation) : undefined;
  if (silent) {
    const rationale = `Nothing to judge: the ${silent} never speaks.`;
    return skippedVerdict(assertion, 'no-turns', rationale);
  }
  const chosen = chooseTurns(conversation, assertion, type.side, replyTurns);
  if ('turns' in chosen) {
    return { conversation, turns: chosen.turns, assertion, facts };
  }
  if (stoppedEarly && chosen.fault === 'beyond') {
    const rationale = `The conversation ended at a failing turn before this one: ${chosen.missing}.`;
    return skippedVerdict(assertion, 'not-reached', rationale);
  }
  const rationale = `Nothing to look at: ${chosen.missing}.`;
  return chosen.fault
    ? errorVerdict(assertion, 'turn-not-found', rationale)
    : skippedVerdict(assertion, 'no-turns', rationale);
}

function silentSide(conversation: Conversation): 'user' | 'assistant' | undefined {
  return (['user', 'assistant'] as const).find(
    (side) => turnsOfSide(conversation, side).length === 0,
  );
}

function factsOf({ id, role, topics, tools, expectations, context }: CaseFacts): CaseFacts {
  return { id, topics, tools, expectations, context, ...(role !== undefined && { role }) };
}

/** A check that throws, such as on a pattern that was not checked before, is an error of its own. */
function guarded<Result>(assertion: Assertion, work: () => Result): Result | Verdict {
  try {
    return work();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return errorVerdict(assertion, 'check-failed', message);
  }
}

/** Criteria share a request where judge, temperature and turns are the same. */
function checklistKey({ assertion, turns }: AssertionInput): string {
  const { type, judge, temperature } = assertion;
  return canonicalJson([type, judge, temperature, turns.map(({ number }) => number)]);
}

function single(question: Question<unknown>): Question<unknown, Outcome[]> {
  return { ...question, conclude: (answer) => [question.conclude(answer)] };
}

async function inquire(
  { inputs, question }: Inquiry,
  block: string,
  { modelFor, signal }: JudgeOptions,
): Promise<[Assertion, Verdict][]> {
  const { assertion } = inputs[0];
  const request = judgeRequest(block, question, temperatureOf(assertion));
  let asked: Model | undefined;
  // The whole usage of a shared request stands in its first verdict, so that sums stay right.
  const costOf = (index: number, usage: Usage, version?: string): Cost => ({
    usage: index === 0 ? usage : NO_USAGE,
    ...(asked && { judge: describeJudge(asked, request, version) }),
  });
  const fail = (reason: string, message: string, usage: Usage = NO_USAGE) =>
    inputs.map((input, index): [Assertion, Verdict] => [
      input.assertion,
      errorVerdict(input.assertion, reason, message, costOf(index, usage)),
    ]);
  try {
    const model = await modelFor(assertion);
    if (!model) return fail('no-judge', NO_JUDGE);
    asked = model;
    const { answer, usage, version } = await askJudge(model, request, question, signal);
    return question.conclude(answer).flatMap((outcome, index): [Assertion, Verdict][] => {
      const input = inputs[index];
      if (!input) return [];
      const cost = costOf(index, usage, version);
      return [[input.assertion, concludedVerdict(input.assertion, outcome, cost)]];
    });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof JudgeError) return fail(error.reason, error.message, error.usage);
    if (error instanceof ModelError) return fail(error.reason, error.message);
    return fail('judge-failed', error instanceof Error ? error.message : String(error));
  }
}

function temperatureOf({ temperature, judge }: Assertion): number {
  const ofModel = judge?.params.temperature;
  return temperature ?? (typeof ofModel === 'number' ? ofModel : DEFAULT_TEMPERATURE);
}

const NO_JUDGE =
  'No judge is configured. Add `judge: openai:gpt-5-mini` to the file, or set TURNLIGHT_JUDGE or the setting turnlight.judge.';

function describeJudge(
  model: Model,
  request: ModelRequest,
  version: string | undefined,
): NonNullable<Verdict['judge']> {
  const prompt_hash = createHash('sha256').update(canonicalJson(request.messages)).digest('hex');
  return {
    model: model.id,
    ...(version !== undefined && { version }),
    prompt_hash,
    samples: 1,
    spread: null,
  };
}
