import * as vscode from 'vscode';
import { unreachable } from '../../core/unreachable.ts';
import {
  type FromLabelling,
  fromLabellingSchema,
  type ShownLabelling,
} from '../../protocol/labellingProtocol.ts';
import { LABELLING_VIEW_TYPE } from '../../protocol/settings.ts';
import { Disposing } from '../disposables.ts';
import { receive } from '../pageMessages.ts';
import { findEvalFiles, isEvalFile, readSuite } from '../suites.ts';
import { showPage } from '../viewer/page.ts';
import { LabellingRound } from './labellingRound.ts';
import { personAt } from './person.ts';

export interface LabellingParts {
  readonly extensionUri: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
}

/** Lets a person label the judged conversations of an eval file: the one in the editor, else one of their choice. */
export async function labelConversations(parts: LabellingParts): Promise<void> {
  const active = vscode.window.activeTextEditor?.document.uri;
  const uri = active && isEvalFile(active) ? active : await pickFile();
  if (!uri) return;
  const panel = vscode.window.createWebviewPanel(LABELLING_VIEW_TYPE, 'Label Conversations', {
    viewColumn: vscode.ViewColumn.Active,
    preserveFocus: false,
  });
  const view = new LabellingPanel(panel, uri, parts);
  panel.onDidDispose(() => view.dispose());
}

async function pickFile(): Promise<vscode.Uri | undefined> {
  const files = await findEvalFiles();
  if (files.length < 2) return files[0];
  const items = files.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }));
  const placeHolder = 'Select the eval file whose conversations you label';
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.uri;
}

class LabellingPanel extends Disposing {
  readonly #panel: vscode.WebviewPanel;
  readonly #uri: vscode.Uri;
  #round: Promise<LabellingRound> | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(panel: vscode.WebviewPanel, uri: vscode.Uri, parts: LabellingParts) {
    super();
    this.#panel = panel;
    this.#uri = uri;
    const page = { name: 'labelling mode', log: parts.log };
    // One after the other: an answer is to the question that was asked.
    const act = (message: FromLabelling) => {
      const done = this.#last.then(() => this.#act(message));
      this.#last = done.catch(() => {});
      return done;
    };
    this.keep(receive(panel.webview, page, fromLabellingSchema, act));
    this.keep(panel);
    showPage(panel.webview, parts.extensionUri, 'labelling');
  }

  async #act(message: FromLabelling): Promise<void> {
    if (message.kind === 'agreement') {
      await vscode.commands.executeCommand('turnlight.showAgreement');
      return;
    }
    if (!this.#round) await this.#post({ phase: 'reading' });
    this.#round ??= this.#begin();
    const round = await this.#round;
    switch (message.kind) {
      case 'ready':
        break;
      case 'answer':
        await round.answer(message);
        break;
      case 'skip':
        round.skip();
        break;
      case 'undo':
        await round.undo();
        break;
      default:
        unreachable(message);
    }
    await this.#post(await round.shown());
  }

  async #begin(): Promise<LabellingRound> {
    const file = this.#uri.fsPath;
    const round = new LabellingRound({
      file,
      person: await personAt(file),
      stated: async (id) => {
        const [{ suite }, { stateAssertions }] = await Promise.all([
          readSuite(this.#uri),
          import('../../assertions/stateAssertions.ts'),
        ]);
        const found = suite?.cases.find((one) => one.id === id);
        return found ? stateAssertions(found) : [];
      },
    });
    await round.begin();
    return round;
  }

  async #post(labelling: ShownLabelling): Promise<void> {
    await this.#panel.webview.postMessage({ kind: 'snapshot', labelling });
  }
}
