import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isCollection, isNode, isPair } from 'yaml';
import { loadDocument } from '../../../src/evalfile/load.ts';
import type { EvalDocument } from '../../../src/language/ports.ts';
import { parseYaml } from '../../../src/yaml/yamlDocument.ts';
import { filesIn, SUITE, WORKSPACE } from '../../support/evalFiles.ts';
import { place, soundTexts } from '../../support/fuzzTexts.ts';
import { tries } from '../../support/long.ts';

const SEED = 20_261_121;

/** Texts that people type, and texts that start or end something in YAML. */
const TYPED: readonly string[] = [
  ...[
    'x',
    ' ',
    '\n',
    '\r\n',
    '- ',
    '  ',
    ': ',
    '"',
    "'",
    '#',
    ' #c',
    '|',
    '{',
    '[',
    '? ',
    '\t',
    '%',
  ],
  ...[
    '\n  # c\n',
    '\n    ',
    '\n  - ',
    '\n      - ',
    '\n\n',
    '---\n',
    '\n---\n',
    '\n...\n',
    '\n%a\n',
  ],
  ...['&a ', '*a', '!!str ', '😀', '{{name}}', '\ncases:\n', '\nname: 1\n', '\n  - id: new\n'],
];

const edit = fc.record({
  at: place,
  removed: fc.nat(6).map((count) => Math.max(0, count - 3)),
  typed: fc.constantFrom(...TYPED),
  undone: fc.boolean(),
});

describe('a text that is reparsed after a change', () => {
  it('has the same result as a fresh parse', async () => {
    let kept = 0;
    const property = fc.asyncProperty(
      soundTexts,
      fc.constantFrom('', '\nname: behind\n# the end\n'),
      fc.array(edit, { minLength: 1, maxLength: 4 }),
      async (sound, tail, edits) => {
        let text = sound + tail;
        let document = await documentOf(text);
        const change = async (changed: string) => {
          const before = document;
          document = await documentOf(changed, before);
          assert.deepEqual(shown(document), shown(await documentOf(changed)));
          if (sharesCases(before, document)) kept += 1;
        };
        for (const { at, removed, typed, undone } of edits) {
          const offset = Math.floor(at * text.length);
          const changed = text.slice(0, offset) + typed + text.slice(offset + removed);
          await change(changed);
          if (undone) await change(text);
          else text = changed;
        }
      },
    );
    await fc.assert(property, { seed: SEED, numRuns: tries(500, 100) });
    assert.ok(kept > tries(20, 1), `cases were kept ${kept} times`);
  });

  it('has the same result if a change joins the line of the next case', async () => {
    const first = await documentOf(SUITE_TEXT);
    const at = SUITE_TEXT.lastIndexOf('\n  - ');
    const joined = `${SUITE_TEXT.slice(0, at)} # c\n  - ${SUITE_TEXT.slice(at + 1)}`;
    assert.deepEqual(shown(await documentOf(joined, first)), shown(await documentOf(joined)));
  });

  it('shares the unchanged cases', async () => {
    const first = await documentOf(SUITE_TEXT);
    const second = await documentOf(SUITE_TEXT.replace('Bye', 'Goodbye'), first);
    assert.equal(second.suite.suite?.cases[0], first.suite.suite?.cases[0]);
    assert.notEqual(second.suite.suite?.cases[1], first.suite.suite?.cases[1]);
    assert.equal(second.suite.suite?.cases[2], first.suite.suite?.cases[2]);
  });

  it('rebuilds cases that moved to other lines, or below a changed head', async () => {
    const first = await documentOf(SUITE_TEXT);
    const lower = await documentOf(
      SUITE_TEXT.replace('user: Bye', 'user: |\n          Bye'),
      first,
    );
    assert.notEqual(lower.suite.suite?.cases[2], first.suite.suite?.cases[2]);
    const other = await documentOf(SUITE_TEXT.replace('openai:a', 'openai:b'), lower);
    assert.deepEqual(
      shown(other),
      shown(await documentOf(SUITE_TEXT.replace('openai:a', 'openai:b'))),
    );
  });

  it('rebuilds cases whose files changed', async () => {
    const text = SUITE_TEXT.replace(
      'transcript: [{ user: A }, { assistant: B }]',
      'transcript: ./a.yaml',
    );
    const first = await documentOf(text);
    const changed = text.replace('Bye', 'Goodbye');
    const second = await documentOf(changed, first, {
      'a.yaml': '[{ user: A }, { assistant: B }]',
    });
    assert.deepEqual([first.suite.problems.length, second.suite.problems.length], [1, 0]);
  });
});

const SUITE_TEXT = `judge: openai:a
cases:
  - id: one
    transcript: [{ user: A }, { assistant: B }]
    assert: [It is kind.]
  - id: two
    transcript:
      - user: Bye
      - assistant: Bye
    assert: [It is kind.]
  - id: three
    transcript: [{ user: C }, { assistant: D }]
    assert: [It is kind.]
`;

async function documentOf(
  text: string,
  before?: EvalDocument,
  beside: Readonly<Record<string, string>> = {},
): Promise<EvalDocument> {
  const files = filesIn({ 'suite.eval.yaml': text, ...beside });
  const options = { workspace: WORKSPACE, env: () => undefined };
  const yaml = parseYaml(text, SUITE, before?.yaml);
  return { yaml, suite: await loadDocument(yaml, files, options, before?.suite) };
}

/** Everything that can be observed about a document. */
function shown({ yaml, suite }: EvalDocument) {
  const { value, problems } = yaml;
  return { value, problems, nodes: outline(yaml.root), suite };
}

function outline(item: unknown): unknown {
  if (isPair(item)) return [outline(item.key), outline(item.value)];
  if (!isNode(item)) return item;
  const own = [item.constructor.name, item.range, Reflect.get(item, 'type')];
  return isCollection(item)
    ? [...own, item.items.map(outline)]
    : [...own, Reflect.get(item, 'value')];
}

function sharesCases(before: EvalDocument, after: EvalDocument): boolean {
  const known = new Set(before.suite.suite?.cases);
  return (after.suite.suite?.cases ?? []).some((one) => known.has(one));
}
