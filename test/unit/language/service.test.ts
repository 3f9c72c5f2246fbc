import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { describe, it } from 'node:test';
import { WorkLimitError } from '../../../src/core/errors.ts';
import { LIMITS } from '../../../src/core/limits.ts';
import type { Files } from '../../../src/evalfile/files.ts';
import { loadSuite } from '../../../src/evalfile/load.ts';
import { isEvalFile } from '../../../src/node/paths.ts';
import { memoryFiles, WORKSPACE } from '../../support/evalFiles.ts';
import { cursor } from '../../support/language/cursor.ts';
import { serviceOver } from '../../support/language/languageService.ts';
import { growth } from '../../support/work.ts';

const CASE = 'cases:\n  - id: one\n    transcript: [{user: Hi}, {assistant: Hello}]\n';
const SUITE = `models: {fast: "openai:j"}\njudge: fast\ninclude: [more.yaml]\n${CASE}    assert:\n      - {type: llm-judge, prompt: ./p.md}\n`;
const at = (name: string) => `${WORKSPACE}/${name}`;

/** A workspace's files by name. `onRead` is called for every file that is read. */
function filesOf(texts: Readonly<Record<string, string>>, onRead = (_name: string) => {}): Files {
  const entries = Object.entries(texts).map(([name, text]) => [at(name), text]);
  const memory = memoryFiles(Object.fromEntries(entries));
  return {
    ...memory,
    glob: async () => Object.keys(texts).map(at).filter(isEvalFile),
    read(path, maxBytes) {
      onRead(basename(path));
      return memory.read(path, maxBytes);
    },
  };
}

const waited = () => new AbortController().signal;

describe('the language service', () => {
  const texts = {
    'a.eval.yaml': SUITE,
    'more.yaml': CASE.replace('one', 'two'),
    'p.md': '---\nmodel: fast\n---\nOf {{conversation}}',
    'talk.messages.json': '[{"role": "user", "content": "Hi"}]',
    'other.md': '---\nmodel: fast\n---\nOf {{conversation}}',
  };
  const offered = async (name: string, marked: string) => {
    const { service, workspace, type } = serviceOver(filesOf(texts));
    await workspace.check(at('a.eval.yaml'));
    const { text, position } = cursor(marked);
    type(at(name), text);
    const params = { textDocument: { uri: `file://${at(name)}` }, position };
    const items = await service.request('completion', params, waited());
    return items?.map(({ label }) => label) ?? [];
  };

  for (const [what, name, marked, label] of [
    ['an eval file by its name', 'b.eval.yaml', 'models: {slow: "openai:j"}\njudge: s|\n', 'slow'],
    ['a file of messages by its name', 'talk.messages.json', '[{"role": "us|"}]', 'user'],
    ['a judge prompt that a suite uses', 'p.md', '---\nmodel: f|\n---\n', 'fast'],
    ['a file of cases that a suite includes', 'more.yaml', `${CASE}    judge: f|\n`, 'fast'],
  ] as const) {
    it(`serves ${what}`, async () => {
      assert.ok((await offered(name, marked)).includes(label));
    });
  }

  it('returns nothing for other files', async () => {
    assert.deepEqual(await offered('other.md', '---\nmodel: f|\n---\n'), []);
    assert.deepEqual(await offered('other.yaml', `${CASE}    judge: f|\n`), []);
  });
});

describe('references over many files', () => {
  const names = Array.from({ length: 60 }, (_, index) => `${index}.eval.yaml`);
  const suite = 'models: {fast: "openai:j"}\njudge: fast\ninclude: [more.yaml]\n';
  const own = (name: string) =>
    `${suite}cases: [{id: "${name}", transcript: ./talk.json, assert: [x]}]\n`;
  const texts = {
    ...Object.fromEntries(names.map((name) => [name, own(name)])),
    'talk.json': '[{"user": "Hi"}, {"assistant": "Hello"}]',
    'more.yaml': CASE.replace('transcript', 'judge: fast\n    transcript'),
  };
  const params = {
    textDocument: { uri: `file://${at('0.eval.yaml')}` },
    position: { line: 1, character: 8 },
    context: { includeDeclaration: true },
  };

  it('parse no checked file again', async () => {
    const read: string[] = [];
    const { service, workspace } = serviceOver(filesOf(texts, (name) => read.push(name)));
    for (const name of names) await workspace.check(at(name));
    read.length = 0;
    const found = await service.request('references', params, waited());
    assert.equal(found?.length, 2 * names.length + 1);
    assert.ok(!read.includes('talk.json'));
    assert.equal(read.filter(isEvalFile).length, names.length);
  });

  it('follow changes on the disk', async () => {
    const { service, workspace, type } = serviceOver(filesOf(texts));
    for (const name of names) await workspace.check(at(name));
    type(at('7.eval.yaml'), own('7.eval.yaml').replace('judge: fast', 'judge: "openai:x"'));
    workspace.invalidateUsersOf(at('7.eval.yaml'));
    const found = await service.request('references', params, waited());
    assert.equal(found?.length, 2 * names.length);
  });
});

describe('abandoned work', () => {
  it('stops searching the remaining files for references', async () => {
    const names = Array.from({ length: 9 }, (_, index) => `${index}.eval.yaml`);
    const read: string[] = [];
    const unwanted = new AbortController();
    const files = filesOf(Object.fromEntries(names.map((name) => [name, SUITE])), (name) => {
      if (isEvalFile(name)) read.push(name);
      if (name === '2.eval.yaml') unwanted.abort();
    });
    const { service } = serviceOver(files);
    const params = {
      textDocument: { uri: `file://${at('0.eval.yaml')}` },
      position: { line: 1, character: 8 },
      context: { includeDeclaration: true },
    };
    await assert.rejects(service.request('references', params, unwanted.signal), /aborted/);
    assert.deepEqual(read, ['0.eval.yaml', '1.eval.yaml', '2.eval.yaml']);
  });

  it('stops reading an outdated text, and answers for the newer one', async () => {
    const talks = Array.from({ length: 9 }, (_, index) => `${index}.json`);
    const cases = talks.map((name) => `  - {id: ${name}, transcript: ./${name}, assert: [x]}\n`);
    const read: string[] = [];
    const messages = '[{"role": "user", "content": "Hi"}]';
    const path = at('a.eval.yaml');
    const files = filesOf(Object.fromEntries(talks.map((name) => [name, messages])), (name) => {
      read.push(name);
      if (name !== '2.json') return;
      type(path, CASE);
      void workspace.documentAt(path);
    });
    const { workspace, type } = serviceOver(files);
    type(path, `cases:\n${cases.join('')}`);
    const document = await workspace.documentAt(path);
    assert.equal(document?.yaml.text, CASE);
    assert.deepEqual(read, ['0.json', '1.json', '2.json']);
  });
});

describe('the work for a request', () => {
  const messages = '{"role": "user", "content": "Hi"}\n'.repeat(8_000);
  const cases = CASE + '  - {id: a,  tags: [x]}\n'.repeat(10_000);
  const keys = 'k: [a, b]\n'.repeat(20_000);
  const options = { insertSpaces: true, tabSize: 2 };
  const position = { line: 0, character: 0 };

  for (const [name, file, text] of [
    ['completion', 'a.eval.yaml', keys],
    ['formatting', 'a.eval.yaml', cases],
    ['documentSymbols', 'a.messages.jsonl', messages],
    ['hover', 'a.messages.jsonl', messages],
  ] as const) {
    it(`yields to other work: ${name} in a long file`, async () => {
      const { service, workspace } = serviceOver(filesOf({ [file]: text }));
      const textDocument = { uri: `file://${at(file)}` };
      await workspace.documentAt(at(file));
      const params = { textDocument, position, options };
      const turns = await turnsDuring(() => service.request(name, params, waited()));
      assert.ok(turns > 2, `${turns}`);
    });
  }

  it('yields to other work while reading the file', async () => {
    const { workspace } = serviceOver(filesOf({ 'a.eval.yaml': cases }));
    const turns = await turnsDuring(() => workspace.documentAt(at('a.eval.yaml')));
    assert.ok(turns > 5, `${turns}`);
  });

  it('yields to other work while reading a suite without a server', async () => {
    const { workspace } = serviceOver(filesOf({ 'a.eval.yaml': cases }));
    const options = { workspace: WORKSPACE, env: () => undefined };
    const turns = await turnsDuring(() => loadSuite(at('a.eval.yaml'), workspace.files, options));
    assert.ok(turns > 5, `${turns}`);
  });

  it('ends with an error if it exceeds the limit', async ({ mock }) => {
    const { service } = serviceOver(filesOf({ 'a.eval.yaml': keys }));
    let now = performance.now();
    const later = () => {
      now += LIMITS.work / 4;
      return now;
    };
    mock.method(performance, 'now', later);
    const cpu = process as typeof process & { readonly threadCpuUsage: typeof process.cpuUsage };
    mock.method(cpu, 'threadCpuUsage', () => ({ user: 1000 * later(), system: 0 }));
    const params = { textDocument: { uri: `file://${at('a.eval.yaml')}` }, position };
    await assert.rejects(service.request('completion', params, waited()), WorkLimitError);
  });

  it('grows linearly with the number of aliases', async () => {
    const asked = async (count: number) => {
      const text = `x: &a [1]\ncases: [${'*a,'.repeat(count)}]\n`;
      const { service } = serviceOver(filesOf({ 'a.eval.yaml': text }));
      const params = { textDocument: { uri: `file://${at('a.eval.yaml')}` }, position };
      await service.request('completion', params, waited());
    };
    assert.ok((await growth(asked, 1_000)) < 9);
  });
});

/** How many times other tasks got to run while the work was in progress. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let others = setImmediate(function turn() {
    turns += 1;
    others = setImmediate(turn);
  });
  try {
    await work();
  } finally {
    clearImmediate(others);
  }
  return turns;
}
