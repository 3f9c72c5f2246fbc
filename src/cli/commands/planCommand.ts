import { memoize } from '../../core/data/data.ts';
import {
  addEstimates,
  type Estimate,
  estimateWords,
  NO_ESTIMATE,
  priceWords,
} from '../../core/estimate.ts';
import { caseName } from '../../core/presentation/words.ts';
import type { Suite } from '../../core/suite.ts';
import { counted } from '../../core/text/format.ts';
import { visibleJson, visibleLine } from '../../core/text/visibleText.ts';
import { estimateCase } from '../../judge/estimate.ts';
import { shownPath } from '../../report/style.ts';
import { plainTable } from '../../report/tables.ts';
import { type ContactedHost, destinationsOf } from '../../runner/models.ts';
import { checkExecutions, selectedCases } from '../../runner/plan.ts';
import { examplesOf } from '../../store/examples.ts';
import { readDotenv } from '../dotenv.ts';
import { EXIT, type ExitCode } from '../exitCode.ts';
import type { RunCommandOptions } from '../options.ts';
import { reportProblems } from '../problems.ts';
import { type SelectionOptions, selectCases } from '../selection.ts';
import type { Shell } from '../shell.ts';
import { loadSuites } from '../suites.ts';

interface PlanOptions
  extends SelectionOptions,
    Pick<RunCommandOptions, 'judge' | 'dotenv' | 'target'> {
  readonly format: 'text' | 'json';
}

interface PlanRow {
  readonly file: string;
  readonly id: string;
  readonly estimate: Estimate;
}

/** Estimates a run without calling any model. Exits with 3 if a file is invalid. @throws UsageError, RunRefusedError */
export async function plan(
  args: readonly string[],
  options: PlanOptions,
  shell: Shell,
): Promise<ExitCode> {
  if (options.dotenv !== undefined) await readDotenv(options.dotenv, shell);
  const loaded = await loadSuites(args, shell, options);
  if (reportProblems(loaded, shell.folder, (text) => shell.err.write(text))) {
    shell.err.write('Nothing was planned. Fix the errors above first.\n');
    return EXIT.invalid;
  }
  const suites = loaded.flatMap(({ suite }) => (suite ? [suite] : []));
  const chosen = selectedCases(suites, selectCases(suites, options));
  checkExecutions(chosen.map((one) => one.case));
  const once = new Set<string>();
  const rows: PlanRow[] = [];
  const examples = memoize((suite: Suite) => examplesOf(suite));
  for (const { suite, case: one } of chosen) {
    const file = shownPath(suite.path, shell.folder);
    const { suiteCase = one } = (await one.open?.()) ?? {};
    const estimate = await estimateCase(suiteCase, once, examples(suite)(suiteCase));
    rows.push({ file, id: caseName(one), estimate });
  }
  const total = rows.reduce((sum, { estimate }) => addEstimates(sum, estimate), NO_ESTIMATE);
  const secret = async (name: string) => shell.env(name);
  const cases = chosen.map((one) => one.case);
  const asked = await destinationsOf(cases, { secret, env: shell.env });
  shell.out.write(options.format === 'json' ? json(rows, total, asked) : text(rows, total, asked));
  return EXIT.passed;
}

function json(rows: readonly PlanRow[], total: Estimate, asked: readonly ContactedHost[]): string {
  const cases = rows.map(({ file, id, estimate }) => ({ file, id, ...estimate }));
  const hosts = asked.map(({ host, variables }) => ({ host, variables }));
  return `${visibleJson({ cases, total, hosts })}\n`;
}

function text(rows: readonly PlanRow[], total: Estimate, asked: readonly ContactedHost[]): string {
  const lines = rows.flatMap(({ file, id, estimate }, index) => [
    ...(rows[index - 1]?.file === file ? [] : [[file, '', '', '', '']]),
    [
      `  ${visibleLine(id, 60)}`,
      String(estimate.requests),
      String(estimate.inputTokens),
      String(estimate.outputTokens),
      priceWords(estimate),
    ],
  ]);
  const head = ['Case', 'Requests', 'Input tokens', 'Output tokens', 'Price'];
  const table = plainTable(head, lines);
  const notes = [
    `${counted(rows.length, 'case')}: ${estimateWords(total)}.`,
    ...(total.unpriced.length > 0
      ? [
          `No price for ${total.unpriced.map((name) => visibleLine(name)).join(', ')}. Add it under \`models\`.`,
        ]
      : []),
    ...(total.live
      ? [
          'The estimate assumes live replies of 80 tokens, without tool calls or retrieved context; assertions about those are not included. It assumes that simulated conversations reach their `max_user_turns`. Prompt caching may greatly reduce the input cost.',
        ]
      : ['Prompt caching may greatly reduce the input cost.']),
    ...asked.map(({ host, variables }) =>
      visibleLine(
        `Requests would go to ${host}, ${variables.length > 0 ? `with ${variables.join(', ')}` : 'without an API key'}.`,
      ),
    ),
  ];
  return `${table}\n${notes.join('\n')}\n`;
}
