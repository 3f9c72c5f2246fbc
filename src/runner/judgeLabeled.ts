import pLimit from 'p-limit';
import { asksJudge, asksOneQuestion } from '../assertions/contract.ts';
import { typeOf } from '../assertions/registry.ts';
import { groupBy } from '../core/data/data.ts';
import { addEstimates, type Estimate, NO_ESTIMATE } from '../core/estimate.ts';
import type { ExamplesFor, PlacedLabel } from '../core/record/label.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import { caseStatus } from '../core/scoring.ts';
import type { Assertion, Suite, SuiteCase } from '../core/suite.ts';
import { NO_USAGE } from '../core/verdict.ts';
import { estimateJudging } from '../judge/estimate.ts';
import { type JudgedConversation, recordedFacts, replyTurnsOf } from '../judge/inputs.ts';
import { judgeAssertions } from '../judge/judgeAssertions.ts';
import { sha256 } from '../node/hashes.ts';
import { examplesOf, findAssertion } from '../store/examples.ts';
import { type LabeledConversation, readLabeledConversation } from '../store/labels.ts';
import { addQuestionHashes, caseLine } from './case/caseLine.ts';
import { modelsOf } from './models.ts';
import { RunContext } from './runContext.ts';
import type { RunOptions } from './runOptions.ts';

export type JudgingOptions = Omit<RunOptions, 'select' | 'suites'>;

export async function estimateLabeled(cases: readonly LabeledCase[]): Promise<Estimate> {
  const once = new Set<string>();
  let sum = NO_ESTIMATE;
  for (const one of cases) {
    const judged = judgedConversationOf(one);
    sum = addEstimates(sum, await estimateJudging(judged, one.case.assertions, once));
  }
  return sum;
}

/**
 * Judges labeled conversations without starting a run. Reports each line as soon as it is known.
 *
 * @throws RecordingError, UnwritableError, RunRefusedError; the signal's reason when aborted
 */
export async function judgeLabeled(
  cases: readonly LabeledCase[],
  options: JudgingOptions,
  onJudged: (line: CaseLine, one: LabeledCase) => void,
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

async function judgeCase(one: LabeledCase, context: RunContext): Promise<CaseLine> {
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

/** Uses the recorded facts, because the label is about what the judge saw at the time. */
function judgedConversationOf(one: LabeledCase): JudgedConversation {
  const { case: suiteCase, conversation, facts, examples } = one;
  const replyTurns = suiteCase.origin.kind === 'transcript' ? [] : replyTurnsOf(conversation);
  return { conversation, facts: recordedFacts(suiteCase.id, facts), replyTurns, examples };
}

/** A labeled conversation, to be judged with the current file. */
export interface LabeledCase extends LabeledConversation {
  readonly suite: Suite;
  /** The case, reduced to the labeled assertions that a judge decides. */
  readonly case: SuiteCase;
  /** Examples from other folds only, so that no judge is scored on a conversation that it saw as an example. */
  readonly examples: ExamplesFor;
  /** From 0. */
  readonly fold: number;
}

export type UnusableLabel = 'no-conversation' | 'no-case' | 'no-judge' | 'not-changed';

/**
 * A case's conversations are in the same fold, unless they were recorded separately. Cases are assigned to folds in the
 * order of their names' hashes.
 *
 * @param folds at least 2; with fewer conversations, each is its own fold
 * @param changed returns the assertion to judge instead; undefined if that isn't possible
 * @returns cases, the number of folds, and the number of unusable labels by reason
 */
export async function labeledCases(
  suite: Suite,
  labels: readonly PlacedLabel[],
  folds: number,
  changed: (assertion: Assertion) => Assertion | undefined = (assertion) => assertion,
) {
  const left = { 'no-conversation': 0, 'no-case': 0, 'no-judge': 0, 'not-changed': 0 };
  const recorded = new Set(suite.cases.flatMap((one) => (one.recorded ? [one.id] : [])));
  const nameOf = (id: string, variant: string | undefined) =>
    JSON.stringify([id, recorded.has(id) ? variant : undefined]);
  const names = labels.map((one) => nameOf(one.case, one.variant));
  const foldOf = assignFolds(names, folds);
  const source = examplesOf(
    suite,
    ({ id, variant }, example) =>
      foldOf.get(nameOf(id, variant)) !== foldOf.get(nameOf(example.case, example.variant)),
  );
  const cases: LabeledCase[] = [];
  for (const own of groupBy(labels, (one) => one.conversation_hash).values()) {
    const [{ case: id, variant, conversation_hash: hash }] = own;
    const kept = await readLabeledConversation(suite.path, hash);
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
    const judged = { ...opened, assertions: assertions.map((one, index) => ({ ...one, index })) };
    const fold = foldOf.get(nameOf(id, variant)) ?? 0;
    cases.push({ suite, case: judged, ...kept, examples: source(judged), fold });
  }
  return { cases, folds: new Set(foldOf.values()).size, left };
}

/** Adds or removes an assertion's examples; keeps the setting if `shown` is undefined. */
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
