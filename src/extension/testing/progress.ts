import * as vscode from 'vscode';
import { unreachable } from '../../core/errors.ts';
import { type CaseRef, caseKey } from '../../core/identity.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { visibleText } from '../../core/text/visibleText.ts';
import type { Status } from '../../core/verdict.ts';
import type { RunEvent } from '../../runner/events.ts';
import type { ItemData } from './itemData.ts';
import { messagesOf } from './messages.ts';
import type { Edit } from './movedLines.ts';
import { caseOutput, endOutput, LiveOutput, turnOutput, verdictOutput } from './output.ts';
import { PacedRun, type TellOutcome } from './pacedRun.ts';
import { terminalText } from './terminalText.ts';
import type { TestTree } from './tree.ts';

/** Tells a test run what happens to its cases. */
export class CaseProgress {
  readonly #tree: TestTree;
  readonly #run: PacedRun;
  /** What is said of running cases: it is shown in one piece, since cases run side by side. */
  readonly #output = new Map<vscode.TestItem, string[]>();
  /** Whether one execution runs and no other: it can be shown as it goes on. */
  #isOnly = false;
  #live: LiveOutput | undefined;
  readonly #edits: readonly Edit[];
  /** Items that wait for their outcome. */
  readonly #waiting: Set<vscode.TestItem>;

  /**
   * @param items cases that will run; repetitions of a case are told one by one
   * @param edits made since the files were read; grows
   */
  constructor(
    tree: TestTree,
    run: vscode.TestRun,
    items: readonly vscode.TestItem[],
    edits: readonly Edit[],
  ) {
    this.#edits = edits;
    this.#tree = tree;
    this.#run = new PacedRun(run);
    this.#waiting = new Set(items.map((item) => tree.firstOf(item)));
  }

  get waiting(): readonly vscode.TestItem[] {
    return [...this.#waiting];
  }

  hear(event: RunEvent): void {
    if (event.kind === 'run-finished') return;
    if (event.kind === 'run-started') {
      this.#isOnly = event.cases.length === 1;
      this.#leaveOut(event.cases);
      return;
    }
    const item = this.#itemOf(event.ref);
    if (!item) return;
    switch (event.kind) {
      case 'case-started':
        this.#waiting.add(item);
        this.#run.started(item);
        this.#output.set(item, []);
        break;
      case 'speaking':
        if (this.#isOnly) this.#liveOutput(item).speaking(event.turn);
        break;
      case 'turn':
        if (this.#live) this.#live.turn(event.turn);
        else this.#say(item, turnOutput(event.turn));
        break;
      case 'output':
        this.#say(item, terminalText(event.text));
        break;
      case 'verdict': {
        this.#say(item, verdictOutput(event.verdict));
        break;
      }
      case 'case-finished':
        this.#finish(item, event.line);
        break;
      default:
        unreachable(event);
    }
  }

  /** Shows what was said of cases that have not finished. */
  end(): void {
    for (const item of this.#output.keys()) this.#showOutput(item);
    this.#run.flush();
  }

  /**
   * The run broke: what has no outcome yet gets this one.
   *
   * @param isMeant which of it; all by default
   */
  fail(reason: string, isMeant: (item: vscode.TestItem) => boolean = () => true): void {
    const message = new vscode.TestMessage(visibleText(reason));
    for (const item of this.#waiting) {
      if (!isMeant(item)) continue;
      this.#waiting.delete(item);
      this.#run.ended(item, 0, (run) => run.errored(item, message));
    }
  }

  #itemOf({ suite, id, variant, repetition }: CaseRef): vscode.TestItem | undefined {
    return this.#tree.find(vscode.Uri.file(suite), id, repetition, variant);
  }

  /** Another case says `only`, so these do not run. */
  #leaveOut(planned: readonly CaseRef[]): void {
    const running = new Set(planned.map(caseKey));
    for (const item of this.#waiting) {
      const data = this.#tree.dataOf(item);
      if (data && data.kind !== 'file' && running.has(keyOf(data))) continue;
      this.#waiting.delete(item);
      this.#run.ended(item, 0, (run) => run.skipped(item));
    }
  }

  #say(item: vscode.TestItem, text: string): void {
    if (this.#live) this.#live.say(text);
    else this.#output.get(item)?.push(text);
  }

  /** Its replies arrive piece by piece: what was held back is shown, and the rest as it comes. */
  #liveOutput(item: vscode.TestItem): LiveOutput {
    this.#live ??= new LiveOutput(this.#tree.titleOf(item), this.#output.get(item) ?? [], (text) =>
      this.#run.output(item, text),
    );
    return this.#live;
  }

  #showOutput(item: vscode.TestItem, status?: Status): void {
    const said = this.#output.get(item);
    this.#output.delete(item);
    if (this.#live) this.#live.end(status);
    else if (said) this.#run.output(item, caseOutput(this.#tree.titleOf(item), said, status));
  }

  #finish(item: vscode.TestItem, line: CaseLine): void {
    this.#waiting.delete(item);
    this.#tree.shown.set(item, line.finished);
    for (const text of endOutput(line)) this.#say(item, text);
    this.#showOutput(item, line.status);
    this.#run.ended(item, line.duration, outcomeOf(line, this.#edits));
  }
}

function keyOf({ uri, id, variant }: Exclude<ItemData, { kind: 'file' }>): string {
  return caseKey({ suite: uri.fsPath, id, variant });
}

/** Tells how a case ended. @param edits made since its file was read */
export function outcomeOf(line: CaseLine, edits: readonly Edit[] = []): TellOutcome {
  const { status } = line;
  switch (status) {
    case 'pass':
      return (run, item, duration) => run.passed(item, duration);
    case 'fail':
      return (run, item, duration) => run.failed(item, messagesOf(line, edits), duration);
    case 'error':
      return (run, item, duration) => run.errored(item, messagesOf(line, edits), duration);
    case 'skipped':
      return (run, item) => run.skipped(item);
    default:
      return unreachable(status);
  }
}
