import pLimit from 'p-limit';
import { asksJudge, asksOneQuestion } from '../assertions/contract.ts';
import { typeOf } from '../assertions/registry.ts';
import { liveTurnsOf } from '../core/conversation.ts';
import { groupBy } from '../core/data/data.ts';
import { addEstimates, type Estimate, NO_ESTIMATE } from '../core/estimate.ts';
import type { ExamplesFor, PlacedLabel } from '../core/record/label.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import { caseStatus } from '../core/scoring.ts';
import type { Assertion, Suite, SuiteCase } from '../core/suite.ts';
import { NO_USAGE } from '../core/verdict.ts';
import { estimateJudging } from '../judge/estimate.ts';
import type { JudgedConversation } from '../judge/inputs.ts';
import { judgeAssertions } from '../judge/judgeAssertions.ts';
import { sha256 } from '../node/hashes.ts';
import { examplesOf, findAssertion } from '../store/examples.ts';
import { type LabelledConversation, readLabelledConversation } from '../store/labels.ts';
import { addQuestionHashes, caseLine } from './case/caseLine.ts';
import { modelsOf } from './models.ts';
import { RunContext } from './runContext.ts';
import type { RunOptions } from './runOptions.ts';

/** As of a run, but for what it runs. */
export type JudgingOptions = Omit<RunOptions, 'select' | 'suites'>;

/** What judging them will take, asked by nobody. */
export async function estimateLabelled(cases: readonly LabelledCase[]): Promise<Estimate> {
  const once = new Set<string>();
  let sum = NO_ESTIMATE;
  for (const one of cases) {
    sum = addEstimates(
      sum,
      await estimateJudging(judgedConversationOf(one), one.case.assertions, once),
    );
  }
  return sum;
}

/**
 * Judges labelled conversations, outside of a run: no record is kept. Their lines come as they are known.
 *
 * @throws RecordingError, UnwritableError, RunRefusedError; the signal's reason when aborted
 */
export async function judgeLabelled(
  cases: readonly LabelledCase[],
  options: JudgingOptions,
  onJudged: (line: CaseLine, one: LabelledCase) => void,
): Promise<void> {
  const suites = [...new Set(cases.map(({ suite }) => suite))];
  const context = await RunContext.open({ ...options, suites });
  const limit = pLimit(options.concurrency);
  try {
    context.prepare(modelsOf(cases.map((one) => one.case)));
    await Promise.all(
      cases.map((one) =>
        limit(async () => {
          options.signal.throwIfAborted();
          onJudged(await judgeCase(one, context), one);
        }),
      ),
    );
  } finally {
    limit.clearQueue();
    await context.close();
  }
}

async function judgeCase(one: LabelledCase, context: RunContext): Promise<CaseLine> {
  const { suite, case: suiteCase, conversation } = one;
  const began = performance.now();
  const found = await judgeAssertions({
    ...judgedConversationOf(one),
    ...context.judging(suite),
    assertions: suiteCase.assertions,
  });
  const duration = performance.now() - began;
  const verdicts = found.map(addQuestionHashes(suiteCase));
  const { id, variant, threshold, aggregate } = suiteCase;
  const ref = { suite: suite.path, id, ...(variant !== undefined && { variant }), repetition: 1 };
  const status = caseStatus(verdicts, threshold, aggregate);
  const ended = { status, conversation, verdicts, usage: NO_USAGE };
  return context.options.scrubber.data(caseLine({ suite, ref }, suiteCase, {}, ended, duration));
}

/** The facts are those of then, as its label is of what the judge could read then. */
function judgedConversationOf({
  case: { id, origin },
  conversation,
  facts,
  examples,
}: LabelledCase): JudgedConversation {
  const { role, ...rest } = facts;
  const live = origin.kind === 'transcript' ? [] : liveTurnsOf(conversation);
  return {
    conversation,
    facts: { id, ...rest, ...(role !== undefined && { role }) },
    replyTurns: live.filter(({ side }) => side === 'assistant').map(({ number }) => number),
    examples,
  };
}

/** A labelled conversation, to be judged as its file now says. */
export interface LabelledCase extends LabelledConversation {
  readonly suite: Suite;
  /** With the assertions alone that people labelled and a judge decides. */
  readonly case: SuiteCase;
  /** Only those of other folds, so that nothing is measured on what it was shown. */
  readonly examples: ExamplesFor;
  /** From 0. */
  readonly fold: number;
}

export type UnusableLabel = 'no-conversation' | 'no-case' | 'no-judge' | 'not-changed';

interface LabelledCases {
  readonly cases: readonly LabelledCase[];
  /** In how many parts the conversations are: the examples of each come from the others. */
  readonly folds: number;
  /** Labels that cannot be used. */
  readonly left: Readonly<Record<UnusableLabel, number>>;
}

/**
 * The conversations that labels of a suite speak of. The conversations of a case are in one fold, unless each was
 * recorded by itself; folds are filled in the order of the hashes of their names.
 *
 * @param changed what is judged in place of an assertion; undefined where that cannot be done
 * @param folds at least 2; each conversation is a fold of its own where there are fewer of them
 */
export async function labelledCases(
  suite: Suite,
  labels: readonly PlacedLabel[],
  folds: number,
  changed: (assertion: Assertion) => Assertion | undefined = (assertion) => assertion,
): Promise<LabelledCases> {
  const left = { 'no-conversation': 0, 'no-case': 0, 'no-judge': 0, 'not-changed': 0 };
  const recorded = new Set(suite.cases.flatMap((one) => (one.recorded ? [one.id] : [])));
  const nameOf = (id: string, variant: string | undefined) =>
    JSON.stringify([id, recorded.has(id) ? variant : undefined]);
  const names = labels.map((one) => nameOf(one.case, one.variant));
  const foldOf = assignFolds(names, folds);
  const isAmong = (judged: SuiteCase, example: { case: string; variant?: string }) =>
    foldOf.get(nameOf(judged.id, judged.variant)) !==
    foldOf.get(nameOf(example.case, example.variant));
  const source = examplesOf(suite, isAmong);
  const cases: LabelledCase[] = [];
  for (const own of groupBy(labels, (one) => one.conversation_hash).values()) {
    const [{ case: id, variant, conversation_hash: hash }] = own;
    const kept = await readLabelledConversation(suite.path, hash);
    const found = suite.cases.find((one) => one.id === id && one.variant === variant);
    const opened = found?.open ? (await found.open()).suiteCase : found;
    if (!kept || !opened) {
      left[kept ? 'no-case' : 'no-conversation'] += own.length;
      continue;
    }
    const keys = groupBy(own, ({ assertion }) => assertion);
    const assertions = [...keys.keys()].flatMap((key) => {
      const assertion = findAssertion(opened.assertions, key);
      const isJudged = assertion && asksJudge(typeOf(assertion));
      const made = isJudged && changed(assertion);
      if (made) return [made];
      const why = isJudged ? 'not-changed' : assertion ? 'no-judge' : 'no-case';
      left[why] += keys.get(key)?.length ?? 0;
      return [];
    });
    if (assertions.length === 0) continue;
    const indexed = assertions.map((one, index) => ({ ...one, index }));
    const judged = { ...opened, assertions: indexed };
    cases.push({
      suite,
      case: judged,
      ...kept,
      examples: source(judged),
      fold: foldOf.get(nameOf(id, variant)) ?? 0,
    });
  }
  return { cases, folds: new Set(foldOf.values()).size, left };
}

/** An assertion with examples or without; as its file says where `shown` is undefined. */
export function overrideExamples(
  shown: boolean | undefined,
): (assertion: Assertion) => Assertion | undefined {
  if (shown === undefined) return (assertion) => assertion;
  return (assertion) => {
    if (!asksOneQuestion(typeOf(assertion))) return undefined;
    const { examples: _e, together: _t, ...rest } = assertion;
    return shown ? { ...rest, examples: 'labels' } : rest;
  };
}

function assignFolds(names: readonly string[], folds: number): Map<string, number> {
  const hashed = [...new Set(names)].map((name) => ({ name, hash: sha256(name) }));
  hashed.sort((a, b) => (a.hash < b.hash ? -1 : 1));
  return new Map(hashed.map(({ name }, index) => [name, index % folds]));
}
