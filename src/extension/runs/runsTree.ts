import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import { Throttle } from '../../core/scheduling.ts';
import type { ListedRun, RunList } from '../../store/records/list.ts';
import { Disposing } from '../disposables.ts';
import type { RecordFiles } from './recordFiles.ts';
import { runText } from './runText.ts';

export const RUNS_VIEW = 'turnlight.runs';

/** The view shows where there is a run, so that nobody is led to an empty one. */
const HAS_RUNS = 'turnlight.hasRuns';

/** Milliseconds between two looks at the records of runs that go on. */
const PACE = 700;

/** How often the focus of the list is asked for, and the milliseconds in between. */
const TRIES = 5;
const PAUSE = 100;

const ICONS = {
  running: new vscode.ThemeIcon('sync~spin'),
  passed: new vscode.ThemeIcon('pass', new vscode.ThemeColor('testing.iconPassed')),
  failed: new vscode.ThemeIcon('error', new vscode.ThemeColor('testing.iconFailed')),
  none: new vscode.ThemeIcon('circle-slash'),
} as const;

/** The runs of the workspace, whoever ran them. */
export class RunsTree extends Disposing implements vscode.TreeDataProvider<ListedRun> {
  readonly #files: RecordFiles;
  readonly #changed = this.keep(new vscode.EventEmitter<void>());
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #view: vscode.TreeView<ListedRun>;
  #list: Promise<RunList> | undefined;
  readonly #throttle = this.keep(
    new Throttle(PACE, () => {
      void this.#tellWhetherAny();
      this.#changed.fire();
    }),
  );

  constructor(files: RecordFiles) {
    super();
    this.#files = files;
    this.keep(files.onDidChange(() => this.refresh()));
    this.keep(files.onDidFindRoot(() => this.refresh()));
    this.#view = this.keep(
      vscode.window.createTreeView(RUNS_VIEW, { treeDataProvider: this, canSelectMany: true }),
    );
  }

  get selection(): readonly ListedRun[] {
    return this.#view.selection;
  }

  /** What a key is about: the run with the focus, and those that are selected with it. */
  async atKey(): Promise<readonly ListedRun[]> {
    for (let tries = 1; tries <= TRIES; tries += 1) {
      // Arrows move the focus alone, which the API does not tell: what is toggled has it.
      const before = this.selection;
      await vscode.commands.executeCommand('list.toggleSelection');
      const toggled = this.selection;
      await vscode.commands.executeCommand('list.toggleSelection');
      const focused = toggled.find((one) => !before.some(({ id }) => id === one.id));
      if (focused) return [focused];
      if (toggled.length < before.length) return before;
      // While the list is drawn anew nothing can be toggled.
      await setTimeout(PAUSE);
    }
    return this.selection;
  }

  /** The one that is selected, where the list is in view. */
  get focused(): ListedRun | undefined {
    return this.#view.visible ? this.#view.selection[0] : undefined;
  }

  /** As they are listed. */
  async all(): Promise<readonly ListedRun[]> {
    return (await this.#runs()).runs(this.#files.roots);
  }

  refresh(): void {
    this.#throttle.schedule();
  }

  getTreeItem(run: ListedRun): vscode.TreeItem {
    const { label, description, detail, spoken, sign } = runText(run);
    const item = new vscode.TreeItem(label);
    item.id = run.id;
    item.description = description;
    item.tooltip = `${label}\n${detail}\n${run.records.join('\n')}`;
    item.accessibilityInformation = { label: spoken };
    item.iconPath = ICONS[sign];
    item.contextValue = contextOf(run);
    item.command = { command: 'turnlight.openRun', title: 'Open Results', arguments: [run] };
    return item;
  }

  async getChildren(run?: ListedRun): Promise<ListedRun[]> {
    return run ? [] : [...(await this.all())];
  }

  /** Loaded once the view is looked at. */
  #runs(): Promise<RunList> {
    this.#list ??= import('../../store/records/list.ts').then(({ RunList }) => new RunList());
    return this.#list;
  }

  async #tellWhetherAny(): Promise<void> {
    const { recordsAt } = await import('../../store/records/files.ts');
    const found = await Promise.all(this.#files.roots.map(recordsAt));
    await vscode.commands.executeCommand('setContext', HAS_RUNS, found.flat().length > 0);
  }
}

/** What the menus of a run depend on. */
function contextOf({ state, note }: ListedRun): string {
  const isCutOff = state !== 'running' && state !== 'finished';
  return ['run', ...(note.pinned ? ['pinned'] : []), ...(isCutOff ? ['cutOff'] : [])].join(' ');
}
