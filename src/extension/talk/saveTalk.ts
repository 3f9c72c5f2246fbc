import { posix } from 'node:path';
import * as vscode from 'vscode';
import { assertionTypes } from '../../assertions/registry.ts';
import { type Conversation, systemMessages } from '../../core/conversation.ts';
import type { Mapping } from '../../core/data/data.ts';
import { labelText } from '../../core/text/visibleText.ts';
import { SaveError } from '../../evalfile/savedCase.ts';
import { caseSchema } from '../../evalfile/schema.ts';
import { modelValue } from '../../evalfile/starter.ts';
import {
  type AddedCase,
  addCase,
  type ConversationCase,
  proposeId,
  type ReplyChecks,
} from '../../interop/savedCase.ts';
import {
  assertionExample,
  haveSameTarget,
  headOf,
  readAssertion,
} from '../../interop/talkTarget.ts';
import { EVAL_ENDING } from '../../node/paths.ts';
import { SECTION, SETTINGS } from '../../protocol/names.ts';
import { chooseModel } from '../lm/chooseModel.ts';
import type { Secrets } from '../secrets.ts';
import {
  applyEdits,
  askText,
  env,
  exists,
  findEvalFiles,
  freeEvalFile,
  inform,
  placeOf,
  readSuite,
  reveal,
  toRange,
  writeFile,
} from '../workspace.ts';
import { type TalkStart, textOf } from './startTalk.ts';

const TITLE = 'Save as Case';

/** What a person says about a reply. */
export type TalkCheck = ReplyChecks & { readonly mark?: 'right' | 'wrong' };

/** What a person says about replies, by the number of the turn. */
export type TalkChecks = ReadonlyMap<number, TalkCheck>;

/** Asks for an assertion type, and its keys on one line. */
export async function askForAssertion(turn: number, { uri, head }: TalkStart): Promise<unknown> {
  const title = `Add Assertion at Turn ${turn}`;
  const types = assertionTypes.map((type) => ({ label: type.type, detail: type.summary, type }));
  const picked = await vscode.window.showQuickPick(types, {
    title,
    placeHolder: 'Select what to check about the reply',
    matchOnDetail: true,
    ignoreFocusOut: true,
  });
  if (!picked) return undefined;
  const place = await placeOf(uri);
  const line = await askText({
    title,
    prompt: picked.type.summary,
    value: assertionExample(picked.type),
    ignoreFocusOut: true,
    async validateInput(text) {
      const assertion = readAssertion(text);
      if (assertion === undefined) return 'Write a YAML mapping on one line, or a sentence.';
      const tried = { ...TRIED, checks: new Map([[2, { assert: [assertion] }]]) };
      return messageOf(() => addCase(tried, head, place));
    },
  });
  return line === undefined ? undefined : readAssertion(line);
}

/** A case for trying an assertion. */
const TRIED: ConversationCase = {
  id: 'tried',
  as: 'turns',
  conversation: {
    entries: [{ kind: 'turn', number: 1, side: 'user', items: [{ kind: 'text', text: '.' }] }],
    notes: [],
  },
};

/** Why something can't be saved. */
async function messageOf(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof SaveError) return error.message;
    throw error;
  }
}

/** Writes the conversation to an eval file and opens it at the new case. @returns the file */
export async function saveTalk(
  conversation: Conversation,
  checks: TalkChecks,
  start: TalkStart,
  secrets: Secrets,
): Promise<vscode.Uri | undefined> {
  const { target } = start.talkCase.origin;
  // The target adds its own system prompt.
  const entries = conversation.entries.slice(systemMessages(target.system).length);
  const said = { ...conversation, entries };
  const uri = await pickFile(start);
  if (!uri) return undefined;
  const isNew = !(await exists(uri));
  const taken = isNew ? [] : (await readSuite(uri)).outline.map((one) => one.id);
  const proposed = proposeId(said, taken);
  // In a new file, nothing can have the same id, and the id is selected, so that it is quick to change.
  const id = isNew ? proposed : await askForId(uri, proposed, taken);
  if (id === undefined) return undefined;
  const wanted = { id, as: 'turns', conversation: said, checks, keys: start.keys } as const;
  const place = { ...(await placeOf(uri)), ...defaultJudge(uri) };
  let added: AddedCase | undefined;
  const problem = await messageOf(async () => {
    added = await addCase(wanted, isNew ? start.head : await textOf(uri), place);
    if (!isNew || !added.lacksJudge) return;
    const judge = await askForJudge(secrets);
    added = judge && (await addCase(wanted, { ...judge, ...start.head }, place));
  });
  if (problem !== undefined) inform(problem);
  if (!added) return undefined;
  if (added.edit) await applyEdits(uri, [added.edit]);
  else if (!(await writeFile(uri, added.text))) return undefined;
  await reveal(uri.fsPath, added.range);
  const editor = vscode.window.activeTextEditor;
  if (isNew && editor) {
    const { start, end } = toRange(added.range);
    editor.selection = new vscode.Selection(start, end);
  }
  return uri;
}

function defaultJudge(uri: vscode.Uri) {
  const judge = vscode.workspace.getConfiguration(SECTION, uri).get<string>(SETTINGS.judge);
  const found = judge || env('TURNLIGHT_JUDGE');
  return found ? { defaultJudge: found } : {};
}

/** @returns undefined if the user canceled */
async function askForJudge(secrets: Secrets): Promise<Mapping | undefined> {
  const none = { label: 'No judge for now', description: 'set `judge` in the file later' };
  const options = { title: TITLE, placeHolder: 'Select the judge of your criteria' };
  const picked = await chooseModel(options, secrets, [none]);
  return picked && ('id' in picked ? { judge: modelValue(picked) } : {});
}

/** Asks for a file, unless there is nothing to choose from. Offers only files with the same target. */
async function pickFile({ uri, talkCase, head }: TalkStart): Promise<vscode.Uri | undefined> {
  const { name } = talkCase.origin.target;
  const files: vscode.Uri[] = [];
  for (const file of await findEvalFiles()) {
    if (file.fsPath === uri.fsPath) files.unshift(file);
    else if (posix.dirname(file.path) === posix.dirname(uri.path)) {
      const other = headOf(await textOf(file), file.fsPath);
      if (haveSameTarget(head, other, name)) files.push(file);
    }
  }
  if (files.length === 0) return uri;
  const own = await newFileNextTo(uri);
  const items = [
    ...files.map((file) => ({
      label: labelText(vscode.workspace.asRelativePath(file)),
      description: '',
      file,
    })),
    { label: labelText(vscode.workspace.asRelativePath(own)), description: 'new file', file: own },
  ];
  const options = { title: TITLE, placeHolder: 'Select the eval file', ignoreFocusOut: true };
  return (await vscode.window.showQuickPick(items, options))?.file;
}

async function newFileNextTo(uri: vscode.Uri): Promise<vscode.Uri> {
  if (!(await exists(uri))) return uri;
  const stem = posix.basename(uri.path).replace(EVAL_ENDING, '');
  return freeEvalFile(vscode.Uri.joinPath(uri, '..'), stem);
}

async function askForId(
  uri: vscode.Uri,
  value: string,
  taken: readonly unknown[],
): Promise<string | undefined> {
  const typed = await askText({
    title: TITLE,
    prompt: `Id of the case in ${vscode.workspace.asRelativePath(uri)}`,
    value,
    ignoreFocusOut: true,
    validateInput(text) {
      const id = text.trim();
      if (taken.includes(id)) return `The file already has a case "${id}".`;
      return caseSchema.shape.id.safeParse(id).error?.issues[0]?.message;
    },
  });
  return typed?.trim();
}
