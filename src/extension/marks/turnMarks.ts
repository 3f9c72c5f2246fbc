import * as vscode from 'vscode';
import { type Status, statusSchema } from '../../core/verdict.ts';
import { SECTION, SETTINGS } from '../../protocol/names.ts';
import { type VerdictMark, verdictMarksSchema } from '../../protocol/serverProtocol.ts';
import { Disposing } from '../disposables.ts';
import { COLORS, markSvg, type Theme } from './shapes.ts';

/** Marks judged turns in the gutter and the overview ruler. */
export class TurnMarks extends Disposing {
  /** Marks by the file's URI, in VS Code's format. */
  readonly #marks = new Map<string, readonly VerdictMark[]>();
  #styles = createStyles();

  constructor() {
    super();
    this.keep(vscode.window.onDidChangeVisibleTextEditors(() => this.#draw()));
    this.keep(
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#marks.delete(uri.toString())),
    );
    this.keep(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (!event.affectsConfiguration(`${SECTION}.${SETTINGS.verdictMarks}`)) return;
        this.#removeStyles();
        this.#styles = createStyles();
        this.#draw();
      }),
    );
  }

  /** @param given a notification from the language server */
  update(given: unknown): void {
    const { uri, marks } = verdictMarksSchema.parse(given);
    this.#marks.set(vscode.Uri.parse(uri).toString(), marks);
    this.#draw();
  }

  override dispose(): void {
    this.#removeStyles();
    super.dispose();
  }

  #removeStyles(): void {
    for (const { type } of this.#styles) type.dispose();
  }

  #draw(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const marks = this.#marks.get(editor.document.uri.toString());
      if (!marks) continue;
      for (const { status, stale, type } of this.#styles) {
        const own = marks.filter((mark) => mark.status === status && mark.stale === stale);
        const ranges = own.map(({ line }) => new vscode.Range(line, 0, line, 0));
        editor.setDecorations(type, ranges);
      }
    }
  }
}

function createStyles() {
  const location = vscode.workspace.getConfiguration(SECTION).get(SETTINGS.verdictMarks, 'both');
  return statusSchema.options.flatMap((status) =>
    [false, true].map((stale) => ({ status, stale, type: decoration(status, stale, location) })),
  );
}

function decoration(status: Status, stale: boolean, location: string) {
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
