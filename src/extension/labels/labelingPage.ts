import pLimit from 'p-limit';
import * as vscode from 'vscode';
import type { Conversation } from '../../core/conversation.ts';
import { labelProblemTexts } from '../../core/presentation/words.ts';
import type { Assertion } from '../../core/suite.ts';
import { rootOfRecord } from '../../node/paths.ts';
import {
  type LabelingSnapshot,
  labelingProtocol,
  labelingStateSchema,
} from '../../protocol/labelingProtocol.ts';
import { readLabels } from '../../store/labels.ts';
import { imageMessage } from '../pages/imageMessage.ts';
import {
  createPanel,
  type PageActions,
  type PageParts,
  WebviewPage,
} from '../pages/webviewPage.ts';
import { activeConversation } from '../viewer/conversationPage.ts';
import { openVariant } from '../viewer/snapshot.ts';
import { findEvalFiles, isEvalFile, readCases, readSuite } from '../workspace.ts';
import { personAt } from './caseLabels.ts';
import { LabelingSession } from './labelingSession.ts';

/** Opens labeling mode for the eval file of the active conversation or editor, or one that the user picks. */
export async function labelConversations(parts: PageParts): Promise<void> {
  const active = activeConversation() ?? vscode.window.activeTextEditor?.document.uri;
  const uri = active && isEvalFile(active) ? active : await pickFile();
  if (!uri) return;
  new LabelingPage(createPanel('labeling', vscode.ViewColumn.Active), uri, parts);
}

/** Restores the page after a reload. Conversations that are already labeled aren't shown again. */
export function restoreLabeling(
  panel: vscode.WebviewPanel,
  given: unknown,
  parts: PageParts,
): void {
  const { data } = labelingStateSchema.safeParse(given);
  if (data) new LabelingPage(panel, vscode.Uri.parse(data.file), parts);
  else panel.dispose();
}

async function pickFile(): Promise<vscode.Uri | undefined> {
  const files = await findEvalFiles();
  if (files.length < 2) return files[0];
  const items = files.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }));
  const placeHolder = 'Select the eval file whose conversations you want to label';
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.uri;
}

class LabelingPage extends WebviewPage<typeof labelingProtocol> {
  readonly #uri: vscode.Uri;
  /** Answers are processed one at a time, so that each one applies to the visible question. */
  readonly #limit = pLimit(1);
  #session: Promise<LabelingSession> | undefined;
  #shown: Conversation | undefined;

  constructor(panel: vscode.WebviewPanel, uri: vscode.Uri, parts: PageParts) {
    // The page changes only in response to answers, so it is never refreshed.
    super(panel, 'labeling', labelingProtocol, 0, parts);
    this.#uri = uri;
  }

  protected readonly actions: PageActions<typeof labelingProtocol> = {
    answer: (message) => this.#step((session) => session.answer(message)),
    skip: () => this.#step((session) => session.skip()),
    undo: () => this.#step((session) => session.undo()),
    'load-image': ({ digest }) => this.#loadImage(digest),
    agreement: () => vscode.commands.executeCommand('turnlight.showAgreement'),
  };

  #step(work: (session: LabelingSession) => Promise<void> | void): Promise<void> {
    return this.#limit(async () => {
      await work(await this.#started());
      await this.update();
    });
  }

  protected async show(): Promise<void> {
    if (!this.#session) await this.#post({ phase: 'reading' });
    await this.#post(await (await this.#started()).snapshot());
  }

  async #loadImage(digest: string): Promise<void> {
    const { record } = await this.#started();
    const shown = this.#shown ? [this.#shown] : [];
    const roots = record === undefined ? [] : [rootOfRecord(record)];
    await this.post(await imageMessage(digest, shown, { roots }));
  }

  #started(): Promise<LabelingSession> {
    this.#session ??= this.#start();
    return this.#session;
  }

  async #start(): Promise<LabelingSession> {
    const file = this.#uri.fsPath;
    const session = new LabelingSession({
      file,
      person: await personAt(file),
      currentKeys: async () => {
        const { suite } = await readSuite(this.#uri);
        return (
          suite && new Map(suite.cases.map((one) => [one.id, new Set(keysOf(one.assertions))]))
        );
      },
      readCases: () => readCases(file),
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

  async #post(labeling: LabelingSnapshot): Promise<void> {
    const { problems } = await readLabels(this.#uri.fsPath);
    this.#shown = labeling.phase === 'asking' ? labeling.conversation : undefined;
    await this.post({
      kind: 'snapshot',
      state: { file: this.#uri.toString() },
      problems: labelProblemTexts(problems, (path) => vscode.workspace.asRelativePath(path)),
      labeling,
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
