import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { language } from '../../../src/assertions/types/language.ts';
import { noRepeat } from '../../../src/assertions/types/no-repeat.ts';
import { outcomeOf, replies } from '../../support/deterministic.ts';
import { assistant } from '../../support/judging.ts';

const LONG = replies([assistant('I am here.\n'.repeat(30_000))]);

/** How often others had their turn during the work. */
async function turnsOfOthers(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let done = false;
  const ended = work.finally(() => {
    done = true;
  });
  while (!done) {
    turns += 1;
    await setImmediate();
  }
  await ended;
  return turns;
}

describe('a long reply leaves others their turn', () => {
  it('while its language is told', async () => {
    const check = () => outcomeOf(language, { language: 'en' }, LONG);
    await outcomeOf(language, { language: 'en' }, replies([assistant('Hi')]));
    assert.ok((await turnsOfOthers(check())) > 2);
  });

  it('while it is compared with others', async () => {
    assert.ok((await turnsOfOthers(outcomeOf(noRepeat, {}, LONG))) > 2);
  });
});
