import assert from 'node:assert/strict';
import * as modules from 'node:module';
import { describe, it } from 'node:test';

type Load = (
  url: string,
  context: unknown,
  next: (url: string, context: unknown) => Loaded,
) => Loaded;

interface Loaded {
  readonly source: unknown;
}

// Newer than the Node types that we build with.
const registerHooks = Reflect.get(modules, 'registerHooks') as (hooks: { load: Load }) => void;

// Adds a type like a contributor would: with one file, and one line in the registry.
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith('/src/assertions/registry.ts')) return loaded;
    const line = 'export const assertionTypes: readonly AssertionType[] = [';
    const source = String(loaded.source);
    assert.ok(source.includes(line), 'the registry is a list');
    const type = new URL('../../support/toneCheck.ts', import.meta.url);
    const changed = source.replace(line, `${line}\n  toneCheck,`);
    return { ...loaded, source: `import { toneCheck } from '${type}';\n${changed}` };
  },
});

// Modules that use the registry must be loaded after the hook is registered.
const { actionsAt, actionsOf, applied } = await import('../../support/language/codeActions.ts');
const { chosen, labelsAt } = await import('../../support/language/completing.ts');
const { cursor } = await import('../../support/language/cursor.ts');
const { documentOf } = await import('../../support/language/evalDocument.ts');
const { filesIn, load, placed, SUITE, WORKSPACE } = await import('../../support/evalFiles.ts');
const { markedFiles, nameOf, pathOf, shown } = await import('../../support/namedFiles.ts');
const { evalJsonSchema } = await import('../../../src/evalfile/schema.ts');
const { definition } = await import('../../../src/language/features/references.ts');
const { documentLinks } = await import('../../../src/language/features/references.ts');
const { hover } = await import('../../../src/language/hover/hover.ts');
const { references } = await import('../../../src/language/features/references.ts');
const { rename } = await import('../../../src/language/features/rename.ts');
const { semanticTokens } = await import('../../../src/language/features/semanticTokens.ts');

/** A suite with one assertion of the type, and the given keys. */
function suite(keys: string): string {
  return `models: {fast: openai:a}
tools: [{name: look_up}]
cases:
  - id: one
    context: {city: Rome}
    transcript: [{user: Hi}, {assistant: Hello}]
    assert:
      - type: tone-check
${keys.replace(/^/gm, '        ')}
`;
}

const KEYS = 'behind: look_up\nrater: fast\nwords: ./words.yaml\nwanted: "{{city}}"';
const WORDS = { 'words.yaml': '- user: Hi\n- assistant: Hello\n' };

describe('an assertion type that is one file and a line in the registry', () => {
  it('is checked, its names and variables as all others', async () => {
    assert.deepEqual(placed(await load(suite(KEYS), WORDS)), []);
    const wrong = suite('behind: look_up\nrater: fats\nwords: ./nothing.yaml\nwanted: "{{town}}"');
    assert.deepEqual(placed(await load(wrong)), [
      '10:16 unknown-name',
      '11:16 file-missing',
      '12:18 unknown-variable',
    ]);
    const outside = suite(KEYS.replace('./words.yaml', '../words.yaml'));
    assert.deepEqual(placed(await load(outside)), ['11:16 path-outside']);
    const other = suite(KEYS.replace('./words.yaml', './words.md'));
    assert.deepEqual(placed(await load(other)), ['11:16 unknown-file-type']);
    assert.ok(JSON.stringify(evalJsonSchema()).includes('tone-check'));
  });

  it('gets its file as an absolute path, its model ready, and depends on the file', async () => {
    const { suite: built, dependencies } = await load(suite(KEYS), WORDS);
    const [assertion] = built?.cases[0]?.assertions ?? [];
    assert.equal(assertion?.params.words, `${WORKSPACE}/words.yaml`);
    assert.equal(assertion?.params.wanted, 'Rome');
    assert.equal(assertion?.model?.id, 'openai:a');
    assert.ok(dependencies.includes(`${WORKSPACE}/words.yaml`));
  });

  it('counts its references as uses', async () => {
    const { problems } = await load(suite(KEYS), WORDS);
    assert.deepEqual(problems, []);
    const less = await load(suite('behind: look_up\nrater: openai:b'));
    assert.deepEqual(placed(less), ['1:10 unused-name', '5:15 unused-name']);
  });

  it('is completed: its type, keys, references, and paths', async () => {
    assert.ok(
      (await labelsAt(suite('|').replace('type: tone-check', 'type: |'))).includes('tone-check'),
    );
    assert.ok((await labelsAt(suite('|'))).includes('rater'));
    assert.deepEqual(await labelsAt(suite('behind: |')), ['look_up']);
    assert.deepEqual(await labelsAt(suite('rater: |')), [
      'fast',
      'openai:a',
      'openai:',
      'azure-openai:',
      'ollama:',
      'vscode:',
    ]);
    assert.deepEqual(await labelsAt(suite('wanted: "{{|"')), ['city']);
    const context = {
      files: filesIn(WORDS),
      listFolder: async () => [
        { name: 'words.yaml', isFolder: false },
        { name: 'words.md', isFolder: false },
      ],
    };
    assert.match(
      await chosen(suite('words: ./|'), 'words.yaml', context),
      /words: \.\/words\.yaml/,
    );
    assert.deepEqual(await labelsAt(suite('words: ./|'), context), ['words.yaml']);
  });

  it('links to its references, and is found as one', async () => {
    const lead = async (keys: string) => {
      const { path, position, ports, texts } = await markedFiles({
        'suite.eval.yaml': suite(keys),
        ...WORDS,
      });
      const [found] = await definition(path, position, ports);
      return found && `${nameOf(found.uri)} ${shown(texts[nameOf(found.uri)] ?? '', found.range)}`;
    };
    assert.equal(await lead(KEYS.replace('look_up', 'look|_up')), 'suite.eval.yaml 2: look_up');
    assert.equal(await lead(KEYS.replace('fast', 'fa|st')), 'suite.eval.yaml 1: fast');
    assert.match((await lead(KEYS.replace('words.y', 'wor|ds.y'))) ?? '', /^words\.yaml /);
    assert.equal(await lead(KEYS.replace('city', 'ci|ty')), 'suite.eval.yaml 5: city');
    const marked = suite(KEYS).replace('name: look_up', 'name: look|_up');
    const { path, position, ports, texts } = await markedFiles({
      'suite.eval.yaml': marked,
      ...WORDS,
    });
    const found = await references(path, position, false, ports);
    assert.deepEqual(
      found.map(({ range }) => shown(texts['suite.eval.yaml'] ?? '', range)),
      ['9: look_up'],
    );
  });

  it('is renamed with what it names', async () => {
    for (const [name, key] of [
      ['look_up', 'behind'],
      ['fast', 'rater'],
    ]) {
      const marked = suite(KEYS).replace(`${name}`, `${name}|`);
      const { path, position, ports } = await markedFiles({ 'suite.eval.yaml': marked, ...WORDS });
      const renamed = await rename(path, position, 'other', ports);
      assert.ok(renamed && 'edit' in renamed);
      const text = applied(suite(KEYS), { title: '', edit: renamed.edit })['suite.eval.yaml'];
      assert.match(text ?? '', new RegExp(`${key}: other\n`));
    }
  });

  it('is linked, colored, and shown in hovers', async () => {
    const document = await documentOf(suite(KEYS), WORDS);
    const { ports } = await markedFiles({ 'suite.eval.yaml': suite(KEYS), ...WORDS });
    const [link] = await documentLinks(document, ports);
    assert.equal(link?.target, `file://${pathOf('words.yaml')}`);
    assert.match(tokenOf(document, 'fast', 9), /variable/);
    const { position } = cursor(suite(KEYS.replace('rater:', 'rat|er:')));
    const said = await hover(document, position, { lastRuns: async () => [] });
    assert.match(JSON.stringify(said?.contents), /The model that rates/);
  });

  it('has its model moved to the top, and its file made', async () => {
    const { text, position } = cursor(suite('behind: look_up\nrater: openai:|b'));
    const moved = (await actionsAt(text, position)).find(({ title }) =>
      title.startsWith('Move to `models`'),
    );
    assert.match(
      applied(text, moved)['suite.eval.yaml'] ?? '',
      /rater: openai:b\}.*rater: rater\n/s,
    );
    const titles = (await actionsOf(suite(KEYS))).map(({ title }) => title);
    assert.ok(titles.includes('Create "words.yaml"'), titles.join());
  });
});

/** The type of the token at a piece of text. */
function tokenOf(document: Awaited<ReturnType<typeof documentOf>>, piece: string, line: number) {
  const { data } = semanticTokens(document);
  const start = document.yaml.text.split('\n')[line]?.indexOf(piece);
  let [row, column] = [0, 0];
  for (let at = 0; at < data.length; at += 5) {
    const [down = 0, right = 0, , type = 0] = data.slice(at, at + 5);
    row += down;
    column = down > 0 ? right : column + right;
    if (row === line && column === start)
      return ['keyword', 'function', 'class', 'variable'][type] ?? '';
  }
  return `no token at ${SUITE}:${line}`;
}
