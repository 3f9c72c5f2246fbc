import pLimit from 'p-limit';
import * as vscode from 'vscode';
import { labelProblemTexts } from '../../core/presentation/labelProblem.ts';
import type { Assertion } from '../../core/suite.ts';
import { unreachable } from '../../core/unreachable.ts';
import {
  type FromLabelling,
  fromLabellingSchema,
  labellingStateSchema,
  type ShownLabelling,
  type ToLabelling,
} from '../../protocol/labellingProtocol.ts';
import { LABELLING_VIEW_TYPE } from '../../protocol/settings.ts';
import { readLabels } from '../../store/labels.ts';
import { Disposing } from '../disposables.ts';
import { receive } from '../pageMessages.ts';
import { findEvalFiles, isEvalFile, readSuite } from '../suites.ts';
import { showPage } from '../viewer/page.ts';
import { openVariant } from '../viewer/shownCase.ts';
import { activeConversation } from '../viewer/viewer.ts';
import { LabellingRound } from './labellingRound.ts';
import { personAt } from './person.ts';

export interface LabellingParts {
  readonly extensionUri: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
}

/**
 * Lets a person label the judged conversations of an eval file: the one in the editor, or of the conversation that is
 * shown, else one of their choice.
 */
export async function labelConversations(parts: LabellingParts): Promise<void> {
  const active = activeConversation() ?? vscode.window.activeTextEditor?.document.uri;
  const uri = active && isEvalFile(active) ? active : await pickFile();
  if (!uri) return;
  const panel = vscode.window.createWebviewPanel(LABELLING_VIEW_TYPE, 'Label Conversations', {
    viewColumn: vscode.ViewColumn.Active,
    preserveFocus: false,
  });
  attach(panel, uri, parts);
}

/** Brings the labelling mode back after a reload; what was labelled is left out. */
export function restoreLabelling(
  panel: vscode.WebviewPanel,
  given: unknown,
  parts: LabellingParts,
): void {
  const { data } = labellingStateSchema.safeParse(given);
  if (data) attach(panel, vscode.Uri.parse(data.file), parts);
  else panel.dispose();
}

function attach(panel: vscode.WebviewPanel, uri: vscode.Uri, parts: LabellingParts): void {
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

  constructor(panel: vscode.WebviewPanel, uri: vscode.Uri, parts: LabellingParts) {
    super();
    this.#panel = panel;
    this.#uri = uri;
    const page = { name: 'labelling mode', log: parts.log };
    // One after the other: an answer is to the question that was asked.
    const limit = pLimit(1);
    this.keep(
      receive(panel.webview, page, fromLabellingSchema, (message) =>
        limit(() => this.#act(message)),
      ),
    );
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
      asked: async () => {
        const { suite } = await readSuite(this.#uri);
        return suite && new Map(suite.cases.map((one) => [one.id, keysOf(one.assertions)]));
      },
      stated: async (id, variant) => {
        const [{ suite }, { stateAssertions }] = await Promise.all([
          readSuite(this.#uri),
          import('../../assertions/stateAssertions.ts'),
        ]);
        const common = suite?.cases.find((one) => one.id === id);
        const opened =
          common?.expand && variant !== undefined ? await openVariant(common, variant) : undefined;
        const found = opened?.suiteCase ?? common;
        return found ? stateAssertions(found) : [];
      },
    });
    await round.begin();
    return round;
  }

  async #post(labelling: ShownLabelling): Promise<void> {
    const { problems } = await readLabels(this.#uri.fsPath);
    const message: ToLabelling = {
      kind: 'snapshot',
      state: { file: this.#uri.toString() },
      problems: labelProblemTexts(problems, (path) => vscode.workspace.asRelativePath(path)),
      labelling,
    };
    await this.#panel.webview.postMessage(message);
  }
}

/** Also of those that decide others. */
function keysOf(assertions: readonly Assertion[]): ReadonlySet<string> {
  return new Set(
    assertions.flatMap(({ key, nested = [] }) => [
      key,
      ...keysOf(nested.map(({ assertion }) => assertion)),
    ]),
  );
}
