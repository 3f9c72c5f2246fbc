import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LoadOptions } from '../../../../src/evalfile/loadedSuite.ts';
import { expandSuite, type LoadedSuite } from '../../../../src/evalfile/loadedSuite.ts';
import { load, placed } from '../../../support/evalFiles.ts';

const TARGETS = `targets:
  bot: {type: chat, model: openai:small, system: Be brief.}
  other: {type: module, path: bot.mjs, system: "Help {{name}}."}
target: bot
`;

/** The first variant is at line 6, and the case at the line after the last one. */
const suite = (variants: string, more = '') => `${TARGETS}variants:
${variants}
cases:
  - id: one
    turns: [Hi]
    context: {name: Ann}
    assert: [{type: contains, value: Hello}]
${more}`;

const TWO = '  plain: {target: bot}\n  warm: {system: Be warm.}';

async function variantsOf(
  text: string,
  beside: Readonly<Record<string, string>> = {},
  options: Partial<LoadOptions> = {},
) {
  const loaded: LoadedSuite = await expandSuite(await load(text, beside, options));
  const found = [];
  for (const one of loaded.suite?.cases ?? []) {
    const { suiteCase = one, problems } = (await one.open?.()) ?? { problems: [] };
    const { origin, variant, targetVariant } = suiteCase;
    const target = 'target' in origin ? origin.target : undefined;
    const said = [target?.name, target?.model?.id, target?.system].filter(Boolean).join(' ');
    assert.deepEqual(one.targetVariant, targetVariant);
    found.push([variant, problems[0]?.code ?? said, targetVariant?.of.join()]);
  }
  return found;
}

describe('variants of a target', () => {
  it('run each case once per variant, with another target, model, or system text', async () => {
    const text = suite(
      `${TWO}\n  big: {model: "openai:big"}\n  other: {target: other}\n  both: {target: other, system: "Hug {{name}}."}`,
    );
    const of = 'plain,warm,big,other,both';
    assert.deepEqual(await variantsOf(text), [
      ['plain', 'bot openai:small Be brief.', of],
      ['warm', 'bot openai:small Be warm.', of],
      ['big', 'bot openai:big Be brief.', of],
      ['other', 'other Help Ann.', of],
      ['both', 'other Hug Ann.', of],
    ]);
  });

  it('can take the system text from a file', async () => {
    const text = suite(TWO.replace('Be warm.', '{file: warm.md}'));
    const [, warm] = await variantsOf(text, { 'warm.md': 'Be warm, {{name}}.\n' });
    assert.deepEqual(warm, ['warm', 'bot openai:small Be warm, Ann.', 'plain,warm']);
    assert.deepEqual(placed(await load(text)), ['7:25 file-missing']);
  });

  it('show their own target before they are opened, so that its hosts and keys are known', async () => {
    const { suite: found } = await expandSuite(
      await load(suite(TWO.replace('system: Be warm.', 'model: openai:big'))),
    );
    assert.deepEqual(
      found?.cases.map(({ origin }) => 'target' in origin && origin.target.model?.id),
      ['openai:small', 'openai:big'],
    );
  });

  it('are the last part of the name, after the row of a matrix', async () => {
    const more = '    matrix: {mood: [calm, angry]}\n';
    const names = (await variantsOf(suite(TWO, more))).map(([name]) => name);
    assert.deepEqual(names, ['calm/plain', 'calm/warm', 'angry/plain', 'angry/warm']);
  });

  it('of a case replace those of the file, and an empty mapping means none', async () => {
    const own = (variants: string) => suite(TWO, `    variants: ${variants}\n`);
    assert.deepEqual(await variantsOf(own('{a: {target: other}, b: {target: bot}}')), [
      ['a', 'other Help Ann.', 'a,b'],
      ['b', 'bot openai:small Be brief.', 'a,b'],
    ]);
    assert.deepEqual(await variantsOf(own('{}')), [
      [undefined, 'bot openai:small Be brief.', undefined],
    ]);
  });

  it('apply to cases of included files, but not to transcripts', async () => {
    const text = `${TARGETS}variants:\n${TWO}\ninclude: [more.yaml]\n`;
    const more = `cases:
  - {id: live, turns: [Hi], context: {name: Al}, assert: [Good]}
  - {id: said, transcript: [{user: Hi}, {assistant: Hello}], assert: [Good]}
`;
    const names = (await variantsOf(text, { 'more.yaml': more })).map(([name]) => name);
    assert.deepEqual(names, ['plain', 'warm', undefined]);
  });

  it('need no target of the case if each names one', async () => {
    const text = suite('  a: {target: bot}\n  b: {target: other}').replace('target: bot\n', '');
    assert.deepEqual(placed(await load(text)), []);
    assert.equal((await variantsOf(text)).length, 2);
  });

  it('are left out if a target replaces all others', async () => {
    const options = { target: 'other' };
    assert.deepEqual(await variantsOf(suite(TWO), {}, options), [
      [undefined, 'other Help Ann.', undefined],
    ]);
  });
});

describe('problems of variants are reported while they are written', () => {
  const first = (one: string) => `  plain: ${one}\n  warm: {system: Be warm.}`;
  for (const [what, text, expected] of [
    ['an unknown target', suite(first('{target: bott}')), ['6:19 unknown-name']],
    ['an unknown model', suite(first('{model: smal}')), ['6:18 unknown-name']],
    [
      'a model of another type',
      suite(first('{target: other, model: "openai:a"}')),
      ['6:26 useless-key'],
    ],
    ['one that sets nothing', suite(first('{}')), ['6:3 empty-variant']],
    ['one without keys', suite(first('')), ['6:3 wrong-type']],
    ['an unknown key', suite(first('{tools: []}')), ['6:3 empty-variant', '6:11 unknown-key']],
    ['a name with a slash', suite(TWO.replace('warm', 'a/b')), ['7:3 wrong-value']],
    ['a variable without a value', suite(first('{system: "{{x}}"}')), ['9:5 unknown-variable']],
    ['a single one', suite('  other: {target: other}'), ['5:1 single-variant']],
    [
      'those of a transcript',
      suite(
        TWO,
        '  - {id: two, transcript: [{user: Hi}, {assistant: Hi}], variants: {a: {target: bot}, b: {target: other}}, assert: [Good]}\n',
      ),
      ['13:58 useless-key'],
    ],
    [
      'too many',
      suite(Array.from({ length: 21 }, (_, index) => `  v${index}: {target: bot}`).join('\n')),
      ['5:1 too-many-variants'],
    ],
    [
      'an assertion that one of their targets cannot serve',
      suite(TWO.replace('system: Be warm.', 'target: other'))
        .replace('bot.mjs, system: "Help {{name}}."', 'bot.mjs, reports: [usage]')
        .replace('{type: contains, value: Hello}', '{type: tool-called, name: find}'),
      ['12:15 not-reported'],
    ],
  ] as const) {
    it(what, async () => {
      assert.deepEqual(placed(await load(text)), expected);
    });
  }

  it('a variable that is not set, at the variant', async () => {
    const text = suite(first(`{target: other, system: "Be \${env:MOOD}."}`));
    assert.deepEqual(placed(await load(text)), ['6:3 unset-variable']);
  });
});
