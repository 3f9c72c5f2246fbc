import pLimit from 'p-limit';
import { liveTurnsOf } from '../core/conversation.ts';
import { addEstimates, type Estimate, NO_ESTIMATE } from '../core/estimate.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import { caseStatus } from '../core/scoring.ts';
import { NO_USAGE } from '../core/verdict.ts';
import { estimateJudging } from '../judge/estimate.ts';
import type { About } from '../judge/inputs.ts';
import { judgeAssertions } from '../judge/judgeAssertions.ts';
import { findHomes } from '../store/home.ts';
import { caseLine } from './case/caseLine.ts';
import { withQuestions } from './case/withQuestions.ts';
import { Exchanges } from './exchanges.ts';
import type { LabelledCase } from './labelledCases.ts';
import { modelsOf } from './modelsOf.ts';
import type { RunOptions } from './runOptions.ts';
import { Unwritten } from './unwritten.ts';

/** As of a run, but for what it runs. */
export type JudgingOptions = Omit<RunOptions, 'select' | 'suites'>;

/** What judging them will take, asked by nobody. */
export async function estimateLabelled(cases: readonly LabelledCase[]): Promise<Estimate> {
  const once = new Set<string>();
  let sum = NO_ESTIMATE;
  for (const one of cases) {
    sum = addEstimates(sum, await estimateJudging(aboutOf(one), one.case.assertions, once));
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
  const homes = findHomes(suites);
  const unwritten = new Unwritten(options.log);
  const exchanges = await Exchanges.open({ ...options, suites }, homes, unwritten);
  const limit = pLimit(options.concurrency);
  try {
    exchanges.checkPrices(modelsOf(cases.map((one) => one.case)));
    await Promise.all(
      cases.map((one) =>
        limit(async () => {
          options.signal.throwIfAborted();
          onJudged(await judged(one, exchanges, options), one);
        }),
      ),
    );
  } finally {
    limit.clearQueue();
    await exchanges.close();
  }
}

async function judged(
  one: LabelledCase,
  exchanges: Exchanges,
  { signal, scrubber, log }: JudgingOptions,
): Promise<CaseLine> {
  const { suite, case: suiteCase, conversation } = one;
  const lookup = exchanges.lookupFor(1);
  const began = performance.now();
  const found = await judgeAssertions({
    ...aboutOf(one),
    assertions: suiteCase.assertions,
    signal,
    kept: exchanges.keptFor(suite.path),
    script: (code, input) => exchanges.script(suite, code, input, log),
    modelFor: async (spec) => (spec ? exchanges.model(spec, lookup) : undefined),
  });
  const duration = performance.now() - began;
  const verdicts = found.map(withQuestions(suiteCase));
  const { id, variant, threshold, aggregate } = suiteCase;
  const ref = { suite: suite.path, id, ...(variant !== undefined && { variant }), repetition: 1 };
  const status = caseStatus(verdicts, threshold, aggregate);
  const ended = { status, conversation, verdicts, usage: NO_USAGE };
  return scrubber.data(caseLine({ suite, ref }, suiteCase, {}, ended, duration));
}

/** The facts are those of then, as its label is of what the judge could read then. */
function aboutOf({ case: { id, origin }, conversation, facts, examples }: LabelledCase): About {
  const { role, ...rest } = facts;
  const live = origin.kind === 'transcript' ? [] : liveTurnsOf(conversation);
  return {
    conversation,
    facts: { id, ...rest, ...(role !== undefined && { role }) },
    replyTurns: live.filter(({ side }) => side === 'assistant').map(({ number }) => number),
    examples,
  };
}
