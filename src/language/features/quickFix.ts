import type { CodeAction, Diagnostic } from 'vscode-languageserver-types';

/** Puts in what was most likely meant, where the diagnostic knows it. */
export function quickFixes(uri: string, diagnostics: readonly Diagnostic[]): CodeAction[] {
  return diagnostics.flatMap((diagnostic): CodeAction[] => {
    const replacement: unknown = Reflect.get(Object(diagnostic.data), 'replacement');
    if (diagnostic.source !== 'turnlight' || typeof replacement !== 'string') return [];
    return [
      {
        title: `Change to "${replacement}"`,
        kind: 'quickfix',
        isPreferred: true,
        diagnostics: [diagnostic],
        edit: { changes: { [uri]: [{ range: diagnostic.range, newText: replacement }] } },
      },
    ];
  });
}
