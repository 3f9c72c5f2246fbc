import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  chosen,
  inAssert,
  itemsAt,
  labelsAt,
  SNIPPETS,
} from '../../../support/language/completing.ts';

describe('completion of keys', () => {
  it("offers the keys of the file that it doesn't have", async () => {
    const labels = await labelsAt('name: x\n|');
    assert.ok(labels.includes('cases') && labels.includes('models'));
    assert.ok(!labels.includes('name'));
    assert.ok((await labelsAt('|')).includes('name'), 'also in an empty file');
  });

  it('offers the keys of a case at the end of an incomplete text', async () => {
    const labels = await labelsAt('cases:\n  - id: a\n    th|\n    assert: [');
    assert.ok(labels.includes('threshold') && labels.includes('transcript'));
    assert.ok(!labels.includes('id'));
  });

  it('offers required keys first, then in the order of the format', async () => {
    const labels = await labelsAt(inAssert('      - type: contains\n        |\n'));
    assert.deepEqual(labels.slice(0, 2), ['value', 'ignore_case']);
    assert.equal((await labelsAt('cases:\n  - |'))[0], 'id');
  });

  it("offers the keys of the assertion's own type", async () => {
    const labels = await labelsAt(inAssert('      - type: tool-called\n        |\n'));
    assert.ok(labels.includes('times') && labels.includes('required'));
    assert.ok(!labels.includes('guidelines') && !labels.includes('judge'));
  });

  it('offers the shared keys before the kind is known', async () => {
    const labels = await labelsAt(inAssert('      - weight: 2\n        |\n'));
    assert.equal(labels[0], 'type');
    assert.ok(labels.includes('at') && !labels.includes('pattern'), labels.join());
  });

  it('offers keys inside braces, even unclosed ones', async () => {
    const labels = await labelsAt(inAssert('      - {type: contains, |}\n'));
    assert.ok(labels.includes('value') && !labels.includes('type'), labels.join());
    assert.ok((await labelsAt(inAssert('      - {type: contains, |\n'))).includes('value'));
  });

  it('replaces the whole key, and keeps its colon and value', async () => {
    // The cursor is in a key that has a value.
    const marked = 'cases:\n  - id: a\n    thr|old: 0.5\n';
    assert.match(await chosen(marked, 'threshold'), /\n {4}threshold: 0\.5\n/);
    assert.match(
      await chosen('cases:\n  - {"i|": a}\n', 'id'),
      /\{"id": a\}/,
      'also within its quotes',
    );
  });

  it('starts lists and mappings as snippets if the client supports them', async () => {
    const marked = 'cases:\n  - id: a\n    |';
    assert.match(await chosen(marked, 'assert', SNIPPETS), /\n {4}assert:\n {6}- \$1$/);
    assert.match(await chosen(marked, 'context', SNIPPETS), /\n {4}context:\n {6}\$1$/);
    assert.match(await chosen(marked, 'assert'), /\n {4}assert: $/);
    assert.match(await chosen('cases:\n  - {id: a, |}', 'assert', SNIPPETS), /assert: \[\$1\]\}$/);
  });

  it('opens the next completions only if there are any', async () => {
    const next = async (marked: string, context = SNIPPETS) =>
      (await itemsAt(marked, context)).filter(({ command }) => command).map(({ label }) => label);
    const ofCase = await next('cases:\n  - id: a\n    |');
    assert.ok(['assert', 'turns', 'transcript', 'aggregate'].every((key) => ofCase.includes(key)));
    assert.ok(['description', 'tags', 'threshold'].every((key) => !ofCase.includes(key)));
    assert.ok((await next('|')).includes('cases'));
    assert.ok((await next(inAssert('      - |\n'))).includes('type'));
    assert.deepEqual(await next('|', {}), [], 'not in other editors');
    assert.ok(!(await next('cases:\n  - id: a\n    asse|rt: x\n')).includes('assert'));
  });

  it('starts a new item of a list', async () => {
    assert.match(await chosen('cases:\n  - |\n', 'id'), /\n {2}- id: \n/);
    assert.ok((await labelsAt('cases:\n  - id: a\n    transcript:\n      - |')).includes('user'));
    assert.ok((await labelsAt('cases:\n  - id: a\n    turns:\n      - us|')).includes('user'));
    assert.ok((await labelsAt('defaults:\n  |\ncases: []\n')).includes('tags'));
  });

  it('documents each key', async () => {
    for (const { documentation, kind, sortText, label } of await itemsAt('cases:\n  - |')) {
      assert.equal(kind, 10, label);
      assert.ok(sortText);
      // This is Markdown, since it contains `code`.
      assert.ok(typeof documentation === 'object' && documentation.kind === 'markdown', label);
      assert.ok(documentation.value !== '' && !documentation.value.includes('\n'), label);
    }
  });

  it('offers tools as the keys of scripted results', async () => {
    const target = (line: string) =>
      `targets:\n  bot:\n    type: chat\n    model: openai:x\n    tool_results:\n      book: done\n      ${line}\ntools:\n  - name: book\n  - name: lookup_order\n`;
    assert.deepEqual(await labelsAt(target('|')), ['lookup_order']);
    assert.match(await chosen(target('|'), 'lookup_order'), /\n {6}lookup_order: \n/);
  });
});
