import * as vscode from 'vscode';
import type { Conversation } from '../../core/conversation.ts';
import { labelText } from '../../core/text/visibleText.ts';
import {
  cleanReceived,
  findPersonalData,
  type Replacement,
  replaceNames,
} from '../../interop/personalData.ts';
import { proposeId } from '../../interop/savedCase.ts';
import type { ReceivedConversation } from '../../interop/traceInbox.ts';
import { SAVE_CHOICES } from '../commands/lastRuns.ts';
import type { Secrets } from '../secrets.ts';
import { applyEdits, askText, placeOf, readSuite, reveal } from '../workspace.ts';
import { addToFile, createEvalFile, pickEvalFile } from './evalFiles.ts';

const MAX_LABEL = 80;

/** Adds a received conversation to an eval file; see `askForClean`. */
export async function saveReceived(one: ReceivedConversation, secrets: Secrets): Promise<void> {
  const placeHolder = 'Save the conversation as';
  const picked = await vscode.window.showQuickPick(SAVE_CHOICES, { placeHolder });
  const file = picked && (await pickEvalFile('Save in', picked.as === 'transcript'));
  const clean = file && (await askForClean(one, secrets));
  if (!clean) return;
  const { as } = picked;
  // A target has its own instructions and tools.
  const wanted =
    as === 'transcript'
      ? clean
      : { conversation: withoutInstructions(clean.conversation), keys: {} };
  if (file === 'new') {
    const created = await createEvalFile(wanted, secrets);
    if (created) await vscode.window.showTextDocument(created.uri, { preview: false });
    return;
  }
  const document = await vscode.workspace.openTextDocument(file);
  const place = await placeOf(file);
  const { outline } = await readSuite(file, place.files);
  const id = proposeId(
    clean.conversation,
    outline.map((known) => known.id),
  );
  const added = await addToFile({ ...wanted, id, as }, document.getText(), place);
  if (!added?.edit) return;
  await applyEdits(file, [added.edit]);
  await reveal(file.fsPath, added.range);
}

function withoutInstructions(conversation: Conversation): Conversation {
  const entries = conversation.entries.filter(({ kind }) => kind === 'turn');
  return { ...conversation, entries };
}

/** Like `cleanReceived`; asks the user which personal data to replace. @returns undefined if the user cancels */
export async function askForClean(one: ReceivedConversation, secrets: Secrets) {
  return cleanReceived(one, await secrets.scrubber(), askReplacements);
}

/** Shows what would be replaced, and lets the user choose. @returns undefined if the user cancels */
async function askReplacements(
  conversation: ReceivedConversation['conversation'],
): Promise<readonly Replacement[] | undefined> {
  let names: readonly Replacement[] = [];
  for (;;) {
    const found = [...names, ...findPersonalData(conversation)];
    const add = {
      label: '$(add) Also replace names',
      description: 'asks for them',
      one: undefined,
    };
    const items = found.map((one) => ({
      label: `${labelText(one.text, MAX_LABEL)} → ${one.by}`,
      description: one.kind,
      picked: true,
      one,
    }));
    const placeHolder =
      found.length > 0
        ? 'Select what to replace'
        : 'No personal data found; press Enter to continue';
    const picked = await vscode.window.showQuickPick([...items, add], {
      title: 'Replace Personal Data',
      placeHolder,
      canPickMany: true,
      ignoreFocusOut: true,
    });
    if (!picked) return undefined;
    if (!picked.includes(add)) return picked.flatMap(({ one }) => one ?? []);
    const typed = await askText({
      prompt: 'Names to replace, separated by commas',
      placeHolder: 'Sarah, Miller',
      ignoreFocusOut: true,
    });
    if (typed !== undefined) names = replaceNames(typed);
  }
}
