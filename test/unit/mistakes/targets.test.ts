import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { botSuite, runFiles } from '../../support/runs.ts';

/** Mistakes in a target, which only a run can find, and the reason in its report. */
const TARGETS: readonly (readonly [name: string, module: string, reason: string])[] = [
  [
    'throws',
    'export default () => {\n  throw new Error("no database");\n};\n',
    'The target failed: The module threw: Error: no database\n    at default (FOLDER/bot.mjs:2:9)',
  ],
  [
    'never replies',
    'export default () => new Promise(() => setInterval(() => {}, 1000));\n',
    'target-timeout: The target did not reply within 5000 ms. Raise its `timeout` if it needs longer.',
  ],
  [
    'exports nothing',
    'const reply = () => "Hello";\n',
    'The target failed: FOLDER/bot.mjs does not export a function "default". It exports no functions. Write `export default` before a function.',
  ],
  [
    'exports another name',
    'export const agent = () => "Hello";\n',
    'The target failed: FOLDER/bot.mjs does not export a function "default". It exports: agent. Write the name as `export` in the eval file.',
  ],
  [
    'has a syntax error',
    'export default () => {\n',
    'The target failed: The module could not be loaded: SyntaxError: Unexpected end of input\n    at FOLDER/bot.mjs:2',
  ],
  [
    'returns nothing',
    'export default () => undefined;\n',
    'target-malformed-reply: The function "default" of FOLDER/bot.mjs returned nothing. Return the reply, for example as a string.',
  ],
];

const SUITE = botSuite(
  '  - id: one\n    turns: [Hi]\n    assert: [{ type: contains, value: x }]\n',
).replace('./bot.mjs', './bot.mjs, timeout: 5000');

describe('a target with a typical mistake', () => {
  for (const [name, module, reason] of TARGETS) {
    it(`is reported with the turn that is missing and what to do: ${name}`, async (t) => {
      const files = { 'suite.eval.yaml': SUITE, 'bot.mjs': module };
      const { lines, workspace } = await runFiles(t, files);
      const [line] = lines;
      assert.equal(line?.status, 'error');
      assert.equal(line.reason?.replaceAll(workspace, 'FOLDER'), reason);
      assert.equal(line.failed_turn?.source?.range.start.line, 5);
    });
  }
});
