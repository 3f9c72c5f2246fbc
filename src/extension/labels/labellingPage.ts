import pLimit from 'p-limit';
import * as vscode from 'vscode';
import { labelProblemTexts } from '../../core/presentation/words.ts';
import type { Assertion } from '../../core/suite.ts';
import {
  type LabellingSnapshot,
  labellingProtocol,
  labellingStateSchema,
} from '../../protocol/labellingProtocol.ts';
import { readLabels } from '../../store/labels.ts';
import {
  createPanel,
  type PageActions,
  type PageParts,
  WebviewPage,
} from '../pages/webviewPage.ts';
import { activeConversation } from '../viewer/conversationPage.ts';
import { openVariant } from '../viewer/snapshot.ts';
import { findEvalFiles, isEvalFile, readSuite } from '../workspace.ts';
import { personAt } from './caseLabels.ts';
import { LabellingSession } from './labellingSession.ts';

/** Opens labeling mode for the eval file of the active conversation or editor, or one that the user picks. */
export async function labelConversations(parts: PageParts): Promise<void> {
  const active = activeConversation() ?? vscode.window.activeTextEditor?.document.uri;
  const uri = active && isEvalFile(active) ? active : await pickFile();
  if (!uri) return;
  new LabellingPage(createPanel('labelling', vscode.ViewColumn.Active), uri, parts);
}

/** Restores the page after a reload. Conversations that are already labeled aren't shown again. */
export function restoreLabelling(
  panel: vscode.WebviewPanel,
  given: unknown,
  parts: PageParts,
): void {
  const { data } = labellingStateSchema.safeParse(given);
  if (data) new LabellingPage(panel, vscode.Uri.parse(data.file), parts);
  else panel.dispose();
}

async function pickFile(): Promise<vscode.Uri | undefined> {
  const files = await findEvalFiles();
  if (files.length < 2) return files[0];
  const items = files.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }));
  const placeHolder = 'Select the eval file whose conversations to label';
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.uri;
}

class LabellingPage extends WebviewPage<typeof labellingProtocol> {
  readonly #uri: vscode.Uri;
  /** Answers are processed one at a time, so that each belongs to the visible question. */
  readonly #limit = pLimit(1);
  #session: Promise<LabellingSession> | undefined;

  constructor(panel: vscode.WebviewPanel, uri: vscode.Uri, parts: PageParts) {
    // Only answers change the page, so it is never refreshed.
    super(panel, 'labelling', labellingProtocol, 0, parts);
    this.#uri = uri;
  }

  protected readonly actions: PageActions<typeof labellingProtocol> = {
    answer: (message) => this.#step((session) => session.answer(message)),
    skip: () => this.#step((session) => session.skip()),
    undo: () => this.#step((session) => session.undo()),
    agreement: () => vscode.commands.executeCommand('turnlight.showAgreement'),
  };

  #step(work: (session: LabellingSession) => Promise<void> | void): Promise<void> {
    return this.#limit(async () => {
      await work(await this.#started());
      await this.update();
    });
  }

  protected async show(): Promise<void> {
    if (!this.#session) await this.#post({ phase: 'reading' });
    await this.#post(await (await this.#started()).snapshot());
  }

  #started(): Promise<LabellingSession> {
    this.#session ??= this.#start();
    return this.#session;
  }

  async #start(): Promise<LabellingSession> {
    const file = this.#uri.fsPath;
    const session = new LabellingSession({
      file,
      person: await personAt(file),
      currentKeys: async () => {
        const { suite } = await readSuite(this.#uri);
        return (
          suite && new Map(suite.cases.map((one) => [one.id, new Set(keysOf(one.assertions))]))
        );
      },
      statedAssertions: async (id, variant) => {
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
    await session.start();
    return session;
  }

  async #post(labelling: LabellingSnapshot): Promise<void> {
    const { problems } = await readLabels(this.#uri.fsPath);
    await this.post({
      kind: 'snapshot',
      state: { file: this.#uri.toString() },
      problems: labelProblemTexts(problems, (path) => vscode.workspace.asRelativePath(path)),
      labelling,
    });
  }
}

/** Includes the keys of nested assertions. */
function keysOf(assertions: readonly Assertion[]): string[] {
  return assertions.flatMap(({ key, nested = [] }) => [
    key,
    ...keysOf(nested.map(({ assertion }) => assertion)),
  ]);
}
