import type { Diagnostic } from 'vscode-languageserver-types';
import { groupBy } from '../../core/data.ts';
import { visibleText } from '../../core/presentation/visibleText.ts';
import type { Fix, Problem } from '../../core/problem.ts';
import { START } from '../../core/problem.ts';

/** LSP's numbers; its types are no values of ours to load. */
const SEVERITY = { error: 1, warning: 2 } as const;
const HINT = 4;
const UNNECESSARY = 1;

/** Nobody reads more at once, and an editor that is sent tens of thousands stands still. */
const MOST_SHOWN = 200;

export interface DiagnosticData {
  readonly replacement?: string;
  readonly fix?: Fix;
}

/**
 * Problems as diagnostics, by the absolute path of the file that each stands in; of each file the
 * first 200, errors before warnings, and one that says how many more there are.
 */
export function diagnosticsByFile(problems: readonly Problem[]): Map<string, Diagnostic[]> {
  const files = groupBy(problems, ({ path }) => path);
  return new Map([...files].map(([path, list]) => [path, diagnosticsOf(list)]));
}

function diagnosticsOf(problems: readonly Problem[]): Diagnostic[] {
  if (problems.length <= MOST_SHOWN) return problems.map(diagnosticOf);
  const errors = problems.filter(({ severity }) => severity === 'error');
  const others = problems.filter(({ severity }) => severity !== 'error');
  const more = problems.length - MOST_SHOWN;
  const message = `${more} more problems in this file are not shown. Fix some of these first.`;
  return [
    ...[...errors, ...others].slice(0, MOST_SHOWN).map(diagnosticOf),
    {
      range: START,
      code: 'more-problems',
      message,
      severity: SEVERITY.warning,
      source: 'turnlight',
    },
  ];
}

function diagnosticOf(problem: Problem): Diagnostic {
  const { code, message, severity, range, replacement, fix, unnecessary } = problem;
  const data: DiagnosticData = {
    ...(replacement !== undefined && { replacement }),
    ...(fix && { fix }),
  };
  return {
    range,
    code,
    message: visibleText(message),
    severity: unnecessary ? HINT : SEVERITY[severity],
    source: 'turnlight',
    ...(unnecessary && { tags: [UNNECESSARY] }),
    ...(Object.keys(data).length > 0 && { data }),
  };
}
