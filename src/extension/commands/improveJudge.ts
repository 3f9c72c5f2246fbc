import * as vscode from 'vscode';
import type { MeasuredJudge } from '../../analysis/judgeComparison.ts';
import { groupBy } from '../../core/data/data.ts';
import { errorText, ReasonedError } from '../../core/errors.ts';
import { estimateWords } from '../../core/estimate.ts';
import { visibleLog } from '../../core/logger.ts';
import { scoreText } from '../../core/presentation/score.ts';
import type { PlacedLabel } from '../../core/record/label.ts';
import { Scrubber } from '../../core/scrubber.ts';
import type { Assertion, Suite } from '../../core/suite.ts';
import { counted } from '../../core/text/format.ts';
import { labelText, noticeText } from '../../core/text/visibleText.ts';
import { expandSuite } from '../../evalfile/loadedSuite.ts';
import type { ChosenModel } from '../../evalfile/starter.ts';
import {
  estimateImprovement,
  type Improvement,
  improveJudge,
  rewordingEdit,
  wordingFile,
  wordingOf,
} from '../../improve/improveJudge.ts';
import { withModel } from '../../runner/oneModel.ts';
import { findAssertion } from '../../store/examples.ts';
import { readLabels } from '../../store/labels.ts';
import { askForHosts } from '../allowedHosts.ts';
import { chooseModel } from '../lm/chooseModel.ts';
import { editorModels } from '../lm/editorModels.ts';
import { toRange } from '../locations.ts';
import type { Secrets } from '../secrets.ts';
import { findEvalFiles, isEvalFile, readSuite } from '../suites.ts';
import { runSettings } from '../testing/runSettings.ts';
import { mayRun } from '../trust.ts';

const TITLE = 'Improve This Judge';

/** An assertion with labels whose words can be rewritten. */
interface Improvable {
  readonly suite: Suite;
  readonly labels: readonly PlacedLabel[];
  readonly assertion: Assertion;
}

/**
 * Lets a model rewrite the question of the judge at the cursor, and shows the change with the agreement of both
 * wordings. Nothing is changed before it is accepted.
 */
export async function improveThisJudge(
  secrets: Secrets,
  log: vscode.LogOutputChannel,
): Promise<void> {
  if (!mayRun()) return;
  const editor = vscode.window.activeTextEditor;
  const chosen = editor && (await chosenAt(editor));
  if (!chosen) return;
  try {
    const { suite, labels, assertion } = chosen;
    const estimate = await estimateImprovement({ suite, labels, key: assertion.key });
    const placeHolder = `Which model rewrites “${labelText(assertion.name)}”? Judging takes ${estimateWords(estimate)}`;
    const picked = await chooseModel({ title: TITLE, placeHolder }, secrets, itself(chosen));
    const model = picked && 'itself' in picked ? picked.itself : picked;
    if (!model) return;
    const made = await improved(chosen, model, secrets, log);
    if (made) await offer(chosen.assertion, made);
  } catch (error) {
    if (!(error instanceof ReasonedError)) throw error;
    void vscode.window.showErrorMessage(noticeText(errorText(error)));
  }
}

/** The judge's own model, as it is asked for verdicts. */
function itself({ assertion: { judge } }: Improvable) {
  if (!judge || judge.provider === 'replay') return [];
  const { base_url: baseUrl } = judge.params;
  const model: ChosenModel = { id: judge.id, ...(typeof baseUrl === 'string' && { baseUrl }) };
  return [{ label: labelText(judge.id), description: 'the judge itself', itself: model }];
}

/** Of an eval file its own; of a judge prompt those that use it. The one at the cursor is taken at once. */
async function chosenAt(editor: vscode.TextEditor): Promise<Improvable | undefined> {
  const { uri } = editor.document;
  const files = isEvalFile(uri) ? [uri] : await findEvalFiles();
  const found = (await Promise.all(files.map(improvableIn))).flat();
  const own = isEvalFile(uri)
    ? found
    : found.filter(({ assertion }) => wordingFile(assertion) === uri.fsPath);
  const { line } = editor.selection.active;
  const [here, ...more] = own.filter(({ assertion: { source } }) => {
    const { start, end } = source.range;
    return source.path === uri.fsPath && start.line <= line && line <= end.line;
  });
  if (here && more.length === 0) return here;
  const [only, ...others] = own;
  if (only && others.length === 0) return only;
  if (!only) {
    const text =
      'No labels speak of a criterion or a judge prompt here. Label some of its verdicts in the conversation view first.';
    void vscode.window.showInformationMessage(text);
    return undefined;
  }
  const items = own.map((one) => ({
    label: labelText(one.assertion.name),
    description: counted(one.labels.length, 'label'),
    one,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: TITLE,
    placeHolder: 'Which judge?',
  });
  return picked?.one;
}

async function improvableIn(uri: vscode.Uri): Promise<Improvable[]> {
  const { labels } = await readLabels(uri.fsPath);
  if (labels.length === 0) return [];
  const { suite } = await expandSuite(await readSuite(uri));
  if (!suite) return [];
  return [...groupBy(labels, ({ assertion }) => assertion)].flatMap(([key, own]) => {
    const [label] = own;
    const ofLabel = suite.cases.find(({ id }) => id === label.case);
    const assertion = ofLabel && findAssertion(ofLabel.assertions, key);
    if (!assertion?.judge || wordingOf(assertion) === undefined) return [];
    return [{ suite, labels: own, assertion }];
  });
}

/** Undefined if it was cancelled. */
function improved(
  { suite, labels, assertion }: Improvable,
  chosen: ChosenModel,
  secrets: Secrets,
  log: vscode.LogOutputChannel,
): Thenable<Improvement | undefined> {
  const location = vscode.ProgressLocation.Notification;
  const title = noticeText(`Improving “${assertion.name}”`);
  return vscode.window.withProgress(
    { location, title, cancellable: true },
    async (progress, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      const host = {
        ...secrets.keys,
        allowedHosts: await askForHosts(suite.cases, secrets.keys),
        scrubber: new Scrubber(process.env),
        log: visibleLog(log),
        editorModels,
      };
      const options = {
        ...runSettings([suite], secrets.keys.env, { fresh: false, debugged: false }),
        ...host,
        forbidOnly: false,
        keepRecord: false,
        signal: abort.signal,
        onEvent: () => {},
      };
      const tell = (message: string) => progress.report({ message: noticeText(message) });
      try {
        return await withModel({ name: chosen.id, baseUrl: chosen.baseUrl }, host, (model) =>
          improveJudge({ suite, labels, key: assertion.key, model, options, onProgress: tell }),
        );
      } catch (error) {
        if (abort.signal.aborted) return undefined;
        throw error;
      }
    },
  );
}

const APPLY = 'Apply';

/** Opens the change as a diff whose title has the numbers, and applies it only where that is chosen. */
async function offer(assertion: Assertion, made: Improvement): Promise<void> {
  const uri = vscode.Uri.file(wordingFile(assertion));
  const document = await vscode.workspace.openTextDocument(uri);
  const before = document.getText();
  const edits = rewordingEdit(assertion, before, made.after);
  if (edits.length === 0) return sayEdited();
  const changed = edits.reduceRight((text, { range, newText }) => {
    const { start, end } = toRange(range);
    const [from, to] = [document.offsetAt(start), document.offsetAt(end)];
    return text.slice(0, from) + newText + text.slice(to);
  }, before);
  const provider = vscode.workspace.registerTextDocumentContentProvider(REWRITTEN, {
    provideTextDocumentContent: () => changed,
  });
  try {
    const rewritten = uri.with({ scheme: REWRITTEN, query: String(Date.now()) });
    const numbers = made.measured.judges.map(agreementWords).join('; ');
    const title = labelText(`Rewritten: ${assertion.name} (${numbers})`);
    await vscode.commands.executeCommand('vscode.diff', uri, rewritten, title);
    const text = `${numbers}, on ${counted(made.leftOut, 'conversation')} that the model was not shown. Why: ${made.why}`;
    const choice = await vscode.window.showInformationMessage(noticeText(text), APPLY, 'Discard');
    if (choice !== APPLY) return;
    if (document.getText() !== before) return sayEdited();
    const change = new vscode.WorkspaceEdit();
    for (const { range, newText } of edits) change.replace(uri, toRange(range), newText);
    await vscode.workspace.applyEdit(change);
  } finally {
    provider.dispose();
  }
}

/** The scheme of a file as it would be. */
const REWRITTEN = 'turnlight-rewritten';

function sayEdited(): void {
  const text = 'The question was edited meanwhile, so nothing was changed.';
  void vscode.window.showWarningMessage(text);
}

/** `as it is: 3 of 6 right, kappa 0.00` */
function agreementWords({ name, rows }: MeasuredJudge): string {
  const [row] = rows;
  if (!row) return `${name}: nothing to compare`;
  const right = Math.round((row.accuracy ?? 0) * row.compared);
  const kappa = row.kappa ? `, kappa ${scoreText(row.kappa.kappa)}` : '';
  return `${name}: ${right} of ${row.compared} right${kappa}`;
}
