import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { nodeFiles } from '../../../src/evalfile/nodeFiles.ts';
import { inlayHints } from '../../../src/language/features/inlayHints.ts';
import { verdictMarks } from '../../../src/language/features/verdictMarks.ts';
import { hover } from '../../../src/language/hover/hover.ts';
import { createSuiteIndex, createWorkspace } from '../../../src/server/workspace.ts';
import { botSuite, ECHO, putFiles, runFiles } from '../../support/runs.ts';

type Files = Readonly<Record<string, string>>;

const SUITE = 'suite.eval.yaml';
const ALL = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };
const CHECK = 'assert: [{type: contains, value: x, at: each}]';

function talk(text: string, id?: string): string {
  const messages = [{ user: text }, { assistant: text }];
  return `${JSON.stringify(id === undefined ? messages : { id, messages })}\n`;
}

/** Runs a folder's only case. `said` returns what the editor shows about it. */
async function ran(t: TestContext, files: Files, disk = nodeFiles()) {
  const { workspace } = await runFiles(t, { 'bot.mjs': ECHO, ...files });
  const path = join(workspace, SUITE);
  const server = createWorkspace(
    () => [],
    disk,
    createSuiteIndex(() => {}),
  );
  server.setFolders([workspace]);
  return {
    workspace,
    put: async (changed: Files) => {
      await putFiles(workspace, changed);
      for (const name of Object.keys(changed)) server.invalidateUsersOf(join(workspace, name));
    },
    async said() {
      const document = await server.documentAt(path);
      assert.ok(document);
      const [found] = document.suite.outline;
      assert.ok(found, JSON.stringify(document.suite.problems));
      const settings = { turnNumbers: false, scores: true };
      const hints = await inlayHints(document, ALL, server, settings);
      const position = found.nameRange.start;
      const shown = await hover(document, position, server);
      return {
        hints: hints.map(({ label }) => String(label)),
        marks: (await verdictMarks(document, server)).map(({ stale }) => stale),
        hover: JSON.stringify(shown?.contents),
      };
    },
  };
}

describe('the last result of a case', () => {
  const changes: Readonly<Record<string, [suite: string, before: Files, after: Files]>> = {
    'the file of its history': [
      botSuite(`  - {id: a, history: ./h.json, turns: [x], ${CHECK}}\n`),
      { 'h.json': talk('x') },
      { 'h.json': talk('xx') },
    ],
    "its target's module": [
      botSuite(`  - {id: a, turns: [x], ${CHECK}}\n`),
      {},
      { 'bot.mjs': `${ECHO}// another\n` },
    ],
    'its target in the file': [
      `targets:\n  bot: {type: module, path: ./bot.mjs}\ntarget: bot\ncases:\n  - {id: a, turns: [x], ${CHECK}}\n`,
      {},
      {
        [SUITE]: `targets:\n  bot: {type: module, path: ./bot.mjs, system: Hi}\ntarget: bot\ncases:\n  - {id: a, turns: [x], ${CHECK}}\n`,
      },
    ],
    'a threshold for all cases': [
      botSuite(`  - {id: a, turns: [x], ${CHECK}}\n`),
      {},
      { [SUITE]: botSuite(`  - {id: a, turns: [x], ${CHECK}}\n`, 'defaults: {threshold: 0.9}\n') },
    ],
  };
  for (const [what, [suite, before, after]] of Object.entries(changes)) {
    it(`is stale in all features once ${what} has changed`, async (t) => {
      const { put, said } = await ran(t, { [SUITE]: suite, ...before });
      const first = await said();
      assert.ok(first.marks.length > 0 && first.hints.length > 0);
      assert.ok(first.marks.every((stale) => !stale));
      assert.doesNotMatch(JSON.stringify(first), /stale\)|changed since/);
      await put(after);
      const then = await said();
      assert.ok(then.marks.every(Boolean), JSON.stringify(then));
      assert.ok(then.hints.every((label) => label.endsWith('(stale)')));
      assert.match(then.hover, /changed since this run/);
      await put({ 'bot.mjs': ECHO, [SUITE]: suite, ...before });
      assert.deepEqual(await said(), first);
    });
  }

  it('is stale once the file of its transcript has changed', async (t) => {
    const suite = `cases:\n  - {id: a, transcript: ./t.json, ${CHECK}}\n`;
    const { put, said } = await ran(t, { [SUITE]: suite, 't.json': talk('x') });
    assert.doesNotMatch((await said()).hover, /changed since/);
    await put({ 't.json': talk('xx') });
    assert.match((await said()).hover, /The inputs of the case have changed since this run/);
  });

  it('is stale once its judge prompt has changed', async (t) => {
    const judge = 'judge: {provider: replay, model: m, path: ./r.jsonl}\n';
    const check = 'assert: [{type: llm-judge, prompt: ./p.md}]';
    const suite = `${judge}cases:\n  - {id: a, transcript: [{user: x}, {assistant: x}], ${check}}\n`;
    const files = { [SUITE]: suite, 'r.jsonl': '', 'p.md': 'Is it kind?' };
    const { put, said } = await ran(t, files);
    assert.doesNotMatch((await said()).hover, /changed since/);
    await put({ 'p.md': 'Is it short?' });
    assert.match((await said()).hover, /The assertions of the case have changed since this run/);
  });

  it("isn't stale if its case only moved", async (t) => {
    const cases = `  - {id: a, turns: [x], ${CHECK}}\n`;
    const { put, said } = await ran(t, { [SUITE]: botSuite(cases) });
    const first = await said();
    await put({ [SUITE]: botSuite(cases, '# A remark\n\n') });
    assert.deepEqual(await said(), first);
  });
});

describe("the last results of a case's variants", () => {
  const SET = `cases:\n  - {id: a, transcripts: ./set.jsonl, ${CHECK}}\n`;
  const three = [talk('x', 'one'), talk('y', 'two'), talk('x', 'three')];

  it('are stale once one of them has changed, even one that passed', async (t) => {
    const { put, said } = await ran(t, { [SUITE]: SET, 'set.jsonl': three.join('') });
    assert.deepEqual((await said()).hints, ['✗ 2 of 3 passed']);
    await put({ 'set.jsonl': [three[0], three[1], talk('xx', 'three')].join('') });
    const then = await said();
    assert.deepEqual(then.hints, ['✗ 2 of 3 passed (stale)']);
    assert.match(then.hover, /The inputs of the case have changed/);
  });

  it("aren't stale if one of them can't be read, but are once that is fixed", async (t) => {
    const broken = [three[0], '{"messages": [\n'];
    const { put, said } = await ran(t, { [SUITE]: SET, 'set.jsonl': broken.join('') });
    const { hints, hover: shown } = await said();
    assert.deepEqual(hints, ['⚠ 1 of 2 passed']);
    assert.doesNotMatch(shown, /changed since/);
    await put({
      'set.jsonl': [three[0], talk('x').replace('[', '{"messages":[').replace(']', ']}')].join(''),
    });
    const then = await said();
    assert.deepEqual(then.hints, ['⚠ 1 of 2 passed (stale)']);
    assert.match(then.hover, /changed since/);
  });

  it("don't count one that was removed", async (t) => {
    const { put, said } = await ran(t, { [SUITE]: SET, 'set.jsonl': three.join('') });
    await put({ 'set.jsonl': [three[0], three[2]].join('') });
    const then = await said();
    assert.deepEqual(then.hints, ['✓ 2 of 2 passed']);
    assert.doesNotMatch(then.hover, /two|changed/);
  });

  it('stay while their file is missing', async (t) => {
    const { put, said, workspace } = await ran(t, { [SUITE]: SET, 'set.jsonl': three.join('') });
    await rm(join(workspace, 'set.jsonl'));
    await put({ [SUITE]: `# A remark\n${SET}` });
    assert.deepEqual((await said()).hints, ['✗ 2 of 3 passed']);
  });

  it('cover the rows of a table', async (t) => {
    const cases = `  - {id: a, matrix: ./rows.csv, turns: ["{{say}}"], ${CHECK}}\n`;
    const files = { [SUITE]: botSuite(cases), 'rows.csv': 'id,say\none,x\ntwo,y\n' };
    const { put, said } = await ran(t, files);
    assert.deepEqual((await said()).hints.slice(0, 1), ['✗ 1 of 2 passed']);
    await put({ 'rows.csv': 'id,say\none,xx\ntwo,y\n' });
    assert.deepEqual((await said()).hints.slice(0, 1), ['✗ 1 of 2 passed (stale)']);
    await put({ 'rows.csv': 'id,say\none,x\n' });
    const { hints, marks } = await said();
    assert.deepEqual(hints.slice(0, 1), ['✓ 1 of 1 passed']);
    assert.deepEqual(marks, [false]);
  });

  it('need their file to be read again only if it has changed', async (t) => {
    let reads = 0;
    const disk = nodeFiles();
    const slices: typeof disk.slices = async (...given) => {
      reads += 1;
      return disk.slices?.(...given);
    };
    const files = { [SUITE]: SET, 'set.jsonl': three.join('') };
    const { put, said } = await ran(t, files, { ...disk, slices });
    const first = await said();
    const once = reads;
    assert.ok(once > 0);
    assert.deepEqual(await said(), first);
    await put({ [SUITE]: `# A remark\n${SET}` });
    await said();
    assert.equal(reads, once);
    await put({ 'set.jsonl': three.slice(1).join('') });
    await said();
    assert.ok(reads > once);
  });
});
