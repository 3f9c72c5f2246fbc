import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import {
  appendFile,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { LIMITS } from '../../../src/core/limits.ts';
import { VALIDITY_WORDS } from '../../../src/core/presentation/words.ts';
import { type Label, validityOf } from '../../../src/core/record/label.ts';
import { Scrubber } from '../../../src/core/scrubber.ts';
import { conversationHash } from '../../../src/node/hashes.ts';
import { labelsFolder, personName } from '../../../src/node/paths.ts';
import {
  appendLabels,
  readLabeledConversation,
  readLabels,
  removeLabels,
  saveLabeledConversation,
} from '../../../src/store/labels.ts';
import { renameCase } from '../../../src/store/records/renameCase.ts';
import { talk } from '../../support/buildRun.ts';
import { workspaceWith } from '../../support/runs.ts';

const FACTS = { topics: [], tools: [], expectations: {}, context: {} };
const HASH = conversationHash(talk('Hi', 'Hello'));

function label(given: Partial<Label> = {}): Label {
  return {
    case: 'refund',
    assertion: 'Kind',
    conversation_hash: HASH,
    status: 'fail',
    at: '2026-01-01T00:00:00.000Z',
    ...given,
  };
}

async function evalFileIn(t: TestContext): Promise<{ folder: string; file: string }> {
  const folder = await workspaceWith(t, {});
  return { folder, file: join(folder, 'shop.eval.yaml') };
}

const texts = (labels: readonly (Label & { person: string; line: number })[]) =>
  labels.map(({ person, line, status, turn }) => `${person}:${line} ${status} ${turn ?? 'all'}`);

describe('labels next to an eval file', () => {
  it('reads the last label of each person per subject, with file and line', async (t) => {
    const { file } = await evalFileIn(t);
    assert.deepEqual(await readLabels(file), { labels: [], problems: [] });
    const later = { at: '2026-01-02T00:00:00.000Z' };
    await appendLabels(file, 'ann@example.com', [label(), label({ turn: 2 })]);
    await appendLabels(file, 'bob', [label({ status: 'pass' })]);
    assert.equal(await appendLabels(file, 'bob', [label({ status: 'skipped', ...later })]), 1);
    assert.equal(await appendLabels(file, 'bob', [label({ status: 'skipped', ...later })]), 0);
    const { labels, problems } = await readLabels(file);
    assert.deepEqual(problems, []);
    assert.deepEqual(texts(labels), [
      'ann@example.com:1 fail all',
      'ann@example.com:2 fail 2',
      'bob:2 skipped all',
    ]);
    assert.equal(labels[2]?.path, join(labelsFolder(file), 'bob.jsonl'));
    // After a merge, the later label can come first.
    const lines = [label({ status: 'pass', ...later }), label()];
    await writeFile(
      join(labelsFolder(file), 'cy.jsonl'),
      lines.map((one) => JSON.stringify(one)).join('\r\n'),
    );
    assert.ok(texts((await readLabels(file)).labels).includes('cy:1 pass all'));
  });

  it('reports invalid lines with file, line, and what to do, and keeps the others', async (t) => {
    const { file } = await evalFileIn(t);
    await appendLabels(file, 'ann', [label()]);
    const path = join(labelsFolder(file), 'ann.jsonl');
    const bad = [
      '<<<<<<< HEAD',
      '{"case": "refund"}',
      JSON.stringify({ ...label(), status: 'error' }),
    ];
    await appendFile(path, `${bad.join('\n')}\n{"torn`);
    await appendLabels(file, 'ann', [label({ turn: 4 })]);
    await symlink('/etc/hostname', join(labelsFolder(file), 'link.jsonl'));
    const { labels, problems } = await readLabels(file);
    assert.deepEqual(texts(labels), ['ann:1 fail all', 'ann:6 fail 4']);
    assert.deepEqual(
      problems.map(({ line }) => line),
      [2, 3, 4, 5, undefined],
    );
    assert.equal(problems[0]?.path, path);
    assert.match(problems[0]?.message ?? '', /not JSON.*remove it.*git conflicts/);
    assert.match(problems[1]?.message ?? '', /`assertion` is wrong/);
    assert.match(problems[2]?.message ?? '', /`status` is wrong/);
    assert.match(problems[4]?.message ?? '', /is a symbolic link/);
  });

  it('replaces a label without a valid time by the next one, and reports it', async (t) => {
    const { file } = await evalFileIn(t);
    const wrong = ['', 'garbage', '2026-01-40T00:00:00Z', '9999-12-31T23:59:59.999Z'];
    for (const [index, at] of wrong.entries()) {
      await appendLabels(file, `p${index}`, [label({ status: 'pass', at }), label()]);
    }
    const { labels, problems } = await readLabels(file);
    assert.deepEqual(
      texts(labels),
      wrong.map((_at, index) => `p${index}:2 fail all`),
    );
    assert.deepEqual(
      problems.map(({ line }) => line),
      wrong.map(() => 1),
    );
    assert.match(problems[0]?.message ?? '', /`at` is not a time in the past.*Correct the time/);
  });

  it('keeps every label without a valid time, and compares the times of the others', async (t) => {
    const { file } = await evalFileIn(t);
    const many = Array.from({ length: 600 }, (_, turn) => label({ turn: turn + 1, at: 'x' }));
    await appendLabels(file, 'ann', many);
    const [older, newer] = ['2026-01-01T00:00:00Z', '2026-01-01T01:00:00.5+00:30'];
    await appendLabels(file, 'bob', [
      label({ at: newer }),
      label({ at: 'x', status: 'skipped' }),
      label({ at: older, status: 'pass' }),
    ]);
    assert.equal(await appendLabels(file, 'bob', [label({ at: '2026-01-01T00:30:00.500Z' })]), 0);
    const { labels, problems } = await readLabels(file);
    assert.equal(problems.length, 500);
    assert.equal(labels.length, 601);
    assert.deepEqual(texts(labels.slice(-1)), ['bob:2 skipped all']);
  });

  it('reads no million bad lines: it says what to do', async (t) => {
    const { file } = await evalFileIn(t);
    await appendLabels(file, 'bob', [label()]);
    await appendFile(join(labelsFolder(file), 'bob.jsonl'), 'x\n'.repeat(1_000_000));
    const wrong = /It has 500 or more lines that are not labels\. Fix or remove them\./;
    const parse = t.mock.method(JSON, 'parse');
    await assert.rejects(appendLabels(file, 'bob', [label({ turn: 2 })]), wrong);
    await assert.rejects(
      removeLabels(file, 'bob', () => true),
      wrong,
    );
    assert.equal((await readLabels(file)).problems.length, 500);
    assert.ok(parse.mock.callCount() < 300_000, `${parse.mock.callCount()} lines`);
  });

  it('writes no label that is too large to be read again, and says so', async (t) => {
    const { file } = await evalFileIn(t);
    const large = label({ comment: 'é'.repeat(LIMITS.recordLine / 2) });
    const left = { reason: 'too-large', added: 2, message: /ann\.jsonl: left out 1 label\. / };
    await assert.rejects(appendLabels(file, 'ann', [label(), large, label({ turn: 2 })]), left);
    assert.deepEqual(texts((await readLabels(file)).labels), ['ann:1 fail all', 'ann:2 fail 2']);
    const path = join(labelsFolder(file), 'bob.jsonl');
    const line = JSON.stringify(label());
    await writeFile(path, '');
    await truncate(path, LIMITS.labels - line.length - 2);
    await assert.rejects(appendLabels(file, 'bob', [label({ turn: 2 }), label()]), {
      reason: 'too-large',
      added: 1,
    });
    assert.equal((await stat(path)).size, LIMITS.labels);
    assert.ok(texts((await readLabels(file)).labels).includes('bob:2 fail all'));
  });

  it('stores a whole conversation once, the same on every machine', async (t) => {
    const { file } = await evalFileIn(t);
    const conversation = talk('Hi', 'Hello');
    const [first] = conversation.entries;
    if (first?.kind === 'turn') Object.assign(first, { latency: 12, fromCache: true });
    assert.equal(await saveLabeledConversation(file, { conversation, facts: FACTS }), HASH);
    const path = join(labelsFolder(file), 'conversations', `${HASH}.json`);
    const text = await readFile(path, 'utf8');
    assert.doesNotMatch(text, /latency|fromCache|source/);
    assert.equal((await readLabeledConversation(file, HASH))?.conversation.entries.length, 2);
    const { tools, topics, context, expectations } = FACTS;
    await saveLabeledConversation(file, {
      facts: { context, tools, expectations, topics },
      conversation,
    });
    assert.equal(await readFile(path, 'utf8'), text);
    assert.deepEqual(await readdir(join(labelsFolder(file), 'conversations')), [`${HASH}.json`]);
    // An incomplete file, or one with another conversation, is rewritten.
    for (const broken of [text.slice(0, 40), text.replace('Hello', 'Bye')]) {
      await writeFile(path, broken);
      assert.equal(await readLabeledConversation(file, HASH), undefined);
      await saveLabeledConversation(file, { conversation, facts: FACTS });
      assert.equal(await readFile(path, 'utf8'), text);
    }
  });

  it('stores no conversation that is too large to be read again', async (t) => {
    const { file } = await evalFileIn(t);
    const conversation = talk('Hi', 'x'.repeat(LIMITS.transcript));
    await assert.rejects(saveLabeledConversation(file, { conversation, facts: FACTS }), {
      name: 'UnwritableError',
      message: /the conversation has more than 20,000,000 bytes\.$/,
    });
  });

  it('reads no file outside of its folder, whatever a label contains', async (t) => {
    const { folder, file } = await evalFileIn(t);
    const conversation = { entries: [], notes: [] };
    await writeFile(join(folder, 'other.json'), JSON.stringify({ conversation, facts: {} }));
    assert.equal(await readLabeledConversation(file, '../../other'), undefined);
  });

  it('removes labels of a person, and nothing else', async (t) => {
    const { file } = await evalFileIn(t);
    const isAll = ({ turn }: Label) => turn === undefined;
    assert.deepEqual(await removeLabels(file, 'ann', isAll), []);
    await appendLabels(file, 'ann', [label(), label({ turn: 2 })]);
    await appendLabels(file, 'bob', [label()]);
    const path = join(labelsFolder(file), 'ann.jsonl');
    await appendFile(path, '<<<<<<< HEAD\n{"torn');
    assert.deepEqual(await removeLabels(file, 'ann', isAll), [label()]);
    assert.match(await readFile(path, 'utf8'), /^\{[^\n]*"turn":2[^\n]*\}\n<<<<<<< HEAD\n\{"torn$/);
    assert.deepEqual(texts((await readLabels(file)).labels), ['ann:1 fail 2', 'bob:1 fail all']);
    await symlink('/etc/hostname', join(labelsFolder(file), 'link.jsonl'));
    await assert.rejects(removeLabels(file, 'link', isAll), /symbolic link/);
  });

  it('loses no label that another process adds while labels are removed', async (t) => {
    const { file } = await evalFileIn(t);
    const store = new URL('../../../src/store/labels.ts', import.meta.url).href;
    const add = `import { appendLabels } from '${store}';
      for (let turn = 1; turn <= 40; turn += 1) {
        const label = { ...${JSON.stringify(label())}, turn };
        await appendLabels(${JSON.stringify(file)}, 'ann', [label]);
      }`;
    const adding = promisify(execFile)(process.execPath, ['--input-type=module', '-e', add]);
    let isAdding = true;
    const added = adding.finally(() => {
      isAdding = false;
    });
    while (isAdding) {
      await appendLabels(file, 'ann', [label({ case: 'other' })]);
      await removeLabels(file, 'ann', (one) => one.case === 'other');
      await new Promise((done) => setTimeout(done, 5));
    }
    await added;
    const { labels } = await readLabels(file);
    assert.deepEqual(labels.length, 40);
  });

  it("doesn't change if a case is renamed", async (t) => {
    const { file } = await evalFileIn(t);
    await appendLabels(file, 'ann', [label(), label({ case: 'other', turn: 2 })]);
    const path = join(labelsFolder(file), 'ann.jsonl');
    const before = await readFile(path, 'utf8');
    await renameCase({ suite: file, from: 'refund', to: 'money-back' });
    assert.equal(await readFile(path, 'utf8'), before);
  });

  it('keeps the labels of two cases with the same conversation', async (t) => {
    const { file } = await evalFileIn(t);
    const later = { at: '2026-01-02T00:00:00.000Z' };
    await appendLabels(file, 'ann', [
      label(),
      label({ case: 'other', status: 'pass', ...later }),
      label({ variant: 'short', status: 'skipped' }),
    ]);
    const { labels } = await readLabels(file);
    assert.deepEqual(texts(labels), ['ann:1 fail all', 'ann:2 pass all', 'ann:3 skipped all']);
  });

  it('detects an edit of another turn, and another question', () => {
    const own = label({ turn: 2, question_hash: 'q1' });
    const edited = conversationHash(talk('Hi there', 'Hello'));
    assert.equal(validityOf(own, { conversation: edited, question: 'q1' }), 'earlier-text');
    assert.equal(VALIDITY_WORDS['earlier-text'], 'the label is for an earlier version of the text');
    assert.equal(validityOf(own, { conversation: HASH, question: 'q2' }), 'other-question');
    assert.equal(validityOf(own, { conversation: HASH, question: 'q1' }), 'current');
    assert.equal(validityOf(label(), { conversation: HASH, question: 'q2' }), 'current');
  });

  it('merges labels of two people on two branches in git, without a conflict, even if one renames the case', async (t) => {
    const { folder, file } = await evalFileIn(t);
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], {
        cwd: folder,
        encoding: 'utf8',
        stdio: 'pipe',
      });
    const commit = (message: string) => {
      git('add', '.');
      git('commit', '-qm', message);
    };
    git('init', '-q', '-b', 'main');
    await appendLabels(file, 'ann', [label({ turn: 1 })]);
    await appendLabels(file, 'bob', [label({ turn: 1 })]);
    commit('First');
    const byPerson = { ann: 'Hi', bob: 'Hi' };
    for (const person of Object.keys(byPerson)) {
      git('checkout', '-q', '-b', person, 'main');
      const conversation = talk('Hi', 'Hello');
      const [turn] = conversation.entries;
      if (turn?.kind === 'turn') turn.latency = person.length + Math.random();
      await saveLabeledConversation(file, { conversation, facts: FACTS });
      if (person === 'ann') await renameCase({ suite: file, from: 'refund', to: 'money-back' });
      await appendLabels(file, person, [label({ status: person === 'ann' ? 'pass' : 'fail' })]);
      commit(person);
    }
    git('merge', '-q', '--no-edit', 'ann');
    const { labels, problems } = await readLabels(file);
    assert.deepEqual(problems, []);
    assert.deepEqual(texts(labels), [
      'ann:1 fail 1',
      'ann:2 pass all',
      'bob:1 fail 1',
      'bob:2 fail all',
    ]);
    assert.ok(await readLabeledConversation(file, HASH));
  });

  it('names files after people, and hides secrets in comments', async (t) => {
    const { file } = await evalFileIn(t);
    assert.equal(personName('ann@example.com'), 'ann@example.com');
    assert.equal(personName('../../etc/passwd'), 'etc-passwd');
    assert.equal(personName('…'), 'someone');
    const scrubber = new Scrubber({ API_KEY: 'sk-0123456789' });
    await appendLabels(file, '../up', [label({ comment: 'It says sk-0123456789' })], scrubber);
    assert.match((await readLabels(file)).labels[0]?.comment ?? '', /\[hidden: API_KEY\]/);
    await mkdir(join(labelsFolder(file), 'sub.jsonl'));
    assert.equal((await readLabels(file)).problems.length, 1);
  });
});
