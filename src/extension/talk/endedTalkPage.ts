import type * as vscode from 'vscode';
import { type TalkSnapshot, talkProtocol } from '../../protocol/talkProtocol.ts';
import { type PageActions, type PageParts, WebviewPage } from '../pages/webviewPage.ts';

const ENDED =
  'This conversation ended when the window was reloaded. Run "Turnlight: Talk to Target" to start another one.';

/** Shows the text of a conversation that ended with the window that it was in. */
export function restoreTalk(panel: vscode.WebviewPanel, state: unknown, parts: PageParts): void {
  const { talk } = talkProtocol.state.safeParse(state).data ?? {};
  if (talk) new EndedTalkPage(panel, talk, parts);
  else panel.dispose();
}

class EndedTalkPage extends WebviewPage<typeof talkProtocol> {
  readonly #talk: TalkSnapshot;

  constructor(panel: vscode.WebviewPanel, talk: TalkSnapshot, parts: PageParts) {
    super(panel, 'talk', talkProtocol, 0, parts);
    const { error: _error, unsent: _unsent, ...shown } = talk;
    this.#talk = { ...shown, isReplying: false, branches: [], ended: true, note: ENDED };
  }

  protected async show(): Promise<void> {
    await this.post({ kind: 'snapshot', talk: this.#talk });
  }

  protected readonly actions: Partial<PageActions<typeof talkProtocol>> = {};
}
