import * as vscode from 'vscode';
import { OPENAI_KEY } from '../../core/environment.ts';
import { labelText } from '../../core/text/visibleText.ts';
import type { ChosenModel } from '../../evalfile/starter.ts';
import type { Secrets } from '../secrets.ts';
import { askText, inform } from '../workspace.ts';
import { listEditorModels } from './editorModels.ts';

const OPENAI = 'openai:gpt-5-mini';
const LOCAL = 'http://localhost:11434/v1';

interface ModelItem extends vscode.QuickPickItem {
  /** Asks for missing details; undefined if the user cancels. */
  readonly model: () => Promise<ChosenModel | undefined>;
}

/**
 * Asks the user for a model.
 *
 * @param others additional choices at the top, returned unchanged
 * @returns undefined if the user cancels
 */
export async function chooseModel<Other extends vscode.QuickPickItem = never>(
  options: { readonly title: string; readonly placeHolder: string },
  secrets: Secrets,
  others: readonly Other[] = [],
): Promise<ChosenModel | Other | undefined> {
  const picked = await vscode.window.showQuickPick<Other | ModelItem>(
    [...others, ...(await modelItems(options.title, secrets))],
    { ...options, matchOnDescription: true, ignoreFocusOut: true },
  );
  return picked && isModelItem(picked) ? picked.model() : picked;
}

function isModelItem(item: vscode.QuickPickItem): item is ModelItem {
  return 'model' in item;
}

/** Asks which of the editor's models to use, if there are several. */
export async function chooseEditorModel(
  options: vscode.QuickPickOptions,
): Promise<ChosenModel | undefined> {
  const items = await editorItems();
  const [first, ...others] = items;
  if (!first) {
    inform(
      'The editor has no models. Sign in to GitHub Copilot, or install an extension that provides models.',
    );
  }
  const picked = others.length === 0 ? first : await vscode.window.showQuickPick(items, options);
  return picked?.model();
}

async function editorItems(): Promise<ModelItem[]> {
  return (await listEditorModels()).map(({ name, label }) => ({
    label: `vscode:${labelText(name)}`,
    description: `${labelText(label)}, a model of the editor; no key`,
    model: async () => ({ id: `vscode:${name}` }),
  }));
}

async function modelItems(title: string, secrets: Secrets): Promise<ModelItem[]> {
  const hasKey = (await secrets.keys.secret(OPENAI_KEY)) !== undefined;
  return [
    ...(await editorItems()),
    {
      label: OPENAI,
      description: hasKey ? `the key ${OPENAI_KEY} is set` : `needs the key ${OPENAI_KEY}`,
      model: async () => ({ id: OPENAI }),
    },
    {
      label: 'Custom endpoint…',
      description: 'Ollama, vLLM, LM Studio, or anything else with an OpenAI-compatible API',
      model: () => askEndpoint(title),
    },
  ];
}

async function askEndpoint(title: string): Promise<ChosenModel | undefined> {
  const baseUrl = await askText({
    title,
    prompt: 'Address of the endpoint, usually ending in /v1',
    value: LOCAL,
    ignoreFocusOut: true,
    validateInput: (value) =>
      /^https?:\/\/./.test(value.trim()) && URL.canParse(value.trim())
        ? undefined
        : 'Expected an address that starts with http:// or https://.',
  });
  if (baseUrl === undefined) return undefined;
  const name = await askText({
    title,
    prompt: "The model's name at the endpoint",
    placeHolder: 'qwen3:8b',
    ignoreFocusOut: true,
    validateInput: (value) => (value.trim() === '' ? 'Enter the name of a model.' : undefined),
  });
  return name === undefined ? undefined : { id: `openai:${name.trim()}`, baseUrl: baseUrl.trim() };
}
