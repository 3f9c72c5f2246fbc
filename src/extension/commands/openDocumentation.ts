import * as vscode from 'vscode';

const PAGE = /^(?:[\w-]+\/)*[\w-]+\.md(?:#[\w-]*)?$/;

/**
 * Opens a page of the documentation in the editor's Markdown preview.
 *
 * @param extension the folder of the extension
 * @param page such as `reference/models.md#openai`. Default: the table of contents
 */
export async function openDocumentation(extension: vscode.Uri, page: unknown): Promise<void> {
  const [path = '', fragment = ''] = (PAGE.exec(String(page))?.[0] ?? 'README.md').split('#');
  const uri = vscode.Uri.joinPath(extension, 'docs', path).with({ fragment });
  await vscode.commands.executeCommand('markdown.showPreview', uri);
}
