import pLimit from 'p-limit';
import { asksJudge, asksOneQuestion } from '../assertions/contract.ts';
import { typeOf } from '../assertions/registry.ts';
import { addTo, groupBy, memoize } from '../core/data/data.ts';
import { addEstimates, type Estimate, NO_ESTIMATE } from '../core/estimate.ts';
import {
  type ExamplesFor,
  hasCaseOf,
  type LabelCandidate,
  labeledConversation,
  type PlacedLabel,
} from '../core/record/label.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import { caseStatus } from '../core/scoring.ts';
import type { Assertion, Suite, SuiteCase } from '../core/suite.ts';
import { allKeyedVerdicts, NO_USAGE } from '../core/verdict.ts';
import { estimateJudging } from '../judge/estimate.ts';
import { type JudgedConversation, recordedFacts, replyTurnsOf } from '../judge/inputs.ts';
import { judgeAssertions } from '../judge/judgeAssertions.ts';
import { conversationHash, sha256 } from '../node/hashes.ts';
import {
  caseFinder,
  examplesOf,
  findAssertion,
  mergeRenamed,
  openCase,
} from '../store/examples.ts';
import { type LabeledConversation, readLabeledConversation } from '../store/labels.ts';
import { labeledLines } from '../store/records/latest.ts';
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
  const line = caseLine({ suite, ref }, suiteCase, {}, ended, duration);
  // Labels are found by these.
  return { ...context.options.scrubber.data(line), ...ref };
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
 * @returns cases, the labels under their names, the number of folds, and the number of unusable labels by reason
 */
export async function labeledCases(
  suite: Suite,
  given: readonly PlacedLabel[],
  folds: number,
  changed: (assertion: Assertion) => Assertion | undefined = (assertion) => assertion,
) {
  const labels = mergeRenamed(given, suite.cases, await recordedVerdicts(suite, given));
  const caseFor = caseFinder(suite.cases, labels);
  const left = { 'no-conversation': 0, 'no-case': 0, 'no-judge': 0, 'not-changed': 0 };
  const recorded = new Set(suite.cases.flatMap((one) => (one.recorded ? [one.id] : [])));
  const nameOf = (id: string, variant: string | undefined) =>
    JSON.stringify([id, recorded.has(id) ? variant : undefined]);
  const names = labels.map((one) => nameOf(one.case, one.variant));
  const foldOf = assignFolds(names, folds);
  const source = examplesOf(suite, ({ id, variant }, example) => {
    const fold = foldOf.get(nameOf(example.case, example.variant));
    return fold !== undefined && fold !== foldOf.get(nameOf(id, variant));
  });
  const cases: LabeledCase[] = [];
  for (const own of groupBy(labels, labeledConversation).values()) {
    const [{ case: id, variant, conversation_hash: hash }] = own;
    const kept = await readLabeledConversation(suite.path, hash);
    if (!kept) {
      left['no-conversation'] += own.length;
      continue;
    }
    const open = memoize(openCase);
    const assertions: Assertion[] = [];
    let opened: SuiteCase | undefined;
    for (const [key, some] of groupBy(own, ({ assertion }) => assertion)) {
      const found = caseFor(some[0]);
      const one = found && (await open(found));
      const assertion = one && findAssertion(one.assertions, key);
      const isJudged = assertion && asksJudge(typeOf(assertion));
      const made = isJudged && changed(assertion);
      if (made) {
        opened ??= one;
        assertions.push({ ...made, index: assertions.length });
      } else {
        const why = isJudged ? 'not-changed' : assertion ? 'no-judge' : 'no-case';
        left[why] += some.length;
      }
    }
    if (!opened) continue;
    const { variant: _, ...rest } = opened;
    const name = { id, ...(variant !== undefined && { variant }) };
    const judged = { ...rest, ...name, assertions };
    const fold = foldOf.get(nameOf(id, variant)) ?? 0;
    cases.push({ suite, case: judged, ...kept, examples: source(judged), fold });
  }
  return { cases, labels, folds: new Set(foldOf.values()).size, left };
}

/** Finds the cases that judged the conversations of renamed cases. Reads the records only if there are such cases. */
async function recordedVerdicts({ path, cases }: Suite, labels: readonly PlacedLabel[]) {
  const hasCase = hasCaseOf(cases);
  const renamed = labels.filter((one) => !hasCase(one.case, one.variant));
  const hashes = new Set(renamed.map((one) => one.conversation_hash));
  const found = new Map<string, LabelCandidate[]>();
  const lines = hashes.size > 0 ? labeledLines(path) : [];
  for await (const { line } of lines) {
    const hash = conversationHash(line.conversation);
    if (!hashes.has(hash)) continue;
    const { id, variant } = line;
    for (const [key, { question_hash: question }] of allKeyedVerdicts(line.verdicts)) {
      addTo(found, JSON.stringify([hash, key]), { id, variant, question });
    }
  }
  return (label: PlacedLabel) =>
    found.get(JSON.stringify([label.conversation_hash, label.assertion])) ?? [];
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
