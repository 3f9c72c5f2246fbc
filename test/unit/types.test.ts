import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import type { Script, ScriptInput, ScriptResult } from 'turnlight';
import type * as z from 'zod';
import type { Toolbox } from '../../src/assertions/contract.ts';
import { docsMarkdown } from '../../src/assertions/docs.ts';
import { script, scriptResultSchema } from '../../src/assertions/types/script.ts';
import type { Tool } from '../../src/core/message.ts';
import { buildAssertion, buildFacts, call, system, talk, user } from '../support/judging.ts';
import { workspaceWith } from '../support/runs.ts';

const CHECKOUT = resolve(import.meta.dirname, '../..');

/** The type with all `readonly` modifiers removed. */
type Plain<T> = T extends object ? { -readonly [Key in keyof T]: Plain<T[Key]> } : T;
type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** These fail to compile if types/index.d.ts differs from the program's types. */
const TOOL: Same<Plain<ScriptInput['tools'][number]>, Plain<Tool>> = true;
const RESULT: Same<Plain<ScriptResult>, Plain<z.infer<typeof scriptResultSchema>>> = true;

describe('the types of the package', () => {
  it('match the types of the program', () => {
    assert.deepEqual([TOOL, RESULT], [true, true]);
  });

  it('describe the input of a script', async () => {
    const given: unknown[] = [];
    await script.run(buildInput({ word: 'x' }), {
      ...NO_TOOLBOX,
      async script(...call) {
        given.push(call[1]);
        return true;
      },
    });
    const read: ScriptInput = JSON.parse(JSON.stringify(given[0]));
    assert.deepEqual(Object.keys(read).sort(), Object.keys(buildScriptInput()).sort());
    assert.deepEqual(read.options, { word: 'x' });
    assert.deepEqual(read.conversation.turns[1]?.tool_calls, [
      { name: 'lookup', arguments: { id: 1 }, agent: null, result: 'found' },
    ]);
  });

  it('describe the result of a script', () => {
    const results: ScriptResult[] = [
      true,
      0.5,
      { skipped: 'nothing to see' },
      { score: 1, label: 'yes', value: 4, rationale: 'why', details: { a: 1 } },
      { turns: [{ turn: 2, score: 0, rationale: 'why', evidence: 'x' }] },
    ];
    for (const result of results) scriptResultSchema.parse(result);
    const typed: Script = () => ({ score: 1 });
    assert.deepEqual(typed(buildScriptInput()), { score: 1 });
  });

  it('compile every example in the docs, in JavaScript and in TypeScript', async (t) => {
    const page = await readFile(join(CHECKOUT, 'docs/scripts.md'), 'utf8');
    const examples = [...`${page}\n${docsMarkdown(script)}`.matchAll(/```(js|ts)\n([\s\S]+?)```/g)];
    assert.ok(examples.length >= 3);
    const files = examples.map(([, kind, code], index) => [`example${index}.m${kind}`, code ?? '']);
    assert.equal(await compile(t, Object.fromEntries(files)), '');
  });

  it('reject results that the program would reject', async (t) => {
    const wrong =
      "import type { Script } from 'turnlight';\nexport const a: Script = () => 'yes';\n";
    assert.match(await compile(t, { 'wrong.mts': wrong }), /wrong\.mts.*not assignable/);
  });
});

/** Compiles files in a folder with the package installed, and returns the compiler's output. */
async function compile(t: TestContext, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await workspaceWith(t, files);
  await mkdir(join(folder, 'node_modules'));
  await symlink(CHECKOUT, join(folder, 'node_modules/turnlight'), 'junction');
  const options = { allowJs: true, checkJs: true, strict: true, noEmit: true, types: [] };
  const compilerOptions = { ...options, target: 'ES2022', module: 'NodeNext' };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  const tsc = join(CHECKOUT, 'node_modules/typescript/bin/tsc');
  return promisify(execFile)(process.execPath, [tsc, '-p', folder]).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
}

const CONVERSATION = talk(
  system('You help.'),
  user('Where is it?'),
  ...call('lookup', { id: 1 }, 'found'),
);

function buildInput(options: Readonly<Record<string, unknown>>) {
  const params = { path: '/check.mjs', export: 'default', options };
  const turns = CONVERSATION.entries.filter((entry) => entry.kind === 'turn');
  const tools = [{ name: 'lookup', parameters: { type: 'object' } }];
  const facts = buildFacts({ tools, expectations: { outcome: 'It is found.' } });
  return {
    conversation: CONVERSATION,
    turns,
    assertion: buildAssertion('script', params),
    facts,
  };
}

function buildScriptInput(): ScriptInput {
  const lists = { chosen: [], topics: [], tools: [] };
  const mappings = { expectations: {}, context: {}, options: {} };
  const conversation = { id: null, system: [], turns: [] };
  return { case: 'a', conversation, role: null, ...lists, ...mappings };
}

const refuse = () => Promise.reject(new Error('A script asks nothing.'));
const NO_TOOLBOX: Toolbox = {
  ask: refuse,
  askOnce: refuse,
  verdict: refuse,
  embed: refuse,
  script: refuse,
};
