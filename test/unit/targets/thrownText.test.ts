import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { thrownText } from '../../../src/targets/programs/thrownText.ts';

function thrownAt(place: string): string {
  const error = new Error('No such order');
  error.stack = `Error: No such order\n    at reply (${place}:5:28)`;
  return thrownText(error);
}

describe('the text of what a program threw', () => {
  it('has paths that lead to the line', () => {
    assert.match(thrownAt('file:///shop/a%20b.mjs'), /at reply \(\/shop\/a b\.mjs:5:28\)/);
  });

  it('keeps addresses that are no path of this machine', () => {
    for (const address of ['file://elsewhere/bot.mjs', 'file:///shop%2Fbot.mjs', 'file://[']) {
      assert.ok(thrownAt(address).includes(`at reply (${address}:5:28)`), address);
    }
  });
});
