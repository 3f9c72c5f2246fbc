import * as vscode from 'vscode';
import { caseKey } from '../../core/identity.ts';
import { caseTitle } from '../../core/presentation/executionTitle.ts';
import { VIEW_TYPE } from '../../protocol/settings.ts';
import { type ViewState, viewStateSchema } from '../../protocol/viewProtocol.ts';
import { ConversationPanel, type PanelParts } from './panel.ts';
import type { ShownRecord } from './showing.ts';

/** The conversation views that are open, one for each case. */
const panels = new Set<ConversationPanel>();

export interface ConversationLocation {
  readonly uri: vscode.Uri;
  readonly id: string;
  /** Which of its conversations, where the case stands for several. */
  readonly variant: string | undefined;
  /** From 1; the one on the screen, else the first, by default. */
  readonly repetition: number | undefined;
  /** The turn to show first. */
  readonly turn: number | undefined;
  /** The run that is shown; the last one by default. */
  readonly shown?: ShownRecord | undefined;
}

/** Opens what the last run of a case said, in the view that is open where there is one. */
export function openConversation(location: ConversationLocation, parts: PanelParts): void {
  const { uri, id, variant, repetition, turn, shown } = location;
  const state: ViewState = {
    file: uri.toString(),
    id,
    ...(variant !== undefined && { variant }),
    repetition: repetition ?? 1,
  };
  const open = [...panels].find((panel) => keyOf(panel.state) === keyOf(state));
  if (open) {
    open.show({ turn, repetition, shown });
    return;
  }
  // One column for all views: beside a view that has the focus, each would open another one.
  const viewColumn = [...panels].at(-1)?.viewColumn ?? vscode.ViewColumn.Beside;
  const panel = vscode.window.createWebviewPanel(VIEW_TYPE, caseTitle(location), {
    viewColumn,
    preserveFocus: false,
  });
  attach(panel, state, parts).show({ turn, repetition, shown });
}

/** The eval file of the conversation with the focus. */
export function activeConversation(): vscode.Uri | undefined {
  const active = [...panels].find((panel) => panel.active);
  return active && vscode.Uri.parse(active.state.file);
}

/** Brings a view back after a reload; what it shows is read again. */
export function restoreConversation(
  panel: vscode.WebviewPanel,
  given: unknown,
  parts: PanelParts,
): void {
  const state = viewStateSchema.safeParse(given);
  if (!state.success) panel.dispose();
  else attach(panel, state.data, parts);
}

function attach(
  panel: vscode.WebviewPanel,
  state: ViewState,
  parts: PanelParts,
): ConversationPanel {
  const view = new ConversationPanel(panel, state, parts);
  panels.add(view);
  panel.onDidDispose(() => {
    panels.delete(view);
    view.dispose();
  });
  return view;
}

function keyOf({ file, id, variant }: ViewState): string {
  return caseKey({ suite: file, id, variant });
}
