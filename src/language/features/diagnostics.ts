import type { Diagnostic } from 'vscode-languageserver-types';
import { groupBy } from '../../core/data/data.ts';
import type { Fix, Problem } from '../../core/problem.ts';
import { visibleText } from '../../core/text/visibleText.ts';

/** LSP's `DiagnosticSeverity` and `DiagnosticTag`. Importing the enums would load the whole library. */
const SEVERITY = { error: 1, warning: 2, information: 3 } as const;
const HINT = 4;
const UNNECESSARY = 1;

export interface DiagnosticData {
  readonly replacement?: string;
  readonly fix?: Fix;
}

/**
 * Diagnostics by the absolute path of the file that they are in.
 *
 * @param linkOf returns a link to the documentation of a problem
 */
export function diagnosticsByFile(
  problems: readonly Problem[],
  linkOf?: (problem: Problem) => string,
): Map<string, Diagnostic[]> {
  const files = groupBy(problems, ({ path }) => path);
  return new Map(
    [...files].map(([path, list]) => [path, list.map((one) => diagnosticOf(one, linkOf?.(one)))]),
  );
}

function diagnosticOf(problem: Problem, link: string | undefined): Diagnostic {
  const { code, message, severity, range, replacement, fix, unnecessary } = problem;
  const data: DiagnosticData = {
    ...(replacement !== undefined && { replacement }),
    ...(fix && { fix }),
  };
  return {
    range,
    code,
    ...(link !== undefined && { codeDescription: { href: link } }),
    message: visibleText(message),
    severity: unnecessary ? HINT : SEVERITY[severity],
    source: 'turnlight',
    ...(unnecessary && { tags: [UNNECESSARY] }),
    ...(Object.keys(data).length > 0 && { data }),
  };
}
