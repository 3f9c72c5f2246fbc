import * as vscode from 'vscode';
import { unreachable } from '../../core/errors.ts';
import { type CaseRef, caseKey } from '../../core/identity.ts';
import { type Failure, failuresOf, problemFailure } from '../../core/presentation/failureText.ts';
import type { Source } from '../../core/problem.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { labelText, visibleText } from '../../core/text/visibleText.ts';
import type { Status } from '../../core/verdict.ts';
import type { RunEvent } from '../../runner/events.ts';
import { toRange } from '../workspace.ts';
import { BatchedTestRun, type ReportOutcome } from './batchedTestRun.ts';
import type { ChosenFile } from './chosenFiles.ts';
import { type Edit, shiftSource } from './edits.ts';
import { listedCases, unlistedErrors } from './listedCases.ts';
import {
  caseOutput,
  endOutput,
  LiveOutput,
  terminalText,
  turnOutput,
  verdictOutput,
} from './output.ts';
import type { TestTree } from './tree.ts';

/** Shows the progress of cases in a test run. */
export class CaseProgress {
  readonly #tree: TestTree;
  readonly #run: BatchedTestRun;
  /** The output of each running case, which is shown all at once when the case ends, because cases run in parallel. */
  readonly #output = new Map<vscode.TestItem, string[]>();
  /** Whether the run has only one execution, so that its output can be shown live. */
  #isOnly = false;
  #live: LiveOutput | undefined;
  readonly #edits: readonly Edit[];
  /** Items without an outcome. */
  readonly #waiting: Set<vscode.TestItem>;

  /**
   * @param items cases to run; a case's repetitions are reported individually
   * @param edits edits since the files were read; the list grows
   */
  constructor(
    tree: TestTree,
    run: vscode.TestRun,
    items: readonly vscode.TestItem[],
    edits: readonly Edit[],
  ) {
    this.#edits = edits;
    this.#tree = tree;
    this.#run = new BatchedTestRun(run);
    this.#waiting = new Set(items.map((item) => tree.firstOf(item)));
  }

  get waiting(): readonly vscode.TestItem[] {
    return [...this.#waiting];
  }

  handle(event: RunEvent): void {
    if (event.kind === 'run-finished') return;
    if (event.kind === 'run-started') {
      this.#isOnly = event.cases.length === 1;
      this.#skipUnplanned(event.cases);
      return;
    }
    const item = this.#tree.find(vscode.Uri.file(event.ref.suite), event.ref);
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
        else this.#addOutput(item, turnOutput(event.turn));
        break;
      case 'output':
        this.#addOutput(item, terminalText(event.text));
        break;
      case 'verdict':
        this.#addOutput(item, verdictOutput(event.verdict));
        break;
      case 'case-finished':
        this.#finish(item, event.line);
        break;
      default:
        unreachable(event);
    }
  }

  /** Shows the output of cases that didn't finish. */
  end(): void {
    for (const item of this.#output.keys()) this.#showOutput(item);
    this.#run.flush();
  }

  /** Reports an error for all items without an outcome. @param isAffected which items to report; default: all */
  fail(reason: string, isAffected: (item: vscode.TestItem) => boolean = () => true): void {
    const message = new vscode.TestMessage(visibleText(reason));
    for (const item of this.#waiting) {
      if (!isAffected(item)) continue;
      this.#waiting.delete(item);
      this.#run.ended(item, 0, (run) => run.errored(item, message));
    }
  }

  /** Marks items as skipped if they don't run because another case has `only`. */
  #skipUnplanned(planned: readonly CaseRef[]): void {
    const running = new Set(planned.map(caseKey));
    for (const item of this.#waiting) {
      const data = this.#tree.caseDataOf(item);
      if (data && running.has(caseKey({ ...data, suite: data.uri.fsPath }))) continue;
      this.#waiting.delete(item);
      this.#run.ended(item, 0, (run) => run.skipped(item));
    }
  }

  #addOutput(item: vscode.TestItem, text: string): void {
    if (this.#live) this.#live.append(text);
    else this.#output.get(item)?.push(text);
  }

  /** Shows the output so far, and the rest as it arrives. */
  #liveOutput(item: vscode.TestItem): LiveOutput {
    this.#live ??= new LiveOutput(this.#tree.titleOf(item), this.#output.get(item) ?? [], (text) =>
      this.#run.output(item, text),
    );
    return this.#live;
  }

  #showOutput(item: vscode.TestItem, status?: Status): void {
    const output = this.#output.get(item);
    this.#output.delete(item);
    if (this.#live) this.#live.end(status);
    else if (output) this.#run.output(item, caseOutput(this.#tree.titleOf(item), output, status));
  }

  #finish(item: vscode.TestItem, line: CaseLine): void {
    this.#waiting.delete(item);
    this.#tree.shown.set(item, line.finished);
    for (const text of endOutput(line)) this.#addOutput(item, text);
    this.#showOutput(item, line.status);
    this.#run.ended(item, line.duration, outcomeReporter(line, this.#edits));
  }
}

/** Returns a function that reports the outcome of a case. @param edits edits since the case's file was read */
export function outcomeReporter(line: CaseLine, edits: readonly Edit[] = []): ReportOutcome {
  if (line.status === 'pass') return (run, item, duration) => run.passed(item, duration);
  if (line.status === 'skipped') return (run, item) => run.skipped(item);
  const messages = () => messagesOf(failuresOf(line), edits);
  return line.status === 'fail'
    ? (run, item, duration) => run.failed(item, messages(), duration)
    : (run, item, duration) => run.errored(item, messages(), duration);
}

function messagesOf(failures: readonly Failure[], edits: readonly Edit[]): vscode.TestMessage[] {
  return failures.map((failure) => messageOf(failure, edits));
}

/** Uses plain text, so that a judge's text isn't rendered as Markdown. */
function messageOf({ text, source, links }: Failure, edits: readonly Edit[]): vscode.TestMessage {
  const message = new vscode.TestMessage(text);
  message.location = locationOf(source, edits);
  const frames = links.flatMap(({ label, source: at, thrown }) => {
    const { uri, range } = locationOf(at, edits);
    // VS Code reads the files in stack frames, and an error's text may name any file.
    if (thrown && !vscode.workspace.getWorkspaceFolder(uri)) return [];
    return [new vscode.TestMessageStackFrame(labelText(label), uri, range.start)];
  });
  if (frames.length > 0) message.stackTrace = frames;
  return message;
}

function locationOf(source: Source, edits: readonly Edit[]): vscode.Location {
  const { path, range } = shiftSource(source, edits);
  return new vscode.Location(vscode.Uri.file(path), toRange(range));
}

/**
 * Reports why cases can't run. If a whole file was requested, also reports errors that have no item, such as those in a
 * case without an id.
 *
 * @returns the items that can't run
 */
export function reportInvalid(
  { uri, suite, items, whole }: ChosenFile,
  run: vscode.TestRun,
  tree: TestTree,
  edits: readonly Edit[],
): vscode.TestItem[] {
  const errorsOf = new Map(listedCases(suite.outline).map(({ id, errors }) => [id, errors]));
  const invalid: vscode.TestItem[] = [];
  for (const item of items) {
    const errors = errorsOf.get(tree.caseDataOf(item)?.id ?? '') ?? [];
    if (errors.length === 0) continue;
    invalid.push(item);
    run.errored(tree.firstOf(item), messagesOf(errors.map(problemFailure), edits));
  }
  const file = tree.find(uri);
  const rest = whole ? unlistedErrors(suite) : [];
  if (file && rest.length > 0) run.errored(file, messagesOf(rest.map(problemFailure), edits));
  return invalid;
}
