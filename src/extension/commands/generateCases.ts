import * as vscode from 'vscode';
import { counted } from '../../core/text/format.ts';
import { type GenerateResult, generateFile } from '../../interop/generateFile.ts';
import { allowedHosts } from '../allowedHosts.ts';
import { callModel, showReasons } from '../lm/callModel.ts';
import { chooseModel } from '../lm/chooseModel.ts';
import type { Secrets } from '../secrets.ts';
import { inform, mayRun, warn, writeFile } from '../workspace.ts';
import { isImportable, placeNextTo, textOf } from './importFile.ts';

const TITLE = 'Generate Cases';

const COUNT = 5;

const UNTRUSTED =
  'Generating cases sends text of this workspace to a model, so the workspace must be trusted.';

/**
 * Has a model draft cases from a system prompt or logged conversations, and opens them in a new eval file next to the
 * source.
 *
 * @param given the file whose menu was used
 */
export async function generateCases(
  given: unknown,
  secrets: Secrets,
  log: vscode.LogOutputChannel,
): Promise<void> {
  if (!mayRun(UNTRUSTED)) return;
  const source = given instanceof vscode.Uri ? given : vscode.window.activeTextEditor?.document.uri;
  if (source?.scheme !== 'file') {
    inform("First open your agent's system prompt or a log of its conversations.");
    return;
  }
  const text = await textOf(source);
  if (text === undefined) return;
  const options = { title: TITLE, placeHolder: 'Select a model to draft the cases' };
  const chosen = await chooseModel(options, secrets);
  if (!chosen) return;
  const place = await placeNextTo(source);
  await showReasons(async () => {
    const scrubber = await secrets.scrubber();
    const keys = { ...secrets.keys, allowedHosts: await allowedHosts(), scrubber };
    const title = `Drafting cases with ${chosen.id} …`;
    const made = await callModel(title, chosen, keys, log, ({ model, signal }) => {
      const file = { path: source.fsPath, text };
      const sources = isImportable(source)
        ? { conversations: [file] }
        : { system: file, conversations: [] };
      const wanted = { count: COUNT, judge: chosen };
      return generateFile(sources, model, wanted, place, scrubber, signal);
    });
    if (made) await open(place.path, made);
  });
}

async function open(path: string, { text, cases, entries }: GenerateResult): Promise<void> {
  if (cases === 0) {
    warn(`No cases were drafted. ${entries.find(({ broken }) => broken)?.message ?? ''}`);
    return;
  }
  const file = vscode.Uri.file(path);
  if (!(await writeFile(file, text))) return;
  await vscode.window.showTextDocument(file, { preview: false });
  const drafted = `${counted(cases, 'drafted case')} in ${vscode.workspace.asRelativePath(file)}`;
  inform(`${drafted}. Read and edit every line before you trust it.`);
}
