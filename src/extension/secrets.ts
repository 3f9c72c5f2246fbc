import * as vscode from 'vscode';

const PREFIX = 'turnlight.key.';
const DEFAULT_NAME = 'OPENAI_API_KEY';
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Keys, each under the name of its environment variable: secret store first, then environment. */
export class Secrets {
  readonly #store: vscode.SecretStorage;

  constructor(store: vscode.SecretStorage) {
    this.#store = store;
  }

  async get(name: string): Promise<string | undefined> {
    return (await this.#store.get(PREFIX + name)) ?? process.env[name];
  }

  async ask(): Promise<void> {
    const name = await askName('Which key? Give the name that `api_key_env` has in the file.');
    if (name === undefined) return;
    const key = await vscode.window.showInputBox({
      title: `Turnlight: ${name}`,
      prompt: "The key. It is kept in VS Code's secret store.",
      password: true,
      ignoreFocusOut: true,
    });
    if (key === undefined || key.trim() === '') return;
    await this.#store.store(PREFIX + name, key.trim());
    void vscode.window.showInformationMessage(`The key ${name} is set.`);
  }

  async clear(): Promise<void> {
    const name = await askName('Which key is to be removed from the secret store?');
    if (name === undefined) return;
    await this.#store.delete(PREFIX + name);
    void vscode.window.showInformationMessage(`The key ${name} is no longer in the secret store.`);
  }
}

async function askName(prompt: string): Promise<string | undefined> {
  return vscode.window.showInputBox({
    title: 'Turnlight: API key',
    prompt,
    value: DEFAULT_NAME,
    ignoreFocusOut: true,
    validateInput: (value) =>
      NAME.test(value) ? undefined : 'Give the name of a variable, such as OPENAI_API_KEY.',
  });
}
