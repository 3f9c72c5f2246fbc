import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { stateAssertions } from '../../../src/assertions/stateAssertions.ts';
import { type StatedAssertion, statedOf } from '../../../src/core/statedAssertion.ts';
import type { Verdict } from '../../../src/core/verdict.ts';
import { buildVerdict } from '../../support/build.ts';
import { runFiles, suiteIn, workspaceWith } from '../../support/runs.ts';

const suiteOf = (asserted: string) =>
  `cases:\n  - id: a\n    transcript: [{user: Hi}, {assistant: Hello}]\n    assert:\n${asserted}`;

const HELLO = '      - {type: contains, value: Hello}\n';

/** Verdicts of a run, and the assertions in the file after an edit. */
async function edited(t: TestContext, before: string, after: string) {
  const workspace = await workspaceWith(t, {});
  const { lines } = await runFiles(t, { 'suite.eval.yaml': suiteOf(before) }, { workspace });
  await writeFile(join(workspace, 'suite.eval.yaml'), suiteOf(after));
  const { cases } = await suiteIn(workspace);
  return { verdicts: lines[0]?.verdicts ?? [], stated: cases.flatMap(stateAssertions) };
}

function lineOf(verdict: Verdict | undefined, stated: readonly StatedAssertion[]) {
  return verdict && statedOf(verdict, stated)?.line;
}

describe('the assertion of a verdict in the current file', () => {
  it('is found if others were added before it', async (t) => {
    const others = '      - {type: starts-with, value: Hi}\n      - Be kind.\n';
    const { verdicts, stated } = await edited(t, HELLO, `${others}${HELLO}`);
    const [verdict] = verdicts;
    assert.equal(lineOf(verdict, stated), 7);
    assert.equal(verdict?.question_hash, stated[2]?.questionHash);
  });

  it('is found by its question if its key has changed', async (t) => {
    const other = '      - {type: contains, value: Bye}\n';
    const second = await edited(t, HELLO, `${other}${HELLO}`);
    assert.equal(lineOf(second.verdicts[0], second.stated), 6);
    const named = await edited(t, HELLO, '      - {type: contains, value: Hello, name: Greets}\n');
    assert.equal(lineOf(named.verdicts[0], named.stated), 5);
  });

  it("isn't found if it was removed, and is found if its question has changed", async (t) => {
    const gone = await edited(t, HELLO, '      - Be kind.\n');
    assert.equal(lineOf(gone.verdicts[0], gone.stated), undefined);
    const other = await edited(t, HELLO, '      - {type: contains, value: Bye}\n');
    assert.equal(lineOf(other.verdicts[0], other.stated), 5);
    assert.notEqual(other.verdicts[0]?.question_hash, other.stated[0]?.questionHash);
  });

  it('is found in the list of an outer assertion', async (t) => {
    const group = (inner: string) => `      - type: all-of\n        assert:\n${inner}`;
    const inside = (line: string) => line.replace(/^ {6}/, '          ');
    const kind = '          - {type: starts-with, value: Hello}\n';
    const { verdicts, stated } = await edited(
      t,
      group(inside(HELLO)),
      group(`${kind}${inside(HELLO)}`),
    );
    assert.equal(lineOf(verdicts[0]?.nested?.[0], stated[0]?.nested ?? []), 8);
  });

  it('is found by index, type, and name in records of version 1', async (t) => {
    const { stated } = await edited(t, HELLO, HELLO);
    const old = { type: 'contains', name: 'contains', status: 'pass', score: 1 } as const;
    assert.equal(lineOf(buildVerdict(old), stated), 5);
    assert.equal(lineOf(buildVerdict({ ...old, index: 1 }), stated), undefined);
    assert.equal(lineOf(buildVerdict({ ...old, name: 'Other' }), stated), undefined);
  });
});
