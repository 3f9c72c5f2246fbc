import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KeyStore } from '../../../src/extension/keyStore.ts';

function secretStorage(secrets: Readonly<Record<string, string>> = {}) {
  const stored = new Map(Object.entries(secrets));
  return {
    get: async (key: string) => stored.get(key),
    store: async (key: string, value: string) => void stored.set(key, value),
    delete: async (key: string) => void stored.delete(key),
  };
}

const KEY = 'planted-0123456789';

describe('a key in the secret store', () => {
  it('is hidden, whatever its name, also after a restart', async () => {
    const storage = secretStorage();
    const store = new KeyStore(storage);
    await store.set('GATEWAY', KEY);
    await store.set('OTHER_GATEWAY', `other-${KEY}`);
    for (const one of [store, new KeyStore(storage)]) {
      const scrubber = await one.scrubber();
      assert.equal(
        scrubber.text(`${KEY} other-${KEY}`),
        '[hidden: GATEWAY] [hidden: OTHER_GATEWAY]',
      );
    }
    await store.delete('GATEWAY');
    assert.equal((await store.scrubber()).text(KEY), KEY);
  });

  it('is hidden if an earlier version stored it, and its name is a default or was looked up', async () => {
    const store = new KeyStore(
      secretStorage({
        'turnlight.key.AZURE_OPENAI_API_KEY': KEY,
        'turnlight.key.GATEWAY': `other-${KEY}`,
      }),
    );
    assert.equal(await store.get('GATEWAY'), `other-${KEY}`);
    assert.equal(await store.get('MISSING'), undefined);
    const scrubber = await store.scrubber();
    assert.equal(
      scrubber.text(`${KEY} other-${KEY}`),
      '[hidden: AZURE_OPENAI_API_KEY] [hidden: GATEWAY]',
    );
  });

  it("is hidden as well as the environment's", async (t) => {
    process.env.PLANTED_TOKEN = KEY;
    t.after(() => delete process.env.PLANTED_TOKEN);
    const scrubber = await new KeyStore(secretStorage()).scrubber();
    assert.equal(scrubber.text(KEY), '[hidden: PLANTED_TOKEN]');
  });
});
