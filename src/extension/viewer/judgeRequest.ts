import * as vscode from 'vscode';
import * as z from 'zod';
import { parseJson } from '../../core/data/data.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { allKeyedVerdicts } from '../../core/verdict.ts';
import { JUDGE_REQUEST_SCHEME } from '../../protocol/names.ts';
import { type ViewState, viewStateSchema } from '../../protocol/viewProtocol.ts';
import { LatestRuns } from '../../store/records/latest.ts';
import type { Secrets } from '../secrets.ts';
import { isEvalFile, readSuite } from '../workspace.ts';
import { openVariant } from './snapshot.ts';

/** Identifies a judge's request in a document's URI. */
const aboutSchema = z.strictObject({ state: viewStateSchema, key: z.string() });

/** Opens a judge's request as plain text next to the view. @param column the view's column */
export async function showJudgeRequest(
  state: ViewState,
  key: string,
  column: vscode.ViewColumn | undefined,
): Promise<void> {
  const name = visibleLine(key, 60).replace(/[^\p{L}\p{N} ._-]+/gu, '-');
  const uri = vscode.Uri.from({
    scheme: JUDGE_REQUEST_SCHEME,
    path: `/What the judge saw - ${name}.txt`,
    query: JSON.stringify({ state, key }),
  });
  const document = await vscode.workspace.openTextDocument(uri);
  const { One, Beside } = vscode.ViewColumn;
  const viewColumn = column === One ? Beside : One;
  await vscode.window.showTextDocument(document, { preview: true, viewColumn });
}

/** A document's text. Its URI may come from anywhere, so this reads only files that a view would also read. */
export async function judgeRequestText(uri: vscode.Uri, secrets: Secrets): Promise<string> {
  const { data } = aboutSchema.safeParse(parseJson(uri.query));
  const file = data && vscode.Uri.parse(data.state.file);
  if (!data || !file || !isEvalFile(file)) return 'This verdict does not exist.';
  const { id, variant, repetition, record, root } = data.state;
  const runs = await new LatestRuns().find(file.fsPath, id, { record, root, variant });
  const line = runs.find((one) => one.line.repetition === repetition)?.line;
  const verdicts = allKeyedVerdicts(line?.verdicts ?? []).map(([, one]) => one);
  const verdict = verdicts.find(({ assertion }) => assertion.key === data.key);
  if (!line || !verdict) return 'The run was deleted, or has no such verdict.';
  const { suite } = await readSuite(file);
  const common = suite?.cases.find((one) => one.id === id);
  const opened = common && variant !== undefined ? await openVariant(common, variant) : undefined;
  const suiteCase = opened && !opened.missing ? opened.suiteCase : common;
  if (!suite || !suiteCase || opened?.missing) return UNAVAILABLE;
  const [{ reconstructRequests }, { judgeSawText }, { answersFolder }] = await Promise.all([
    import('../../runner/judgeRequests.ts'),
    import('../../report/judgeSawText.ts'),
    import('../../store/answers.ts'),
  ]);
  const { keys } = secrets;
  const scrubber = await secrets.scrubber();
  const host = { ...keys, scrubber, folder: answersFolder(keys.env) };
  const saw = await reconstructRequests(line, verdict, suite, suiteCase, host);
  return saw ? scrubber.text(judgeSawText(saw, line)) : UNAVAILABLE;
}

const UNAVAILABLE =
  "Run records don't store requests, and Turnlight can't reconstruct this one: the case or its assertion is no longer in the file, or no judge was asked.";
