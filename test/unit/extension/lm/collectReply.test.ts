import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIMITS } from '../../../../src/core/limits.ts';
import { collectReply, type Part } from '../../../../src/extension/lm/collectReply.ts';

describe("the streamed reply of one of the editor's models", () => {
  const call = { id: '1', name: 'answer', arguments: { score: 1 } };

  it('is assembled from its parts', async () => {
    const parts = async function* (): AsyncGenerator<Part> {
      yield { text: 'Let me ' };
      yield { text: 'see.' };
      yield { call };
    };
    assert.deepEqual(await collectReply(parts()), { text: 'Let me see.', toolCalls: [call] });
  });

  const endless: [what: string, part: Part][] = [
    ['words', { text: 'x'.repeat(1_000) }],
    ['calls', { call: { ...call, arguments: 'x'.repeat(1_000) } }],
  ];
  for (const [what, part] of endless) {
    it(`is cut off if its ${what} never end`, async () => {
      let sent = 0;
      let isLeft = false;
      const parts = async function* (): AsyncGenerator<Part> {
        try {
          for (; sent < 10_000; sent += 1) yield part;
        } finally {
          isLeft = true;
        }
      };
      const { text, toolCalls } = await collectReply(parts());
      assert.ok(text.length + JSON.stringify(toolCalls).length > LIMITS.reply);
      assert.ok(sent <= LIMITS.reply / 1_000);
      assert.ok(isLeft);
    });
  }
});
