import * as vscode from 'vscode';
import type { EditorModels } from '../../core/editorModels.ts';
import { errorText, ReasonedError } from '../../core/errors.ts';
import { visibleLog } from '../../core/logger.ts';
import { noticeText } from '../../core/text/visibleText.ts';
import type { ChosenModel } from '../../evalfile/starter.ts';
import { withModel } from '../../runner/oneModel.ts';
import { reportError } from '../workspace.ts';
import { editorModels } from './editorModels.ts';

type Host = Parameters<typeof withModel>[1];
type Keys = Required<Pick<Host, 'secret' | 'env' | 'allowedHosts' | 'scrubber'>>;
type Model = Parameters<Parameters<typeof withModel>[2]>[0];

export interface ModelCall {
  readonly model: Model;
  readonly host: Keys & Required<Pick<Host, 'log'>> & { readonly editorModels: EditorModels };
  /** Aborted if the user selects Cancel. */
  readonly signal: AbortSignal;
  /** Shows a progress message. */
  readonly report: (message: string) => void;
}

/**
 * Calls a model outside of a run, with a notification that has a Cancel button.
 *
 * @returns undefined if it was canceled
 */
export function callModel<Result>(
  title: string,
  { id, baseUrl }: ChosenModel,
  keys: Keys,
  log: vscode.LogOutputChannel,
  work: (call: ModelCall) => Promise<Result>,
): Thenable<Result | undefined> {
  const location = vscode.ProgressLocation.Notification;
  const options = { location, title: noticeText(title), cancellable: true };
  return vscode.window.withProgress(options, async (progress, token) => {
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    const { signal } = abort;
    const host = { ...keys, log: visibleLog(log), editorModels };
    const report = (message: string) => progress.report({ message: noticeText(message) });
    try {
      return await withModel({ name: id, baseUrl }, host, (model) =>
        work({ model, host, signal, report }),
      );
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  });
}

/** Shows errors that have a reason, such as a rejected key. */
export async function showReasons(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ReasonedError)) throw error;
    reportError(errorText(error));
  }
}
