import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Slices } from '../../../../src/evalfile/files.ts';
import {
  findConversations,
  findInSlices,
  lineIn,
} from '../../../../src/evalfile/variants/dataSet.ts';
import { runSync, stepsOf } from '../../../../src/node/cooperative.ts';

const LINES = [
  '{"id": "ä", "messages": [{"user": "Wo ist es? 📦"}, {"assistant": "Da."}]}',
  '',
  '{"messages": [{"user": "Hi"}, {"assistant": "Ho"}]}',
  'not JSON',
];

/** Slices so small that they end within characters. Each slice is overwritten by the next one. */
function slicesOf(text: string, size: number): Slices {
  const bytes = Buffer.from(text);
  return {
    async *inOrder() {
      const slice = Buffer.alloc(size);
      for (let start = 0; start < bytes.length; start += size) {
        yield slice.subarray(0, bytes.copy(slice, 0, start, start + size));
      }
    },
    between: async (start, end) => bytes.subarray(start, end),
  };
}

for (const lineBreak of ['\n', '\r\n']) {
  for (const size of [1, 3, 7, 1_000]) {
    test(`slices of ${size} bytes hold the conversations of the text, between ${JSON.stringify(lineBreak)}`, async () => {
      const text = LINES.join(lineBreak);
      const slices = slicesOf(text, size);
      const found = await findInSlices(slices, '/data.jsonl', undefined, stepsOf());
      const whole = runSync(findConversations(text, '/data.jsonl', undefined));
      const withoutPlaces = ({ conversations }: typeof found) =>
        conversations.map(({ place: _, ...one }) => one);
      assert.deepEqual(withoutPlaces(found), withoutPlaces(whole));
      assert.equal(found.isSet, true);
      const [, second] = found.conversations;
      assert.equal(second?.place.kind, 'line');
      if (second?.place.kind === 'line') assert.equal(await lineIn(slices, second.place), LINES[2]);
    });
  }
}

test('bytes that are no UTF-8 are refused', async () => {
  const slices: Slices = {
    async *inOrder() {
      yield Buffer.from([0x7b, 0xff, 0x7d]);
    },
    between: async () => Buffer.alloc(0),
  };
  await assert.rejects(findInSlices(slices, '/data.jsonl', undefined, stepsOf()), {
    reason: 'not-utf8',
  });
});
