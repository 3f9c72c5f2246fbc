import {
  addEstimates,
  type Estimate,
  estimateWords,
  NO_ESTIMATE,
  priceWords,
} from '../core/estimate.ts';
import { counted } from '../core/presentation/amounts.ts';
import { visibleJson, visibleLine } from '../core/presentation/visibleText.ts';
import { estimateCase } from '../judge/estimate.ts';
import { shownPath } from '../report/shownPath.ts';
import { plainTable } from '../report/table.ts';
import { EXIT, type ExitCode } from './exitCode.ts';
import { selectCases } from './selection.ts';
import type { Shell } from './shell.ts';
import { loadSuites, showProblems } from './suites.ts';

export interface PlanOptions {
  readonly case?: readonly string[];
  readonly tag?: readonly string[];
  readonly judge?: string;
  readonly format: 'text' | 'json';
}

interface Row {
  readonly file: string;
  readonly id: string;
  readonly estimate: Estimate;
}

/** Says what a run would take, and asks nobody. Invalid files exit with 3. @throws UsageError */
export async function plan(
  args: readonly string[],
  options: PlanOptions,
  shell: Shell,
): Promise<ExitCode> {
  const loaded = await loadSuites(
    args,
    shell,
    options.judge ? { judge: options.judge } : undefined,
  );
  if (showProblems(loaded, shell.folder, (text) => shell.err.write(text))) {
    shell.err.write('Nothing was planned: correct the errors above first.\n');
    return EXIT.invalid;
  }
  const suites = loaded.flatMap(({ suite }) => (suite ? [suite] : []));
  const select = selectCases(suites, { cases: options.case ?? [], tags: options.tag ?? [] });
  const once = new Set<string>();
  const rows: Row[] = [];
  for (const suite of suites) {
    const file = shownPath(suite.path, shell.folder);
    for (const one of suite.cases.filter((suiteCase) => select(suite, suiteCase))) {
      rows.push({ file, id: one.id, estimate: await estimateCase(one, once) });
    }
  }
  const total = rows.reduce((sum, { estimate }) => addEstimates(sum, estimate), NO_ESTIMATE);
  shell.out.write(options.format === 'json' ? json(rows, total) : text(rows, total));
  return EXIT.passed;
}

function json(rows: readonly Row[], total: Estimate): string {
  const cases = rows.map(({ file, id, estimate }) => ({ file, id, ...estimate }));
  return `${visibleJson({ cases, total })}\n`;
}

function text(rows: readonly Row[], total: Estimate): string {
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
  const head = ['Case', 'Requests', 'Tokens in', 'Tokens out', 'Price'];
  const table = plainTable(head, lines, false);
  const notes = [
    `${counted(rows.length, 'case')}: ${estimateWords(total)}.`,
    ...(total.unpriced.length > 0
      ? [
          `No price is known of ${total.unpriced.map((name) => visibleLine(name)).join(', ')}: give it in \`models\`.`,
        ]
      : []),
    ...(total.live
      ? [
          'Replies that are still to come are taken for 80 tokens each, without tool calls and retrieved context: what is only asked about those is not counted. A prompt cache may save a good part.',
        ]
      : ['A prompt cache may save a good part of the tokens in.']),
  ];
  return `${table}\n${notes.join('\n')}\n`;
}
