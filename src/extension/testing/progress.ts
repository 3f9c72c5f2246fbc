import * as vscode from 'vscode';
import type { CaseRef } from '../../core/identity.ts';
import { outcomeText } from '../../core/presentation/outcome.ts';
import { STATUS_WORDS } from '../../core/presentation/status.ts';
import { visibleText } from '../../core/presentation/visibleText.ts';
import type { CaseLine } from '../../core/runRecord.ts';
import { unreachable } from '../../core/unreachable.ts';
import type { RunEvent } from '../../runner/events.ts';
import { messagesOf, turnOutput } from './messages.ts';
import { terminalText } from './terminalText.ts';
import type { TestTree } from './tree.ts';

/** Tells a test run what happens to the cases of one file. */
export class CaseProgress {
  readonly #uri: vscode.Uri;
  readonly #tree: TestTree;
  readonly #run: vscode.TestRun;
  /** Items that wait for their outcome. */
  readonly #waiting: Set<vscode.TestItem>;

  /** @param items cases that will run; their repetitions are told one by one */
  constructor(
    uri: vscode.Uri,
    tree: TestTree,
    run: vscode.TestRun,
    items: readonly vscode.TestItem[],
  ) {
    this.#uri = uri;
    this.#tree = tree;
    this.#run = run;
    this.#waiting = new Set(items.flatMap(executionsOf));
  }

  hear(event: RunEvent): void {
    if (event.kind === 'run-finished') return;
    if (event.kind === 'run-started') {
      this.#leaveOut(event.cases);
      return;
    }
    const { id, repetition } = event.ref;
    const item = this.#tree.find(this.#uri, id, repetition);
    if (!item) return;
    switch (event.kind) {
      case 'case-started':
        this.#run.started(item);
        break;
      case 'turn':
        this.#run.appendOutput(turnOutput(event.turn), undefined, item);
        break;
      case 'output':
        this.#run.appendOutput(terminalText(event.text), undefined, item);
        break;
      case 'verdict': {
        const { assertion, status } = event.verdict;
        const text = `${STATUS_WORDS[status]}: ${assertion.name} — ${outcomeText(event.verdict)}`;
        this.#run.appendOutput(terminalText(text), undefined, item);
        break;
      }
      case 'case-finished':
        this.#finish(item, event.line);
        break;
      default:
        unreachable(event);
    }
  }

  /** The run broke: what has no outcome yet gets this one. */
  fail(reason: string): void {
    const message = new vscode.TestMessage(visibleText(reason));
    for (const item of this.#waiting) this.#run.errored(item, message);
  }

  /** Another case says `only`, so these do not run. */
  #leaveOut(planned: readonly CaseRef[]): void {
    const running = new Set(
      planned.map(({ id, repetition }) => this.#tree.find(this.#uri, id, repetition)),
    );
    for (const item of this.#waiting) {
      if (running.has(item)) continue;
      this.#waiting.delete(item);
      this.#run.skipped(item);
    }
  }

  #finish(item: vscode.TestItem, line: CaseLine): void {
    this.#waiting.delete(item);
    switch (line.status) {
      case 'pass':
        this.#run.passed(item, line.duration);
        break;
      case 'fail':
        this.#run.failed(item, messagesOf(line), line.duration);
        break;
      case 'error':
        this.#run.errored(item, messagesOf(line), line.duration);
        break;
      case 'skipped':
        this.#run.skipped(item);
        break;
      default:
        unreachable(line.status);
    }
  }
}

/** What has an outcome of its own: the repetitions of a case, or the case itself. */
export function executionsOf(item: vscode.TestItem): vscode.TestItem[] {
  return item.children.size === 0 ? [item] : [...item.children].map(([, child]) => child);
}
