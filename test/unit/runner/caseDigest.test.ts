import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { caseDigest, programsOf } from '../../../src/runner/caseDigest.ts';
import { suiteIn, workspaceWith } from '../../support/runs.ts';

const SUITE = `target: {type: module, path: ./agent.mjs}
cases:
  - {id: alpha, turns: [Hi], context: {source: a}, assert: [{type: script, path: ./check.mjs}]}
  - {id: beta, turns: [Hi], assert: [{type: contains, value: x}]}
`;

async function digests(t: TestContext) {
  const files = { 'suite.eval.yaml': SUITE, 'agent.mjs': 'agent', 'check.mjs': 'check' };
  const folder = await workspaceWith(t, files);
  const now = async (changed: Readonly<Record<string, string>> = {}) => {
    const written = Object.entries({ ...files, ...changed });
    for (const [name, text] of written) await writeFile(join(folder, name), text);
    const { cases } = await suiteIn(folder);
    return Promise.all(cases.map(caseDigest));
  };
  return { folder, before: await now(), now };
}

/** Which of the two cases are what they were. */
function kept(before: readonly string[], after: readonly string[]): boolean[] {
  return before.map((one, index) => one === after[index]);
}

describe('the digest of a case', () => {
  it('stays where the case moves or another one changes', async (t) => {
    const { before, now } = await digests(t);
    const moved = `# A comment\n${SUITE.replace('value: x', 'value: y')}`;
    assert.deepEqual(kept(before, await now({ 'suite.eval.yaml': moved })), [true, false]);
    const context = SUITE.replace('source: a', 'source: b');
    assert.deepEqual(kept(before, await now({ 'suite.eval.yaml': context })), [false, true]);
  });

  it('is another one where a program that it rests on is', async (t) => {
    const { before, now } = await digests(t);
    assert.deepEqual(kept(before, await now({ 'agent.mjs': 'other' })), [false, false]);
    assert.deepEqual(kept(before, await now({ 'check.mjs': 'other' })), [false, true]);
  });

  it('rests on the programs of its target and its scripts', async (t) => {
    const { folder } = await digests(t);
    const [alpha] = (await suiteIn(folder)).cases;
    assert.deepEqual(alpha && programsOf(alpha), [
      join(folder, 'agent.mjs'),
      join(folder, 'check.mjs'),
    ]);
  });
});
