import * as vscode from 'vscode';
import type { Status } from '../../core/verdict.ts';
import { SECTION, SETTINGS } from '../../protocol/names.ts';
import { type VerdictMark, verdictMarksSchema } from '../../protocol/serverProtocol.ts';
import { Disposing } from '../disposables.ts';
import { COLORS, markSvg, type Theme } from './shapes.ts';

const STATUSES: readonly Status[] = ['pass', 'fail', 'error', 'skipped'];

interface MarkStyle {
  readonly status: Status;
  readonly stale: boolean;
  readonly type: vscode.TextEditorDecorationType;
}

/** Marks judged turns in the gutter and the overview ruler of visible editors. */
export class TurnMarks extends Disposing {
  /** By the file's URI, as VS Code formats it. */
  readonly #marks = new Map<string, readonly VerdictMark[]>();
  #styles: readonly MarkStyle[] = [];

  constructor() {
    super();
    this.#restyle();
    this.keep(vscode.window.onDidChangeVisibleTextEditors(() => this.#draw()));
    this.keep(
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#marks.delete(uri.toString())),
    );
    this.keep(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (!event.affectsConfiguration(`${SECTION}.${SETTINGS.verdictMarks}`)) return;
        this.#restyle();
        this.#draw();
      }),
    );
  }

  /** @param given a notification of the language server */
  update(given: unknown): void {
    const { uri, marks } = verdictMarksSchema.parse(given);
    this.#marks.set(vscode.Uri.parse(uri).toString(), marks);
    this.#draw();
  }

  override dispose(): void {
    for (const { type } of this.#styles) type.dispose();
    super.dispose();
  }

  #restyle(): void {
    for (const { type } of this.#styles) type.dispose();
    const location = vscode.workspace.getConfiguration(SECTION).get(SETTINGS.verdictMarks, 'both');
    this.#styles = STATUSES.flatMap((status) =>
      [false, true].map((stale) => ({ status, stale, type: decoration(status, stale, location) })),
    );
  }

  #draw(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const marks = this.#marks.get(editor.document.uri.toString());
      if (!marks) continue;
      for (const { status, stale, type } of this.#styles) {
        const lines = marks.filter((mark) => mark.status === status && mark.stale === stale);
        editor.setDecorations(
          type,
          lines.map(({ line }) => new vscode.Range(line, 0, line, 0)),
        );
      }
    }
  }
}

function decoration(
  status: Status,
  stale: boolean,
  location: string,
): vscode.TextEditorDecorationType {
  const inTheme = (theme: Theme) => ({
    ...((location === 'both' || location === 'gutter') && {
      gutterIconPath: imageUri(markSvg(status, theme, stale)),
      gutterIconSize: '80%',
    }),
    ...((location === 'both' || location === 'ruler') && {
      overviewRulerColor: COLORS[theme][status],
    }),
  });
  return vscode.window.createTextEditorDecorationType({
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    light: inTheme('light'),
    dark: inTheme('dark'),
  });
}

function imageUri(svg: string): vscode.Uri {
  return vscode.Uri.parse(`data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`);
}
