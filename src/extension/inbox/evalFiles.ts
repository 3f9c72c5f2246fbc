import * as vscode from 'vscode';
import type { Mapping } from '../../core/data/data.ts';
import { labelText } from '../../core/text/visibleText.ts';
import { SaveError } from '../../evalfile/savedCase.ts';
import { modelValue } from '../../evalfile/starter.ts';
import { addCase, type ConversationCase, proposeId } from '../../interop/savedCase.ts';
import { chooseModel } from '../lm/chooseModel.ts';
import type { Secrets } from '../secrets.ts';
import {
  findEvalFiles,
  freeEvalFile,
  inform,
  placeOf,
  workspaceFolder,
  writeFile,
} from '../workspace.ts';

const NEW_FILE = { label: '$(new-file) New Eval File', uri: undefined };

/** The assertion of a new file with a judge. */
const CRITERION = "The assistant does what the user asks for, or says why it can't.";

/** The eval file that was picked last. */
let last = '';

/**
 * Asks for an eval file, if there is one. The one that was picked last comes first.
 *
 * @param mayBeNew whether to offer a new file, which has no target
 * @returns `new` for a new file; undefined if the user cancels
 */
export async function pickEvalFile(
  placeHolder: string,
  mayBeNew = true,
): Promise<vscode.Uri | 'new' | undefined> {
  const files = (await findEvalFiles()).sort((a, b) => {
    const isLast = ({ path }: vscode.Uri) => Number(path === last);
    return isLast(b) - isLast(a) || (a.path < b.path ? -1 : 1);
  });
  const known = files.map((uri) => ({
    label: labelText(vscode.workspace.asRelativePath(uri)),
    uri,
  }));
  if (known.length === 0 && !mayBeNew) {
    inform('A live case needs an eval file with a target. Create one with "New Eval File".');
    return undefined;
  }
  if (known.length === 0) return 'new';
  const items = [...known, ...(mayBeNew ? [NEW_FILE] : [])];
  const picked = await vscode.window.showQuickPick(items, { placeHolder });
  last = picked?.uri?.path ?? last;
  return picked && (picked.uri ?? 'new');
}

/**
 * Creates an eval file with a recorded conversation, after asking for its judge.
 *
 * @returns undefined if the user cancels
 */
export async function createEvalFile(
  wanted: Omit<ConversationCase, 'id' | 'as'>,
  secrets: Secrets,
): Promise<{ readonly uri: vscode.Uri; readonly id: string } | undefined> {
  const folder = await workspaceFolder();
  const none = { label: 'No judge for now', description: 'the first check needs no model or key' };
  const options = { title: 'New Eval File', placeHolder: 'Select a judge' };
  const picked = folder && (await chooseModel(options, secrets, [none]));
  if (!picked) return undefined;
  const judge = 'id' in picked ? picked : undefined;
  const uri = await freeEvalFile(vscode.Uri.joinPath(folder, 'evals'), 'traces');
  const head: Mapping = judge
    ? { judge: modelValue(judge), defaults: { assert: [CRITERION] } }
    : { defaults: { assert: [{ type: 'no-repeat' }] } };
  const id = proposeId(wanted.conversation);
  const added = await addToFile({ ...wanted, id, as: 'transcript' }, head, await placeOf(uri));
  if (!added || !(await writeFile(uri, added.text))) return undefined;
  last = uri.path;
  return { uri, id };
}

/** Like `addCase`. If the case can't be added, shows why. */
export async function addToFile(...given: Parameters<typeof addCase>) {
  try {
    return await addCase(...given);
  } catch (error) {
    if (!(error instanceof SaveError)) throw error;
    inform(error.message);
    return undefined;
  }
}
