import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertionTypes } from '../../../src/assertions/registry.ts';
import { addCase } from '../../../src/interop/savedCase.ts';
import {
  assertionExample,
  assertionLine,
  caseWithTarget,
  haveSameTarget,
  headOf,
  keysOfCase,
  readAssertion,
  targetsOf,
  typedTargets,
} from '../../../src/interop/talkTarget.ts';
import { filesIn, SUITE, WORKSPACE } from '../../support/evalFiles.ts';
import { talk, user } from '../../support/judging.ts';

const PLACE = {
  path: SUITE,
  workspace: WORKSPACE,
  files: filesIn({ 'policy.md': 'Be kind.', 'tone.md': 'Is it kind?', 'checks.mjs': '' }),
  env: () => undefined,
};

const typed = (text: string) => typedTargets(text).map(({ target }) => target);

describe('a typed target', () => {
  it('is a service or an A2A agent if it is an address', () => {
    const url = 'http://localhost:8000/chat';
    assert.deepEqual(typed(` ${url} `), [
      { type: 'http', url },
      { type: 'a2a', url },
    ]);
    assert.equal(typed('https://a.example/a2a/shop')[0]?.type, 'a2a');
    assert.equal(typed('https://a.example/.well-known/agent-card.json')[0]?.type, 'a2a');
  });

  it('is a module if it is a JavaScript or TypeScript file', () => {
    for (const path of ['./agent.mjs', '../src/agent.ts', '/agent.js']) {
      assert.deepEqual(typed(path), [{ type: 'module', path }]);
    }
    assert.deepEqual(typed('src/agent.mts'), [{ type: 'module', path: './src/agent.mts' }]);
  });

  it('is a command otherwise', () => {
    const commands = {
      'agent.py': ['python3', 'agent.py'],
      'uv run "my agent.py" --fast': ['uv', 'run', 'my agent.py', '--fast'],
      "node agent.mjs ''": ['node', 'agent.mjs', ''],
    };
    for (const [text, command] of Object.entries(commands)) {
      assert.deepEqual(typed(text), [{ type: 'command', command }]);
    }
    assert.deepEqual(typed('  '), []);
  });

  it("runs a Python file with the Python of the folder's virtual environment", () => {
    const [file] = typedTargets('agent.py', '.venv/bin/python');
    assert.deepEqual(file?.target.command, ['.venv/bin/python', 'agent.py']);
    assert.match(file?.what ?? '', /with \.venv\/bin\/python$/);
    const [command] = typedTargets('python3 agent.py', '.venv/bin/python');
    assert.deepEqual(command?.target.command, ['python3', 'agent.py']);
  });
});

describe('the targets of a file', () => {
  const text = `name: Shop
judge: openai:gpt-5-mini
variants: { cold: { system: Be cold. } }
targets:
  other: { type: module, path: ./bot.mjs }
  shop: { type: module, path: ./agent.mjs, system: Be kind. }
target: shop
cases:
  - id: a
    turns: [Hi]
    assert: [Kind.]
`;
  const head = headOf(text, SUITE);

  it('start with the default', () => {
    assert.deepEqual(targetsOf(head), [
      { name: 'shop', type: 'module', isDefault: true },
      { name: 'other', type: 'module', isDefault: false },
    ]);
    const inline = { target: { type: 'a2a', url: 'http://localhost' } };
    assert.deepEqual(targetsOf(inline), [{ type: 'a2a', isDefault: true }]);
    assert.deepEqual(targetsOf(headOf('- broken', SUITE)), []);
  });

  it('are the same only if they are written in the same way', () => {
    const other = headOf(text.replace('Be kind', 'Be cold'), SUITE);
    assert.deepEqual(
      ['shop', 'other', 'none'].map((name) => haveSameTarget(head, other, name)),
      [false, true, false],
    );
  });

  it('can be set by a case, with other keys', () => {
    const keys = keysOfCase(`${text}    target: other\n    context: { a: 1 }\n`, SUITE, 'a');
    assert.deepEqual(keys, { target: 'other' });
    assert.deepEqual(keysOfCase(text, SUITE, 'b'), {});
  });

  it('can be called by a case of their own', async () => {
    const found = await caseWithTarget(head, undefined, PLACE);
    assert.ok(typeof found !== 'string' && found.suiteCase.origin.kind === 'turns');
    const { target } = found.suiteCase.origin;
    assert.deepEqual([target.name, target.system], ['shop', 'Be kind.']);
    const other = await caseWithTarget(head, 'other', PLACE);
    assert.ok(typeof other !== 'string' && other.suiteCase.origin.kind === 'turns');
    assert.equal(other.suiteCase.origin.target.name, 'other');
  });

  it('can be called only if they are valid, or else there is a reason', async () => {
    assert.match(String(await caseWithTarget(head, 'shopp', PLACE)), /Did you mean "shop"/);
    assert.match(String(await caseWithTarget({}, undefined, PLACE)), /target/);
  });
});

describe('an assertion on one line', () => {
  it('is proposed for every type, and read again', () => {
    for (const type of assertionTypes) {
      const line = assertionExample(type);
      assert.doesNotMatch(line, /\n/);
      const assertion = readAssertion(line);
      const isOwn = typeof assertion === 'string' ? 'criterion' : Object(assertion).type;
      assert.equal(isOwn, type.type, line);
      assert.deepEqual(readAssertion(assertionLine(assertion)), assertion);
    }
  });

  it('may be a sentence or a mapping', () => {
    assert.equal(readAssertion(' It says: "no" '), 'It says: "no"');
    assert.deepEqual(readAssertion('{ type: contains }'), { type: 'contains' });
    for (const line of ['', '{ type: contains']) {
      assert.equal(readAssertion(line), undefined, line);
    }
  });

  it('is checked as part of a case', async () => {
    const head = { target: { type: 'module', path: './agent.mjs' } };
    const wanted = (assertion: unknown) => ({
      id: 'tried',
      as: 'turns' as const,
      conversation: talk(user('.')),
      checks: new Map([[2, { assert: [assertion] }]]),
    });
    await addCase(wanted(readAssertion('{ type: contains, value: a }')), head, PLACE);
    await assert.rejects(
      addCase(wanted(readAssertion('{ type: contains }')), head, PLACE),
      /value/,
    );
  });
});
