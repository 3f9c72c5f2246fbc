import * as vscode from 'vscode';
import type { Mapping } from '../../core/data/data.ts';
import { caseTitle } from '../../core/presentation/words.ts';
import type { MessageHistory, Suite } from '../../core/suite.ts';
import { labelText } from '../../core/text/visibleText.ts';
import { adaptTarget, keysLine, proposeKeys, readKeys } from '../../interop/adaptTarget.ts';
import {
  caseWithTarget,
  headOf,
  keysOfCase,
  type NamedTarget,
  targetsOf,
  typedTargets,
} from '../../interop/talkTarget.ts';
import { keepsSession, type TalkCase, talkCaseOf } from '../../runner/talk.ts';
import type { CaseLocation } from '../commands/caseLocation.ts';
import { messageHistoryOf, openVariant } from '../viewer/snapshot.ts';
import {
  askText,
  exists,
  findEvalFiles,
  freeEvalFile,
  isEvalFile,
  placeOf,
  readSuite,
  reportError,
  workspaceFolder,
} from '../workspace.ts';

/** What to talk to, and where to save it. */
export interface TalkStart {
  /** The eval file, which may not exist yet. */
  readonly uri: vscode.Uri;
  /** The keys of a new file with this target. */
  readonly head: Mapping;
  /** Keys that cases with this target have. */
  readonly keys: Mapping;
  readonly suite: Suite;
  readonly talkCase: TalkCase;
  /** Where the conversation starts. */
  readonly about: string;
  /** The target, if the user typed it and no file contains it yet. */
  readonly typed?: Mapping | undefined;
}

/** Starts from a case. If it can't, shows why. */
export async function startFromCase({
  uri,
  id,
  variant,
}: CaseLocation): Promise<TalkStart | undefined> {
  const { suite, outline } = await readSuite(uri);
  const found = outline.find((one) => one.id === id);
  const common = suite?.cases.find((one) => one.id === id);
  const opened = common && variant !== undefined ? await openVariant(common, variant) : undefined;
  const suiteCase = opened && !opened.missing ? opened.suiteCase : common;
  if (!suite || !suiteCase || opened?.missing) {
    const [error] = found?.errors ?? [];
    reportError(error?.message ?? `The file has no case "${id}".`);
    return undefined;
  }
  const { origin, context } = suiteCase;
  const head = headOf(await textOf(uri), uri.fsPath);
  const path = found?.path ?? uri.fsPath;
  const keys = {
    ...keysOfCase(await textOf(vscode.Uri.file(path)), path, id),
    ...(Object.keys(context).length > 0 && { context }),
  };
  const about = `From ${caseTitle({ id, variant })} in ${vscode.workspace.asRelativePath(uri)}`;
  if (origin.kind !== 'transcript') {
    const talkCase = talkCaseOf(suiteCase, origin.target, origin.history);
    return { uri, head, keys, suite, talkCase, about };
  }
  const named = await startAt(uri, head, undefined);
  if (!named) return undefined;
  const { target: called } = named.talkCase.origin;
  const talkCase = talkCaseOf(suiteCase, called, upToReply(messageHistoryOf(suiteCase)));
  const empty = keepsSession(called) ? '. The target takes no history' : '';
  return { ...named, keys, talkCase, about: about + empty };
}

/** A recorded conversation up to its last reply, because the user speaks next. */
function upToReply(history: MessageHistory | undefined): MessageHistory | undefined {
  const end = history?.messages.findLastIndex(
    ({ message }) => message.role === 'assistant' && !message.toolCalls?.length,
  );
  if (!history || end === undefined || end < 0) return undefined;
  const messages = history.messages.slice(0, end + 1);
  return { ...history, messages: messages.map((one) => ({ ...one, history: true as const })) };
}

interface TargetItem extends vscode.QuickPickItem {
  readonly start: () => Promise<TalkStart | undefined>;
}

/** The target that a code lens belongs to. */
export interface TargetPlace {
  /** The file whose targets to offer; default: the active one. */
  readonly uri: vscode.Uri | undefined;
  /** The target's name. */
  readonly target?: unknown;
}

/** Asks which target to talk to, unless there is only one. */
export async function startFromTarget({
  uri: given,
  target: named,
}: TargetPlace): Promise<TalkStart | undefined> {
  const active = given ?? vscode.window.activeTextEditor?.document.uri;
  const isHere = active !== undefined && isEvalFile(active);
  const files = isHere ? [active] : await findEvalFiles();
  const items: TargetItem[] = [];
  for (const uri of files) {
    const head = headOf(await textOf(uri), uri.fsPath);
    if (typeof named === 'string') return startAt(uri, head, named);
    items.push(...targetsOf(head).map((target) => itemFor(uri, head, target)));
  }
  const [first] = items;
  if (!first) return askForTarget();
  if (items.length === 1 && isHere) return first.start();
  const other: TargetItem = { label: 'Another target…', start: askForTarget };
  const placeHolder = 'Select the target to talk to';
  const picked = await vscode.window.showQuickPick([...items, other], { placeHolder });
  return picked?.start();
}

function itemFor(uri: vscode.Uri, head: Mapping, { name, type }: NamedTarget): TargetItem {
  return {
    label: labelText(name ?? type),
    description: labelText(name === undefined ? '' : type),
    detail: labelText(vscode.workspace.asRelativePath(uri)),
    start: () => startAt(uri, head, name),
  };
}

async function startAt(
  uri: vscode.Uri,
  head: Mapping,
  name: string | undefined,
): Promise<TalkStart | undefined> {
  const found = await caseWithTarget(head, name, await placeOf(uri));
  if (typeof found === 'string') {
    reportError(`${vscode.workspace.asRelativePath(uri)}: ${found}`);
    return undefined;
  }
  const { suite, suiteCase } = found;
  const { origin } = suiteCase;
  if (origin.kind === 'transcript') return undefined;
  const talkCase = talkCaseOf(suiteCase, origin.target, undefined);
  const about = vscode.workspace.asRelativePath(uri);
  return { uri, head, keys: keyOfTarget(head, name), suite, talkCase, about };
}

function keyOfTarget(head: Mapping, name: string | undefined): Mapping {
  const isNamed = targetsOf(head).some((one) => one.name === name && !one.isDefault);
  return isNamed && name !== undefined ? { target: name } : {};
}

/** Programs that are likely agents. */
const AGENTS = '**/{agent,target,app,bot,main}.{mjs,js,ts,mts,py}';
/** Folders with other people's programs. A virtual environment can have any name. */
const PACKAGES = '**/{node_modules,site-packages,.*}/**';
const MAX_AGENTS = 20;

/** The usual places of a virtual environment's Python, except on Windows. */
const PYTHONS = ['.venv/bin/python', 'venv/bin/python'];

/** Asks for an address, a file, or a command. */
async function askForTarget(): Promise<TalkStart | undefined> {
  const folder = await workspaceFolder();
  if (!folder) return undefined;
  const found = await vscode.workspace.findFiles(
    new vscode.RelativePattern(folder, AGENTS),
    PACKAGES,
    MAX_AGENTS,
  );
  const paths = found.map(({ path }) => path.slice(folder.path.length + 1)).sort();
  const picked = await pickTarget(paths, await pythonIn(folder));
  if (!picked) return undefined;
  const target = await withReady(picked, folder);
  // Paths in the target start at the file's folder.
  return startTyped(await freeEvalFile(folder, 'agent'), target);
}

/** @param typed a target that is in no file yet */
async function startTyped(uri: vscode.Uri, typed: Mapping): Promise<TalkStart | undefined> {
  const start = await startAt(uri, { targets: { agent: typed }, target: 'agent' }, 'agent');
  const { type: _, url, path, command, ...others } = typed;
  const keys = Object.keys(others).length > 0 ? ` with ${keysLine(others)}` : '';
  const about = labelText([url ?? path ?? command].flat().join(' ') + keys);
  return start && { ...start, about, typed };
}

/** Changes a typed target whose first reply failed. @returns undefined if the error doesn't show how */
export async function adaptStart(
  { uri, typed }: TalkStart,
  error: string,
): Promise<TalkStart | undefined> {
  const keys = typed && adaptTarget(typed, error);
  return keys && startTyped(uri, { ...typed, ...keys });
}

/** Asks on one line for keys that a typed target may lack. @returns undefined if the user cancels */
export async function askForKeys(
  { uri, typed }: TalkStart,
  error: string,
): Promise<TalkStart | undefined> {
  const proposed = typed && proposeKeys(typed, error);
  if (!proposed) return undefined;
  const place = await placeOf(uri);
  const line = await askText({
    title: 'Add to the Target',
    prompt:
      typed.type === 'http'
        ? 'In `body`, {{message}} is your message, and {{session}} the id of the conversation. `reply` is the place of the reply in the answer.'
        : "Programs don't get keys and tokens, except those in `pass_env`.",
    value: keysLine(proposed),
    ignoreFocusOut: true,
    async validateInput(text) {
      const keys = readKeys(text);
      if (!keys) return 'Write a YAML mapping on one line.';
      const head = { targets: { agent: { ...typed, ...keys } }, target: 'agent' };
      const found = await caseWithTarget(head, 'agent', place);
      return typeof found === 'string' ? found : undefined;
    },
  });
  const keys = line === undefined ? undefined : readKeys(line);
  return keys && startTyped(uri, { ...typed, ...keys });
}

/** The Python of the folder's virtual environment, relative to the folder. */
async function pythonIn(folder: vscode.Uri): Promise<string | undefined> {
  for (const path of PYTHONS) if (await exists(vscode.Uri.joinPath(folder, path))) return path;
  return undefined;
}

/** How programs report that they are ready, such as `serve(agent, ready=True)`. */
const SAYS_READY = /\bready\s*=\s*True\b|["']ready["']\s*:/;

/** Adds `ready` to a program whose file prints that it is ready. */
async function withReady(target: Mapping, folder: vscode.Uri): Promise<Mapping> {
  const parts: readonly unknown[] = Array.isArray(target.command) ? target.command : [];
  const files = parts.map(String).filter((part) => /\.\w+$/.test(part));
  const texts = await Promise.all(files.map((path) => textOf(vscode.Uri.joinPath(folder, path))));
  return texts.some((text) => SAYS_READY.test(text)) ? { ...target, ready: true } : target;
}

function pickTarget(
  paths: readonly string[],
  python: string | undefined,
): Promise<Mapping | undefined> {
  const pick = vscode.window.createQuickPick<vscode.QuickPickItem & { readonly target: Mapping }>();
  const offer = (typed: string) => {
    const shown = typed.trim() === '' ? paths : [typed, ...paths];
    pick.items = shown.flatMap((text) =>
      typedTargets(text, python).map(({ what, target }) => ({
        label: labelText(text),
        description: what,
        alwaysShow: text === typed,
        target,
      })),
    );
  };
  pick.title = 'Talk to Target';
  pick.placeholder = 'http://localhost:8000/chat, agent.mjs, agent.py, or a command';
  pick.ignoreFocusOut = true;
  offer('');
  return new Promise((resolve) => {
    pick.onDidChangeValue(offer);
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]?.target);
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
}

/** The text in the editor or on disk; empty if the file doesn't exist. */
export async function textOf(uri: vscode.Uri): Promise<string> {
  if (!(await exists(uri))) return '';
  return (await vscode.workspace.openTextDocument(uri)).getText();
}
