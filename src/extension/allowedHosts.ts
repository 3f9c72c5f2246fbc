import * as vscode from 'vscode';
import type { AllowedHost, KeyHost } from '../core/environment.ts';
import type { SuiteCase } from '../core/suite.ts';
import { noticeText } from '../core/text/visibleText.ts';
import { forbiddenHosts } from '../runner/models.ts';
import { allowedHostsFile, allowHosts, readAllowedHosts } from '../store/allowedHosts.ts';
import { env } from './workspace.ts';

/** The first button, which Enter activates. This must not be the close button, or Enter would activate `ALLOW`. */
const DENY = 'Do Not Send';
const ALLOW = 'Allow';

/** Hosts that the user allowed, here or on the command line. @throws AllowedHostsError */
export function allowedHosts(): Promise<AllowedHost[]> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const workspaces = folders.map(({ uri }) => uri.fsPath);
  return readAllowedHosts(allowedHostsFile(env), workspaces);
}

/**
 * Asks, once per host, whether cases may send keys to hosts that aren't allowed yet.
 *
 * @returns all allowed hosts; requests to other hosts fail
 * @throws AllowedHostsError
 */
export async function askForHosts(
  cases: readonly SuiteCase[],
  keys: KeyHost,
): Promise<AllowedHost[]> {
  const allowed = await allowedHosts();
  for (const one of await forbiddenHosts(cases, { ...keys, allowedHosts: allowed })) {
    if (one.kind !== 'host-not-allowed') continue;
    const text = noticeText(`Send ${one.variables.join(', ')} to ${one.host}?`);
    const detail =
      "The eval file asks for this. Allow it only if you trust the file and the operator of this host. Turnlight won't ask again.";
    const options = { modal: true, detail };
    if ((await vscode.window.showWarningMessage(text, options, DENY, ALLOW)) !== ALLOW) continue;
    await allowHosts(allowedHostsFile(env), [one]);
    allowed.push(one);
  }
  return allowed;
}
