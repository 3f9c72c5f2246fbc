import assert from 'node:assert/strict';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { JoinedAgreement } from '../../../src/analysis/agreement.ts';
import type { Label } from '../../../src/core/record/label.ts';
import type { CaseLine } from '../../../src/core/record/runRecord.ts';
import type { Verdict } from '../../../src/core/verdict.ts';
import { conversationHash } from '../../../src/node/hashes.ts';
import { labelsFolder } from '../../../src/node/paths.ts';
import { appendLabels } from '../../../src/store/labels.ts';
import { renameCase } from '../../../src/store/records/renameCase.ts';
import { turnlight } from '../../support/commandLine.ts';
import { buildVerdict, judgedLine, writeRun } from '../../support/comparing.ts';
import { workspaceWith } from '../../support/runs.ts';

const SUITE =
  'cases:\n  - {id: a, transcript: [{user: Hi}, {assistant: x}], assert: [{type: contains, value: x}]}\n';

function lines(fails: (id: number) => boolean, question = 'q1'): CaseLine[] {
  return Array.from({ length: 12 }, (_, id) =>
    judgedLine(`case-${id}`, [buildVerdict(fails(id) ? 0 : 1, { question })], {
      said: `Reply ${id}`,
    }),
  );
}

function labeled(line: CaseLine, status: Label['status'], given: Partial<Label> = {}): Label {
  return {
    case: line.id,
    assertion: 'Kind',
    question_hash: 'q1',
    conversation_hash: conversationHash(line.conversation),
    status,
    at: '2026-01-01T00:00:00.000Z',
    ...given,
  };
}

async function labeledFolder(t: TestContext, right = 11) {
  const folder = await workspaceWith(t, { 'suite.eval.yaml': SUITE });
  const file = join(folder, 'suite.eval.yaml');
  const run = lines((id) => id % 2 === 0);
  await appendLabels(
    file,
    'ann',
    run.map((line, id) => {
      const status = (id % 2 === 0) === id < right ? ('fail' as const) : ('pass' as const);
      return labeled(line, status, { comment: `About ${id}` });
    }),
  );
  return { folder, file, run };
}

describe('turnlight agreement', () => {
  it('shows each judge and assertion, and disagreements with file and line', async (t) => {
    const { folder, run } = await labeledFolder(t);
    await writeRun(folder, { lines: run });
    const { code, out, err } = await turnlight(folder, ['agreement']);
    assert.equal(err, '');
    assert.equal(code, 0);
    assert.match(out, /openai:judge {2}all +cases +12 +0\.92/);
    assert.match(out, /openai:judge {2}Kind +cases +12 +0\.92 +1\.00 +0\.86 +0\.83/);
    assert.match(
      out,
      /case-11, Kind {2}suite\.eval\.yaml:14: openai:judge passed, ann failed \(suite\.labels\/ann\.jsonl:12: “About 11”\)/,
    );
    const json = await turnlight(folder, ['agreement', 'suite.eval.yaml', '--format', 'json']);
    assert.deepEqual(JSON.parse(json.out).rows[1].confusion, {
      failFail: 6,
      failPass: 0,
      passFail: 1,
      passPass: 5,
    });
    const markdown = await turnlight(folder, ['agreement', '--format', 'markdown']);
    assert.match(markdown.out, /^# Agreement of judges with people\n\n\| Judge \|/);
  });

  it('fails a build below a limit, and reports an error if a measure is undefined', async (t) => {
    const { folder, run } = await labeledFolder(t, 8);
    await writeRun(folder, { lines: run });
    const low = await turnlight(folder, ['agreement', '--fail-under', 'kappa=0.7']);
    assert.equal(low.code, 1);
    assert.match(low.err, /openai:judge, Kind \(cases\): kappa 0\.33 is below 0\.70\./);
    const fine = ['--fail-under', 'kappa=0.3', '--fail-under', 'accuracy=0.6'];
    assert.equal((await turnlight(folder, ['agreement', ...fine])).code, 0);
    const alone = await turnlight(folder, ['agreement', '--fail-under', 'alpha=0.5']);
    assert.equal(alone.code, 2);
    assert.match(alone.err, /alpha can't be computed/);
    const wrong = await turnlight(folder, ['agreement', '--fail-under', 'kapa=0.5']);
    assert.equal(wrong.code, 3);
    assert.match(wrong.err, /Expected kappa, accuracy, precision, recall, or alpha/);
  });

  it('shows which threshold agrees best, in every format', async (t) => {
    const { folder, run } = await labeledFolder(t, 12);
    await writeRun(folder, { lines: run });
    const terminal = await turnlight(folder, ['agreement', '--thresholds']);
    assert.match(terminal.out, /\n0\.50 +1\.00 +1\.00 +1\.00 +1\.00 +6 +0 +0 +6 +current, best\n/);
    assert.match(
      terminal.out,
      /The threshold 0\.50 agrees best with people\. If each .* 1\.00 of all 12/,
    );
    const markdown = await turnlight(folder, ['agreement', '--thresholds', '--format', 'markdown']);
    assert.match(markdown.out, /\n## Thresholds\n\n### .*\n\n\| Threshold \|/);
    const json = await turnlight(folder, ['agreement', '--thresholds', '--format', 'json']);
    assert.equal(JSON.parse(json.out).thresholds[0].best, 0.5);
  });

  it('counts labels of a changed question, but not of an earlier text', async (t) => {
    const { folder, run, file } = await labeledFolder(t, 12);
    await writeRun(folder, { lines: lines((id) => id % 2 === 0, 'q2') });
    const [first] = run;
    assert.ok(first);
    await appendLabels(file, 'bob', [
      labeled(first, 'pass', { conversation_hash: '0'.repeat(64) }),
      labeled(first, 'pass', { conversation_hash: '1'.repeat(64), case: 'never' }),
    ]);
    const { out } = await turnlight(folder, ['agreement']);
    assert.match(out, /12 labels counted, though the question has changed since\./);
    assert.match(out, /1 label not counted: the label is for an earlier version of the text\./);
    assert.match(out, /1 label not counted: no stored run contains the conversation\./);
  });

  it('reports invalid lines and exits with 3, and reports if there are no labels', async (t) => {
    const { folder, run, file } = await labeledFolder(t);
    assert.match(
      (await turnlight(folder, ['agreement'])).out,
      /^No judged conversation has a label\. Run the files first: turnlight run\n/,
    );
    await writeRun(folder, { lines: run });
    await appendFile(join(labelsFolder(file), 'ann.jsonl'), 'what?\n');
    const { code, out, err } = await turnlight(folder, ['agreement']);
    assert.equal(code, 3);
    assert.match(err, /^suite\.labels\/ann\.jsonl:13: This line is not JSON\./);
    assert.match(out, /Kind +cases +12/);
    const empty = await workspaceWith(t, { 'suite.eval.yaml': SUITE });
    assert.match(
      (await turnlight(empty, ['agreement'])).err,
      /^These files have no labels\. To create some, run "Turnlight: Label Conversations" in VS Code\./,
    );
  });
});

describe('turnlight agreement, if cases or files share a conversation', () => {
  const greets = judgedLine('greets', [buildVerdict(1, { question: 'hello' })]);
  const ends = judgedLine('ends', [buildVerdict(0, { question: 'bye' })]);
  const suiteOf = (...ids: readonly string[]) =>
    `cases:\n${ids.map((id) => `  - {id: ${id}, transcript: [{user: Hi}, {assistant: x}], assert: [{type: contains, value: x}]}\n`).join('')}`;
  // People say that both verdicts are wrong.
  const both = [
    labeled(greets, 'fail', { question_hash: 'hello' }),
    labeled(ends, 'pass', { question_hash: 'bye', at: '2026-01-02T00:00:00.000Z' }),
  ];
  const agreed = async (folder: string) => {
    const { out, err } = await turnlight(folder, ['agreement', '--format', 'json']);
    assert.equal(err, '');
    const { rows, disagreements, unmatched } = JSON.parse(out) as JoinedAgreement;
    const judges = rows
      .filter(({ assertion }) => assertion)
      .map(({ judge, compared, accuracy }) => `${judge} ${compared} ${accuracy}`);
    return [...judges, ...disagreements.map(({ id }) => id), ...unmatched.map((one) => one.reason)];
  };

  it('compares each label with the verdict of its own case', async (t) => {
    const folder = await workspaceWith(t, { 'suite.eval.yaml': suiteOf('greets', 'ends') });
    await appendLabels(join(folder, 'suite.eval.yaml'), 'ann', both);
    await writeRun(folder, { lines: [greets, ends] });
    assert.deepEqual(await agreed(folder), ['openai:judge 2 0', 'greets', 'ends']);
    const other = { ...greets, verdicts: [buildVerdict(1, { judge: 'ollama:x' })] };
    await writeRun(folder, { lines: [{ ...other, id: 'ends' }] });
    // Another judge judged only one of them.
    const found = ['openai:judge 2 0', 'ollama:x 1 1', 'greets', 'ends'];
    assert.deepEqual(await agreed(folder), found);
  });

  it('compares no label with a case that only has the same conversation', async (t) => {
    const folder = await workspaceWith(t, { 'suite.eval.yaml': suiteOf('greets', 'ends') });
    await appendLabels(join(folder, 'suite.eval.yaml'), 'ann', both.slice(0, 1));
    await writeRun(folder, { lines: [ends] });
    assert.deepEqual(await agreed(folder), ['not-run']);
  });

  it("compares no label with another file's verdict", async (t) => {
    const folder = await workspaceWith(t, {
      'suite.eval.yaml': suiteOf('greets'),
      'other.eval.yaml': suiteOf('greets'),
    });
    const opposite = { ...greets, suite: 'other.eval.yaml', verdicts: [buildVerdict(0)] };
    await appendLabels(join(folder, 'suite.eval.yaml'), 'ann', both.slice(0, 1));
    await appendLabels(join(folder, 'other.eval.yaml'), 'ann', [labeled(greets, 'pass')]);
    await writeRun(folder, { lines: [greets, opposite] });
    assert.deepEqual(await agreed(folder), ['openai:judge 2 0', 'greets', 'greets']);
    await appendLabels(join(folder, 'suite.eval.yaml'), 'bob', [labeled(greets, 'pass')]);
    assert.deepEqual(await agreed(folder), ['openai:judge 1 0', 'greets', 'greets']);
  });

  it('compares the labels of a renamed case with the verdicts under its new name', async (t) => {
    for (const isTyped of [true, false]) {
      const folder = await workspaceWith(t, { 'suite.eval.yaml': suiteOf('greets', 'ends') });
      const file = join(folder, 'suite.eval.yaml');
      await appendLabels(file, 'ann', both);
      await writeRun(folder, { lines: [greets, ends] });
      const label = await readFile(join(labelsFolder(file), 'ann.jsonl'), 'utf8');
      await writeFile(file, suiteOf('welcomes', 'ends'));
      if (!isTyped) await renameCase({ suite: file, from: 'greets', to: 'welcomes' });
      const name = isTyped ? 'greets' : 'welcomes';
      assert.deepEqual(await agreed(folder), ['openai:judge 2 0', name, 'ends']);
      // Another judge, and then the same judge with another verdict and question.
      const judged = (verdict: Verdict) => ({ ...greets, id: 'welcomes', verdicts: [verdict] });
      const other = buildVerdict(0, { judge: 'ollama:x', question: 'hello' });
      await writeRun(folder, { lines: [judged(other)] });
      const rows = ['ollama:x 1 1', 'openai:judge 2 0'];
      assert.deepEqual((await agreed(folder)).sort(), [...rows, name, 'ends'].sort());
      const changed = buildVerdict(0, { question: 'hello!' });
      await writeRun(folder, { lines: [judged(changed), ends] });
      const better = ['ollama:x 1 1', 'openai:judge 2 0.5', 'ends'];
      assert.deepEqual((await agreed(folder)).sort(), better.sort());
      // A newer label under the new name replaces the old one.
      const at = '2026-01-03T00:00:00.000Z';
      const again = { case: 'welcomes', question_hash: 'hello', at };
      await appendLabels(file, 'ann', [labeled(greets, 'pass', again)]);
      const now = ['ollama:x 1 0', 'openai:judge 2 0', 'welcomes', 'welcomes', 'ends'];
      assert.deepEqual((await agreed(folder)).sort(), now.sort());
      const kept = await readFile(join(labelsFolder(file), 'ann.jsonl'), 'utf8');
      assert.ok(kept.startsWith(label));
    }
  });
});

describe('turnlight noise', () => {
  it('shows how often verdicts flip in all recorded runs, or in the given ones', async (t) => {
    const folder = await workspaceWith(t, { 'suite.eval.yaml': SUITE });
    assert.equal((await turnlight(folder, ['noise'])).code, 3);
    await writeRun(folder, { lines: lines(() => false) });
    const second = await writeRun(folder, { lines: lines((id) => id < 3) });
    await writeRun(folder, { lines: lines(() => false), options: { replay: 'x.jsonl' } });
    await writeRun(folder, { lines: lines(() => false), merged_from: ['x'] });
    const { code, out } = await turnlight(folder, ['noise']);
    assert.equal(code, 0);
    assert.match(
      out,
      /^openai:judge changed its verdict on 3 of 12 conversations that it judged more than once/,
    );
    assert.match(out, /openai:judge {2}Kind +12 +3 /);
    const one = await turnlight(folder, ['noise', second.id, '--format', 'markdown']);
    assert.match(one.out, /Unknown for openai.*\n.*judge \S*--no\S*-cache/);
    assert.doesNotMatch(out, /no-cache/);
    const json = await turnlight(folder, ['noise', '--format', 'json']);
    assert.equal(JSON.parse(json.out)[0].flipped, 3);
  });
});
