import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { ViewPage } from '../../protocol/viewPage.ts';
import { viewHtml } from './html.ts';

/** Puts a page of ours into a webview. It reads what is in `dist`, and nothing else. */
export function showPage(webview: vscode.Webview, extensionUri: vscode.Uri, page: ViewPage): void {
  const dist = vscode.Uri.joinPath(extensionUri, 'dist');
  const asset = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
  webview.options = { enableScripts: true, localResourceRoots: [dist] };
  webview.html = viewHtml({
    nonce: randomBytes(16).toString('base64url'),
    cspSource: webview.cspSource,
    page,
    scriptUri: asset('webview.js'),
    styleUri: asset('webview.css'),
  });
}
