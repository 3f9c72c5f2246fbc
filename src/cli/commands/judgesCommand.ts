import { compareJudges } from '../../analysis/judgeComparison.ts';
import { pushAll } from '../../core/data/data.ts';
import { estimateWords } from '../../core/estimate.ts';
import { visibleWarnings } from '../../core/logger.ts';
import type { PlacedLabel } from '../../core/record/label.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { counted } from '../../core/text/format.ts';
import { visibleJson } from '../../core/text/visibleText.ts';
import { judgesReport } from '../../report/findings/judgesReport.ts';
import {
  estimateLabeled,
  judgeLabeled,
  type LabeledCase,
  labeledCases,
  overrideExamples,
  type UnusableLabel,
} from '../../runner/judgeLabeled.ts';
import { modelsOf } from '../../runner/models.ts';
import { DEFAULT_TIMEOUT } from '../../runner/runOptions.ts';
import { answersFolder } from '../../store/answers.ts';
import { readLabels } from '../../store/labels.ts';
import { readDotenv } from '../dotenv.ts';
import { EXIT, type ExitCode, UsageError } from '../exitCode.ts';
import { allowedHostsOf, requireHosts } from '../hosts.ts';
import type { Recordings, RunCommandOptions } from '../options.ts';
import { resolveRecordings } from '../paths.ts';
import { NO_LABELS, reportLabelProblems, reportProblems } from '../problems.ts';
import { layoutFor } from '../reporters.ts';
import { confirm, type Shell } from '../shell.ts';
import { loadSuites } from '../suites.ts';

interface JudgesOptions
  extends Recordings,
    Pick<
      RunCommandOptions,
      'dotenv' | 'baseUrl' | 'allowHost' | 'concurrency' | 'maxCost' | 'cache'
    > {
  readonly file?: readonly string[];
  readonly examples?: boolean;
  readonly folds: number;
  readonly format: 'terminal' | 'markdown' | 'json';
  readonly yes?: boolean;
}

/** A judge, with or without examples, and the cases for it to judge. */
interface JudgeSetup {
  readonly name: string;
  readonly cases: readonly LabeledCase[];
}

interface JudgingPlan {
  readonly setups: readonly JudgeSetup[];
  readonly labels: readonly PlacedLabel[];
  readonly folds: number;
  readonly left: Partial<Record<UnusableLabel, number>>;
}

/** Compares judges with people's labels and with each other. @throws UsageError */
export async function judges(
  named: readonly string[],
  options: JudgesOptions,
  shell: Shell,
): Promise<ExitCode> {
  const signal = shell.catchInterrupt();
  const recordings = resolveRecordings(options, shell.folder);
  if (options.folds < 2) throw new UsageError('--folds: expected at least 2.');
  if (options.dotenv !== undefined) await readDotenv(options.dotenv, shell);
  const plan = await planJudging(named, options, shell);
  if (!plan) return EXIT.invalid;
  const { setups, labels, folds, left } = plan;
  const cases = setups.flatMap((setup) => setup.cases);
  if (cases.length === 0) throw new UsageError(nothingToJudge(labels, left));
  const asked = cases.map((one) => one.case);
  if (modelsOf(asked).length === 0)
    throw new UsageError(
      'No judge is set. Pass one, for example: turnlight judges openai:gpt-5-mini',
    );
  const estimate = estimateWords(await estimateLabeled(cases));
  shell.err.write(`${counted(cases.length, 'conversation')} to judge: ${estimate}.\n`);
  const confirmed = options.yes || ((await confirm('Continue?', shell)) ?? true);
  if (!confirmed) return EXIT.cancelled;
  const allowed = await allowedHostsOf(options.allowHost ?? [], shell);
  const replayed = recordings.replay !== undefined;
  const allowedHosts = replayed ? allowed : await requireHosts(asked, allowed, shell);
  const lines = new Map<LabeledCase, CaseLine>();
  try {
    await judgeLabeled(
      cases,
      {
        ...recordings,
        concurrency: options.concurrency,
        // No target is called: the limit is for programs that score.
        timeout: DEFAULT_TIMEOUT,
        forbidOnly: false,
        keepRecord: false,
        ...(options.maxCost !== undefined && { maxCost: options.maxCost }),
        ...(options.cache && { cache: { folder: answersFolder(shell.processEnv), fresh: false } }),
        described: {},
        secret: async (name) => shell.env(name),
        env: shell.env,
        allowedHosts,
        scrubber: shell.scrubber,
        log: visibleWarnings((message) => shell.err.write(`${message}\n`)),
        signal,
        onEvent: () => {},
      },
      (line, one) => {
        lines.set(one, line);
        if (shell.err.isTty) shell.err.write(`\rJudged ${lines.size} of ${cases.length}`);
      },
    );
  } catch (error) {
    if (!signal.aborted) throw error;
    shell.err.write('\nCancelled. The cache has the answers received so far.\n');
    return EXIT.cancelled;
  }
  if (shell.err.isTty) shell.err.write('\n');
  const runs = setups.map((setup) => ({
    name: setup.name,
    lines: setup.cases.flatMap((one) => lines.get(one) ?? []),
  }));
  const conversations = cases.length / setups.length;
  const compared = { ...compareJudges(labels, runs), conversations, folds, left };
  const found = shell.scrubber.data(compared);
  const { format } = options;
  if (format === 'json') shell.out.report(`${visibleJson(found)}\n`);
  else shell.out.report(judgesReport(found, layoutFor(format, shell)));
  const unjudged = found.judges.some(({ errors }) => errors > 0);
  return unjudged ? EXIT.errored : EXIT.passed;
}

/** @returns undefined after reporting invalid files or labels */
async function planJudging(
  named: readonly string[],
  { file = [], baseUrl, dotenv, examples, folds }: JudgesOptions,
  shell: Shell,
): Promise<JudgingPlan | undefined> {
  const setups: JudgeSetup[] = [];
  const labels: PlacedLabel[] = [];
  const left: Partial<Record<UnusableLabel, number>> = {};
  let used = folds;
  for (const [index, judge] of (named.length > 0 ? named : [undefined]).entries()) {
    const given = {
      ...(judge !== undefined && { judge }),
      ...(baseUrl !== undefined && { baseUrl }),
      ...(dotenv !== undefined && { dotenv }),
    };
    const loaded = await loadSuites(file, shell, given);
    if (reportProblems(loaded, shell.folder, (text) => shell.err.write(text))) {
      shell.err.write('Nothing was judged. Fix the errors above first.\n');
      return undefined;
    }
    const shows = examples ? [false, true] : [undefined];
    const own = shows.map((shown) => ({ shown, cases: [] as LabeledCase[] }));
    for (const { suite } of loaded) {
      if (!suite) continue;
      const read = await readLabels(suite.path);
      if (index === 0) {
        if (reportLabelProblems(read.problems, shell)) {
          shell.err.write('Nothing was judged. Fix the labels above first.\n');
          return undefined;
        }
      }
      for (const setup of own) {
        const found = await labeledCases(suite, read.labels, folds, overrideExamples(setup.shown));
        pushAll(setup.cases, found.cases);
        if (found.folds > 0) used = Math.min(used, found.folds);
        if (index > 0 || setup !== own[0]) continue;
        pushAll(labels, found.labels);
        for (const [why, count] of Object.entries(found.left)) {
          const key = why as UnusableLabel;
          left[key] = (left[key] ?? 0) + count;
        }
      }
    }
    pushAll(
      setups,
      own.map(({ shown, cases }) => ({ name: nameOf(cases, shown), cases })),
    );
  }
  return { setups, labels, folds: used, left };
}

function nameOf(cases: readonly LabeledCase[], shown: boolean | undefined): string {
  const models = new Set(
    cases.flatMap((one) => one.case.assertions.flatMap(({ judge }) => judge?.id ?? [])),
  );
  const name = models.size === 1 ? [...models].join() : 'the judges set in the files';
  return shown ? `${name} with examples` : name;
}

function nothingToJudge(labels: readonly PlacedLabel[], left: JudgingPlan['left']): string {
  if (labels.length === 0) return NO_LABELS;
  const reasons = Object.entries(left).flatMap(([why, count]) =>
    count > 0 ? [`${counted(count, 'label')}: ${LEFT_OUT_REASONS[why as UnusableLabel]}.`] : [],
  );
  return ['None of the labeled conversations can be judged.', ...reasons].join('\n');
}

const LEFT_OUT_REASONS: Readonly<Record<UnusableLabel, string>> = {
  'no-conversation': 'their conversation is not in NAME.labels/conversations',
  'no-case': 'their case or assertion is no longer in the file',
  'no-judge': 'no model judges their assertion',
  'not-changed': "their assertion doesn't use examples",
};
