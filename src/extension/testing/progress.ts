import type * as vscode from 'vscode';
import type { CaseLine } from '../../core/runRecord.ts';
import type { RunEvent } from '../../runner/events.ts';
import { messagesOf, turnOutput } from './messages.ts';
import { terminalText } from './terminalText.ts';
import type { TestTree } from './tree.ts';

/** Tells a test run what happens to the cases of one file. */
export class CaseProgress {
  readonly #uri: vscode.Uri;
  readonly #tree: TestTree;
  readonly #run: vscode.TestRun;

  constructor(uri: vscode.Uri, tree: TestTree, run: vscode.TestRun) {
    this.#uri = uri;
    this.#tree = tree;
    this.#run = run;
  }

  hear(event: RunEvent): void {
    if (event.kind === 'run-started' || event.kind === 'run-finished') return;
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
        const { assertion, status, label, score } = event.verdict;
        const value = label ?? (score === null ? '' : score.toFixed(2));
        this.#run.appendOutput(
          terminalText(`${status}: ${assertion.name} ${value}`),
          undefined,
          item,
        );
        break;
      }
      case 'case-finished':
        this.#finish(item, event.line);
    }
  }

  #finish(item: vscode.TestItem, line: CaseLine): void {
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
    }
  }
}
