import { posix } from 'node:path';
import * as vscode from 'vscode';
import { labelText } from '../../core/text/visibleText.ts';
import { DEFAULT_PATH, evalFilePath, suiteName } from '../../evalfile/evalFilePath.ts';
import {
  type ChosenModel,
  type Starter,
  type StarterTarget,
  starterAgent,
  starterText,
} from '../../evalfile/starter.ts';
import { SECTION, SETTINGS } from '../../protocol/names.ts';
import { chooseModel } from '../lm/chooseModel.ts';
import type { Secrets } from '../secrets.ts';
import { askText, exists, mayWrite, workspaceFolder, writeFile } from '../workspace.ts';

const TITLE = 'New Eval File';

/**
 * Asks for a name, a target, and a judge. Pressing Enter three times creates a file that runs immediately, without a
 * key.
 */
export async function newEvalFile(secrets: Secrets): Promise<void> {
  const folder = await workspaceFolder();
  if (!folder) return;
  const path = await askPath(folder);
  if (path === undefined) return;
  const file = vscode.Uri.joinPath(folder, path);
  const target = await askTarget(secrets);
  const judged = target && (await askJudge(file, secrets));
  if (judged) await create(file, { name: suiteName(path), target, judge: judged.judge });
}

async function askPath(folder: vscode.Uri): Promise<string | undefined> {
  const end = DEFAULT_PATH.indexOf('.');
  const typed = await askText({
    title: `${TITLE} (1 of 3)`,
    prompt: `Name and folder of the file, in ${posix.basename(folder.path)}`,
    value: DEFAULT_PATH,
    valueSelection: [DEFAULT_PATH.lastIndexOf('/') + 1, end],
    ignoreFocusOut: true,
    async validateInput(value) {
      const read = evalFilePath(value);
      if ('problem' in read) return read.problem;
      if (await exists(vscode.Uri.joinPath(folder, read.path)))
        return `${read.path} already exists. Choose another name.`;
      if (read.path === value.trim()) return undefined;
      const { Info: severity } = vscode.InputBoxValidationSeverity;
      return { message: `Saved as ${read.path}`, severity };
    },
  });
  const read = typed === undefined ? undefined : evalFilePath(typed);
  return read && 'path' in read ? read.path : undefined;
}

interface TargetItem extends vscode.QuickPickItem {
  readonly target: () => Promise<StarterTarget | undefined>;
}

async function askTarget(secrets: Secrets): Promise<StarterTarget | undefined> {
  const title = `${TITLE} (2 of 3)`;
  const items: TargetItem[] = [
    {
      label: '$(symbol-function) A function',
      description: 'in JavaScript or TypeScript; creates an example, agent.mjs',
      target: async () => ({ kind: 'module' }),
    },
    {
      label: '$(terminal) A program',
      description: 'in any language; creates an example, agent.py',
      target: async () => ({ kind: 'command' }),
    },
    {
      label: '$(globe) A service',
      description: 'that speaks HTTP; creates an example, service.mjs',
      target: async () => ({ kind: 'http' }),
    },
    {
      label: '$(hubot) A model',
      description: 'with a system prompt',
      async target() {
        const placeHolder = 'Select the model to test';
        const model = await chooseModel({ title, placeHolder }, secrets);
        return model && { kind: 'chat', model };
      },
    },
    {
      label: '$(comment-discussion) Existing conversations',
      description: 'transcripts; nothing runs',
      target: async () => ({ kind: 'transcript' }),
    },
  ];
  const placeHolder = 'Select what to test';
  const picked = await vscode.window.showQuickPick(items, {
    title,
    placeHolder,
    ignoreFocusOut: true,
  });
  return picked?.target();
}

/** @returns undefined if the user canceled; without `judge` if the file needs none */
async function askJudge(
  file: vscode.Uri,
  secrets: Secrets,
): Promise<{ readonly judge: ChosenModel | undefined } | undefined> {
  const set = vscode.workspace.getConfiguration(SECTION, file).get<string>(SETTINGS.judge);
  const none = set
    ? { label: labelText(set), description: 'the judge from your settings' }
    : { label: 'No judge for now', description: 'the first check needs no model or key' };
  const options = { title: `${TITLE} (3 of 3)`, placeHolder: 'Select a judge' };
  const picked = await chooseModel(options, secrets, [none]);
  return picked && { judge: 'id' in picked ? picked : undefined };
}

async function create(file: vscode.Uri, starter: Starter): Promise<void> {
  if (!(await mayWrite(file))) return;
  const agent = starterAgent(starter.target);
  if (agent) {
    const agentFile = vscode.Uri.joinPath(file, '..', agent.name);
    // If there is already an agent, test it.
    if (!(await exists(agentFile))) await writeFile(agentFile, agent.text);
  }
  await writeFile(file, starterText(starter));
  await vscode.window.showTextDocument(file, { preview: false });
}

const NAME = 'turnlight-example';
const FILE = 'shopfast.eval.yaml';

/**
 * Copies an example to the workspace, unless it exists, and opens it. It runs from a recording, without a key.
 *
 * @param extension the folder of the extension
 */
export async function openExample(extension: vscode.Uri): Promise<void> {
  const folder = await workspaceFolder();
  if (!folder) return;
  const example = vscode.Uri.joinPath(folder, NAME);
  const source = vscode.Uri.joinPath(extension, 'examples/shopfast');
  if (!(await exists(example))) {
    if (!(await mayWrite(example))) return;
    await vscode.workspace.fs.copy(source, example);
  }
  await vscode.window.showTextDocument(vscode.Uri.joinPath(example, FILE), { preview: false });
}
