import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codeActionsOfText } from '../../../src/language/codeActions/codeActions.ts';
import { rename } from '../../../src/language/features/rename.ts';
import { parseYaml } from '../../../src/yaml/yamlDocument.ts';
import { SUITE } from '../../support/evalFiles.ts';
import { applied, edited, uriOf } from '../../support/language/codeActions.ts';
import { chosen } from '../../support/language/completing.ts';
import { markedFiles, pathOf } from '../../support/namedFiles.ts';

/** Model names that need quotes to be text, or to be the same text, each with its quoted form. */
const NAMES = [
  ['true', '"true"', '"true"'],
  ['null', '"null"', '"null"'],
  ['.5', '".5"', '".5"'],
  ['2026-11-21', '"2026-11-21"', '"2026-11-21"'],
  ['on', '"on"', '"on"'],
  ['a #b', '"a #b"', '"a #b"'],
  ['@tone', '"@tone"', '"@tone"'],
  ['a, b', 'a, b', '"a, b"'],
  ['my judge', 'my judge', 'my judge'],
] as const;

const CHAT = 'transcript: [{user: Hi}, {assistant: Hello}]';

/** A suite with one model, and a case whose `judge` value is inserted verbatim. */
function suite(name: string, judge: string, inFlow: boolean): string {
  const models = `models: {${JSON.stringify(name)}: openai:a}\n`;
  return inFlow
    ? `${models}cases: [{id: one, ${CHAT}, judge: ${judge}, assert: [x]}]\n`
    : `${models}cases:\n  - id: one\n    ${CHAT}\n    judge: ${judge}\n    assert: [x]\n`;
}

describe('every feature quotes a name the same way', () => {
  for (const [name, block, flow] of NAMES) {
    for (const [where, inFlow, written] of [
      ['outside of brackets', false, block],
      ['within brackets', true, flow],
    ] as const) {
      const expected = suite(name, written, inFlow);

      it(`completion: ${name} ${where}`, async () => {
        assert.equal(await chosen(suite(name, '|', inFlow), name), expected);
      });

      it(`fixes: ${name} ${where}`, () => {
        const text = suite(name, 'other', inFlow);
        const { rangeOf } = parseYaml(text, '');
        const diagnostic = {
          range: rangeOf(['cases', 0, 'judge']),
          message: '',
          source: 'turnlight',
          data: { replacement: name },
        };
        const [action] = codeActionsOfText(SUITE, text, [diagnostic], { uriOf });
        assert.equal(applied(text, action)['suite.eval.yaml'], expected);
      });
    }

    it(`renaming: ${name}`, async () => {
      const files = await markedFiles({ 'a.eval.yaml': suite('old', 'o|ld', true) });
      const renamed = await rename(pathOf('a.eval.yaml'), files.position, name, files.ports);
      assert.ok(renamed && 'edit' in renamed);
      const [edits = []] = Object.values(renamed.edit.changes ?? {});
      const text = edited(files.texts['a.eval.yaml'] ?? '', edits);
      assert.ok(text.includes(`judge: ${flow},`), text);
      assert.equal(Object.keys(Object(parseYaml(text, '').value).models)[0], name);
    });
  }
});
