import * as vscode from 'vscode';
import { type KeyHost, OPENAI_KEY, VARIABLE_NAME } from '../core/environment.ts';
import type { Scrubber } from '../core/scrubber.ts';
import type { ModelSpec } from '../core/suite.ts';
import { noticeText } from '../core/text/visibleText.ts';
import { KeyStore } from './keyStore.ts';
import { askText, env, inform, warn } from './workspace.ts';

const AGAIN = 'Enter Again';

/** Model to test a key with if no model is known. */
const DEFAULT_MODEL: ModelSpec = {
  id: 'openai:gpt-5-mini',
  provider: 'openai',
  params: { provider: 'openai', model: 'gpt-5-mini' },
  folder: '/',
};

/** API keys by the name of their environment variable, from the secret store or else from the environment. */
export class Secrets {
  readonly #store: KeyStore;
  readonly #log: vscode.LogOutputChannel;
  readonly keys: KeyHost = {
    secret: async (name) => (await this.#store.get(name)) ?? env(name),
    env,
  };

  constructor(store: vscode.SecretStorage, log: vscode.LogOutputChannel) {
    this.#store = new KeyStore(store);
    this.#log = log;
  }

  /** A new scrubber that knows the environment's secrets and all keys in the secret store. */
  scrubber(): Promise<Scrubber> {
    return this.#store.scrubber();
  }

  /**
   * Asks for a key, tests it with one request, and reports the result.
   *
   * @param wanted the missing key and the model that needs it; if it is missing, asks for the key's name as well
   * @returns whether there is now a key that wasn't rejected
   */
  async ask(wanted?: { readonly variable: string; readonly model: ModelSpec }): Promise<boolean> {
    const name =
      wanted?.variable ??
      (await askName("Name of the key's environment variable (`api_key_env` in the eval file)"));
    if (name === undefined) return false;
    const key = await askText({
      title: `Turnlight: ${name}`,
      prompt: "The API key. It is stored in VS Code's secret store.",
      password: true,
      ignoreFocusOut: true,
    });
    if (key === undefined || key.trim() === '') return false;
    await this.#store.set(name, key.trim());
    const model = wanted?.model ?? (name === OPENAI_KEY ? DEFAULT_MODEL : undefined);
    // In Restricted Mode, nothing is sent.
    if (model && vscode.workspace.isTrusted) return this.#tryKey(name, model, wanted);
    inform(`Saved the API key ${name}.`);
    return true;
  }

  async clear(): Promise<void> {
    const name = await askName('Which API key should be removed from the secret store?');
    if (name === undefined) return;
    await this.#store.delete(name);
    inform(`Removed the API key ${name} from the secret store.`);
  }

  async #tryKey(name: string, model: ModelSpec, wanted: Parameters<Secrets['ask']>[0]) {
    const [{ tryModel }, { allowedHosts }] = await Promise.all([
      import('../runner/oneModel.ts'),
      import('./allowedHosts.ts'),
    ]);
    const trial = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: `Testing the key ${name} …` },
      async () =>
        tryModel(model, {
          ...this.keys,
          allowedHosts: await allowedHosts(),
          scrubber: await this.scrubber(),
          log: this.#log,
        }),
    );
    if (trial.kind === 'refused') {
      await this.#store.delete(name);
      const choice = await vscode.window.showErrorMessage(noticeText(trial.message), AGAIN);
      return choice === AGAIN && this.ask(wanted);
    }
    if (trial.kind === 'answered') {
      inform(`The key ${name} is set and works: ${model.id} answered.`);
    } else {
      warn(`The key ${name} is set, but couldn't be tested. ${trial.message}`);
    }
    return true;
  }
}

async function askName(prompt: string): Promise<string | undefined> {
  return askText({
    title: 'Turnlight: API key',
    prompt,
    value: OPENAI_KEY,
    ignoreFocusOut: true,
    validateInput: (value) =>
      VARIABLE_NAME.test(value)
        ? undefined
        : `Expected the name of a variable, such as ${OPENAI_KEY}.`,
  });
}
