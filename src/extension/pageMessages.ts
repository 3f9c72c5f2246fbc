import * as vscode from 'vscode';
import type * as z from 'zod';
import { errorText, stackText } from '../core/errors.ts';
import { noticeText } from '../core/presentation/editorText.ts';

/** A page of ours, as messages about it name it. */
export interface Page {
  /** `conversation view` */
  readonly name: string;
  readonly log: vscode.LogOutputChannel;
}

/** Acts on what the page sends; what does not fit, or fails, is told and breaks nothing. */
export function receive<Schema extends z.ZodType>(
  webview: vscode.Webview,
  page: Page,
  schema: Schema,
  act: (message: z.infer<Schema>) => Promise<void>,
): vscode.Disposable {
  return webview.onDidReceiveMessage(async (given: unknown) => {
    const message = schema.safeParse(given);
    if (message.success) {
      await act(message.data).catch((error: unknown) => tellFailure(page, error));
    } else {
      page.log.warn(`Ignored an invalid message from the ${page.name}.`);
    }
  });
}

export function tellFailure({ name, log }: Page, error: unknown): void {
  log.error(stackText(error));
  void vscode.window.showErrorMessage(noticeText(`The ${name} failed: ${errorText(error)}`));
}
