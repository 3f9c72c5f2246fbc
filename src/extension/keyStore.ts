import type { SecretStorage } from 'vscode';
import type { Scrubber } from '../core/scrubber.ts';

const PREFIX = 'turnlight.key.';

/** Contains the names of all keys, because VS Code can't list them. */
const NAMES = 'turnlight.keys';

/** API keys in VS Code's secret store, by the name of their environment variable. */
export class KeyStore {
  readonly #store: Pick<SecretStorage, 'get' | 'store' | 'delete'>;

  constructor(store: Pick<SecretStorage, 'get' | 'store' | 'delete'>) {
    this.#store = store;
  }

  async get(name: string): Promise<string | undefined> {
    const key = await this.#store.get(PREFIX + name);
    // Version 0.1.0 didn't store the names.
    if (key !== undefined) await this.#addName(name);
    return key;
  }

  async set(name: string, key: string): Promise<void> {
    await this.#store.store(PREFIX + name, key);
    await this.#addName(name);
  }

  async delete(name: string): Promise<void> {
    await this.#store.delete(PREFIX + name);
  }

  /** A scrubber that knows the environment's secrets and all keys in the store. */
  async scrubber(): Promise<Scrubber> {
    const [{ Scrubber }, { keyVariablesIn }] = await Promise.all([
      import('../core/scrubber.ts'),
      import('../runner/models.ts'),
    ]);
    const scrubber = new Scrubber(process.env);
    for (const name of new Set([...keyVariablesIn([]), ...(await this.#names())])) {
      scrubber.add(name, await this.#store.get(PREFIX + name));
    }
    return scrubber;
  }

  async #names(): Promise<string[]> {
    return (await this.#store.get(NAMES))?.split(' ') ?? [];
  }

  async #addName(name: string): Promise<void> {
    const names = await this.#names();
    if (!names.includes(name)) await this.#store.store(NAMES, [...names, name].join(' '));
  }
}
