import * as vscode from 'vscode';
import type { MeasuredJudge } from '../../analysis/judgeComparison.ts';
import { groupBy } from '../../core/data/data.ts';
import { estimateWords } from '../../core/estimate.ts';
import { scoreText } from '../../core/presentation/score.ts';
import type { PlacedLabel } from '../../core/record/label.ts';
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
import { caseFinder, findAssertion } from '../../store/examples.ts';
import { readLabels } from '../../store/labels.ts';
import { askForHosts } from '../allowedHosts.ts';
import { callModel, showReasons } from '../lm/callModel.ts';
import { chooseModel } from '../lm/chooseModel.ts';
import type { Secrets } from '../secrets.ts';
import { runSettings } from '../testing/runSettings.ts';
import {
  applyEdits,
  findEvalFiles,
  inform,
  isEvalFile,
  mayRun,
  readSuite,
  toRange,
  warn,
} from '../workspace.ts';

const TITLE = 'Improve This Judge';

/** An assertion that has labels and whose wording can be changed. */
interface ImprovableJudge {
  readonly suite: Suite;
  readonly labels: readonly PlacedLabel[];
  readonly assertion: Assertion;
}

/**
 * Has a model rewrite the question of the judge at the cursor, and shows the change along with how well both wordings
 * agree with people. Nothing changes until the user accepts.
 */
export async function improveThisJudge(
  secrets: Secrets,
  log: vscode.LogOutputChannel,
): Promise<void> {
  if (!mayRun()) return;
  const editor = vscode.window.activeTextEditor;
  const chosen = editor && (await chooseJudge(editor));
  if (!chosen) return;
  await showReasons(async () => {
    const { suite, labels, assertion } = chosen;
    const estimate = await estimateImprovement({ suite, labels, key: assertion.key });
    const placeHolder = `Select a model to rewrite “${labelText(assertion.name)}”. Judging takes ${estimateWords(estimate)}`;
    const picked = await chooseModel({ title: TITLE, placeHolder }, secrets, itself(chosen));
    const model = picked && 'itself' in picked ? picked.itself : picked;
    if (!model) return;
    const made = await improve(chosen, model, secrets, log);
    if (made) await offerChange(chosen.assertion, made);
  });
}

/** The judge's own model, as a choice. */
function itself({ assertion: { judge } }: ImprovableJudge) {
  if (!judge || judge.provider === 'replay') return [];
  const { base_url: baseUrl } = judge.params;
  const model: ChosenModel = { id: judge.id, ...(typeof baseUrl === 'string' && { baseUrl }) };
  return [{ label: labelText(judge.id), description: "the judge's own model", itself: model }];
}

/**
 * Lets the user choose from an eval file's judges, or from the judges that use a judge prompt. Prefers the judge at the
 * cursor.
 */
async function chooseJudge(editor: vscode.TextEditor): Promise<ImprovableJudge | undefined> {
  const { uri } = editor.document;
  const files = isEvalFile(uri) ? [uri] : await findEvalFiles();
  const found = (await Promise.all(files.map(improvableJudgesIn))).flat();
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
    inform(
      'No criterion or judge prompt here has labeled verdicts. First label some verdicts in the conversation view.',
    );
    return undefined;
  }
  const items = own.map((one) => ({
    label: labelText(one.assertion.name),
    description: counted(one.labels.length, 'label'),
    one,
  }));
  const options = { title: TITLE, placeHolder: 'Select a judge' };
  return (await vscode.window.showQuickPick(items, options))?.one;
}

async function improvableJudgesIn(uri: vscode.Uri): Promise<ImprovableJudge[]> {
  const { labels } = await readLabels(uri.fsPath);
  if (labels.length === 0) return [];
  const { suite } = await expandSuite(await readSuite(uri));
  if (!suite) return [];
  const caseFor = caseFinder(suite.cases, labels);
  return [...groupBy(labels, ({ assertion }) => assertion)].flatMap(([key, own]) => {
    const ofLabel = own.map(caseFor).find((one) => one !== undefined);
    const assertion = ofLabel && findAssertion(ofLabel.assertions, key);
    if (!assertion?.judge || wordingOf(assertion) === undefined) return [];
    return [{ suite, labels: own, assertion }];
  });
}

/** @returns undefined if the user canceled */
async function improve(
  { suite, labels, assertion }: ImprovableJudge,
  chosen: ChosenModel,
  secrets: Secrets,
  log: vscode.LogOutputChannel,
): Promise<Improvement | undefined> {
  const keys = {
    ...secrets.keys,
    allowedHosts: await askForHosts(suite.cases, secrets.keys),
    scrubber: await secrets.scrubber(),
  };
  const title = `Improving “${assertion.name}”`;
  return callModel(title, chosen, keys, log, ({ model, host, signal, report }) => {
    const options = {
      ...runSettings([suite], secrets.keys.env, {}),
      ...host,
      forbidOnly: false,
      keepRecord: false,
      signal,
      onEvent: () => {},
    };
    return improveJudge({ suite, labels, key: assertion.key, model, options, onProgress: report });
  });
}

const APPLY = 'Apply';

/** Shows the change as a diff with the numbers in its title, and applies it if the user accepts. */
async function offerChange(assertion: Assertion, made: Improvement): Promise<void> {
  const uri = vscode.Uri.file(wordingFile(assertion));
  const document = await vscode.workspace.openTextDocument(uri);
  const before = document.getText();
  const edits = rewordingEdit(assertion, before, made.after);
  if (edits.length === 0) return reportEdited();
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
    const text = `${numbers}, on ${counted(made.leftOut, 'conversation')} that the model didn't see. Reason: ${made.why}`;
    const choice = await vscode.window.showInformationMessage(noticeText(text), APPLY, 'Discard');
    if (choice !== APPLY) return;
    if (document.getText() !== before) return reportEdited();
    await applyEdits(uri, edits);
  } finally {
    provider.dispose();
  }
}

/** The URI scheme of the document with the changed text in the diff. */
const REWRITTEN = 'turnlight-rewritten';

function reportEdited(): void {
  warn('The question was edited in the meantime, so nothing was changed.');
}

/** `original: 3 of 6 right, kappa 0.00` */
function agreementWords({ name, rows }: MeasuredJudge): string {
  const [row] = rows;
  if (!row) return `${name}: nothing to compare`;
  const right = Math.round((row.accuracy ?? 0) * row.compared);
  const kappa = row.kappa ? `, kappa ${scoreText(row.kappa.kappa)}` : '';
  return `${name}: ${right} of ${row.compared} right${kappa}`;
}
