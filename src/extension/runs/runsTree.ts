import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import { Throttle } from '../../core/scheduling.ts';
import type { ListedRun, RunList } from '../../store/records/list.ts';
import { Disposing } from '../disposables.ts';
import type { RecordFiles } from './recordFiles.ts';
import { runText } from './runText.ts';

const RUNS_VIEW = 'turnlight.runs';

/** Context key that hides the view until there is a run. */
const HAS_RUNS = 'turnlight.hasRuns';

/** Milliseconds between two reads of active records. */
const INTERVAL = 700;

/** Number of attempts to find the focused row, and milliseconds between them. */
const MAX_TRIES = 5;
const PAUSE = 100;

const ICONS = {
  running: new vscode.ThemeIcon('sync~spin'),
  passed: new vscode.ThemeIcon('pass', new vscode.ThemeColor('testing.iconPassed')),
  failed: new vscode.ThemeIcon('error', new vscode.ThemeColor('testing.iconFailed')),
  none: new vscode.ThemeIcon('circle-slash'),
} as const;

/** The workspace's runs, including those started from the command line. */
export class RunsTree extends Disposing implements vscode.TreeDataProvider<ListedRun> {
  readonly #files: RecordFiles;
  readonly #changed = this.keep(new vscode.EventEmitter<void>());
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #view: vscode.TreeView<ListedRun>;
  #list: Promise<RunList> | undefined;
  readonly #throttle = this.keep(
    new Throttle(INTERVAL, () => {
      void this.#updateContext();
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

  /** The runs that a key press applies to: the focused run, and any other runs selected with it. */
  async focusedRuns(): Promise<readonly ListedRun[]> {
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      // The API doesn't report the focus, but toggling the selection toggles the focused row.
      const before = this.selection;
      await vscode.commands.executeCommand('list.toggleSelection');
      const toggled = this.selection;
      await vscode.commands.executeCommand('list.toggleSelection');
      const focused = toggled.find((one) => !before.some(({ id }) => id === one.id));
      if (focused) return [focused];
      if (toggled.length < before.length) return before;
      // While the list is being redrawn, toggling does nothing.
      await setTimeout(PAUSE);
    }
    return this.selection;
  }

  /** The selected run, if the list is visible. */
  get focused(): ListedRun | undefined {
    return this.#view.visible ? this.#view.selection[0] : undefined;
  }

  async all(): Promise<readonly ListedRun[]> {
    // Loaded on first use, to keep activation fast.
    this.#list ??= import('../../store/records/list.ts').then(({ RunList }) => new RunList());
    return (await this.#list).runs(this.#files.roots);
  }

  refresh(): void {
    this.#throttle.schedule();
  }

  getTreeItem(run: ListedRun): vscode.TreeItem {
    const { label, description, detail, spoken, icon } = runText(run);
    const item = new vscode.TreeItem(label);
    item.id = run.id;
    item.description = description;
    item.tooltip = `${label}\n${detail}\n${run.records.join('\n')}`;
    item.accessibilityInformation = { label: spoken };
    item.iconPath = ICONS[icon];
    item.contextValue = contextOf(run);
    item.command = { command: 'turnlight.openRun', title: 'Open Results', arguments: [run] };
    return item;
  }

  async getChildren(run?: ListedRun): Promise<ListedRun[]> {
    return run ? [] : [...(await this.all())];
  }

  async #updateContext(): Promise<void> {
    const { recordsAt } = await import('../../store/records/files.ts');
    const found = await Promise.all(this.#files.roots.map(recordsAt));
    await vscode.commands.executeCommand('setContext', HAS_RUNS, found.flat().length > 0);
  }
}

/** The value that menus use in `when` clauses. */
function contextOf({ state, note }: ListedRun): string {
  const isCutOff = state !== 'running' && state !== 'finished';
  return ['run', ...(note.pinned ? ['pinned'] : []), ...(isCutOff ? ['cutOff'] : [])].join(' ');
}
