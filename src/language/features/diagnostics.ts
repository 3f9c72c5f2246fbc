import type { Diagnostic } from 'vscode-languageserver-types';
import type { Problem } from '../../core/problem.ts';

/** LSP's numbers; its types are no values of ours to load. */
const SEVERITY = { error: 1, warning: 2 } as const;

/** Problems as diagnostics, by the absolute path of the file that each stands in. */
export function diagnosticsByFile(problems: readonly Problem[]): Map<string, Diagnostic[]> {
  const files = new Map<string, Diagnostic[]>();
  for (const problem of problems) {
    const list = files.get(problem.path) ?? [];
    list.push(diagnosticOf(problem));
    files.set(problem.path, list);
  }
  return files;
}

function diagnosticOf({ code, message, severity, range, replacement }: Problem): Diagnostic {
  return {
    range,
    code,
    message,
    severity: SEVERITY[severity],
    source: 'turnlight',
    ...(replacement !== undefined && { data: { replacement } }),
  };
}
