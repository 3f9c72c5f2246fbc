import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CaseLine } from '../../../src/core/record/runRecord.ts';
import { readRecord } from '../../../src/store/records/runRecord.ts';
import { botSuite, ECHO, runFiles } from '../../support/runs.ts';

const files = {
  'bot.mjs': ECHO,
  'suite.eval.yaml': botSuite(
    ['a', 'b', 'c']
      .map((id) => `  - {id: ${id}, turns: [Hi], assert: [{type: contains, value: Hi}]}\n`)
      .join(''),
  ),
};

describe('cases that run elsewhere', () => {
  it('are reported and recorded as they come back', async (t) => {
    const here = await runFiles(t, files);
    const [line] = here.lines as [CaseLine];
    const ran = await runFiles(t, files, {
      elsewhere: {
        atOnce: 4,
        stopped: false,
        run: async ({ ref }) => ({ ...line, ...ref, status: 'fail', score: 0 }),
      },
    });
    assert.deepEqual(
      ran.lines.map(({ id, status }) => [id, status]),
      ['a', 'b', 'c'].map((id) => [id, 'fail']),
    );
    assert.equal(ran.end.counts.fail, 3);
    assert.equal((await readRecord(ran.record ?? '')).cases.length, 3);
  });

  it('are begun no more once their cost has reached the limit', async (t) => {
    const here = await runFiles(t, files);
    const [line] = here.lines as [CaseLine];
    let stopped = false;
    const ran = await runFiles(t, files, {
      elsewhere: {
        atOnce: 1,
        get stopped() {
          return stopped;
        },
        run: async ({ ref }) => {
          stopped = true;
          return { ...line, ...ref };
        },
      },
    });
    assert.equal(ran.lines.length, 1);
    assert.equal(ran.end.stopped, 'max-cost');
  });
});
