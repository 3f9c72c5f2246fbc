import assert from 'node:assert/strict';
import { cp, mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { textOf, toConversation, turnsOf } from '../../../src/core/conversation.ts';
import type { CaseLine } from '../../../src/core/record/runRecord.ts';
import { savedCase } from '../../../src/evalfile/savedCase.ts';
import { LatestRuns } from '../../../src/store/records/latest.ts';
import { buildCaseLine } from '../../support/buildRun.ts';
import { turnlight } from '../../support/commandLine.ts';
import { load, placed } from '../../support/evalFiles.ts';
import { workspaceWith } from '../../support/runs.ts';

const EXAMPLE = resolve(import.meta.dirname, '../../../examples/simulated');

async function exampleIn(t: TestContext): Promise<string> {
  const folder = await workspaceWith(t, {});
  await cp(EXAMPLE, folder, { recursive: true });
  return folder;
}

const saidIn = ({ conversation }: CaseLine) =>
  turnsOf(conversation).map((turn) => `${turn.side}: ${textOf(turn)}`);

async function lastOf(folder: string, id: string): Promise<CaseLine> {
  const [found] = await new LatestRuns().find(join(folder, 'simulated.eval.yaml'), id);
  assert.ok(found, id);
  return found.line;
}

describe('turnlight save', () => {
  it('creates a scripted case with the same conversation, live and replayed', async (t) => {
    const folder = await exampleIn(t);
    const cli = (...args: string[]) => turnlight(folder, args);
    await cli('run', '.', '--record', 'all.jsonl');
    const simulated = await lastOf(folder, 'return-shoes');
    const { code, out } = await cli('save', 'simulated.eval.yaml', '--case', 'return-shoes');
    assert.equal(code, 0);
    assert.match(out, /Saved return-shoes as return-shoes-scripted in simulated\.eval\.yaml/);
    await cli('run', '.', '--case', 'return-shoes-scripted');
    const live = await lastOf(folder, 'return-shoes-scripted');
    assert.deepEqual([live.origin, live.status], ['turns', 'pass']);
    assert.deepEqual(saidIn(live), saidIn(simulated));
    const text = await readFile(join(folder, 'simulated.eval.yaml'), 'utf8');
    const replayed = await cli(
      'run',
      '.',
      '--case',
      'return-shoes-scripted',
      '--replay',
      'all.jsonl',
    );
    assert.match(replayed.out, /its replies to the same messages in another case/);
    assert.deepEqual(saidIn(await lastOf(folder, 'return-shoes-scripted')), saidIn(simulated));
    const before = await readFile(join(EXAMPLE, 'simulated.eval.yaml'), 'utf8');
    assert.ok(text.startsWith(before.slice(0, before.indexOf('  - id: return-window'))));
  });

  it('writes through no link that leads out of the workspace', async (t) => {
    const folder = await exampleIn(t);
    await turnlight(folder, ['run', '.', '--record', 'all.jsonl']);
    const [file, outside] = ['simulated.eval.yaml', await workspaceWith(t, {})];
    await mkdir(join(folder, '.git'));
    await rename(join(folder, file), join(outside, file));
    await symlink(join(outside, file), join(folder, file));
    const before = await readFile(join(outside, file), 'utf8');
    const { code } = await turnlight(folder, ['save', file, '--case', 'return-shoes']);
    assert.equal(code, 3);
    assert.equal(await readFile(join(outside, file), 'utf8'), before);
  });

  it('creates a transcript with the same verdicts', async (t) => {
    const folder = await exampleIn(t);
    const cli = (...args: string[]) => turnlight(folder, args);
    await cli('run', '.');
    const args = ['--case', 'return-window', '--as', 'transcript'];
    assert.equal((await cli('save', 'simulated.eval.yaml', ...args)).code, 0);
    assert.equal((await cli('check', '.')).code, 0);
    await cli('run', '.', '--case', 'return-window-recorded');
    const [simulated, recorded] = [
      await lastOf(folder, 'return-window'),
      await lastOf(folder, 'return-window-recorded'),
    ];
    assert.equal(recorded.origin, 'transcript');
    assert.deepEqual(saidIn(recorded), saidIn(simulated));
    assert.deepEqual(
      recorded.verdicts.map(({ score }) => score),
      simulated.verdicts.map(({ score }) => score),
    );
  });

  it('fills in the values of the saved variant', async (t) => {
    const folder = await workspaceWith(t, {
      'bot.mjs': "export default async (messages) => 'In ' + messages.at(-1).content;\n",
      'simulated.eval.yaml': `target: {type: module, path: ./bot.mjs}
cases:
  - id: a
    matrix: {shop: [Oslo, Rome]}
    simulate: {goal: x, opening: ["{{shop}}"], max_user_turns: 1, model: openai:m}
    assert: [{type: contains, value: "{{shop}}"}]
`,
    });
    const cli = (...args: string[]) => turnlight(folder, args);
    await cli('run', '.');
    const whole = await cli('save', 'simulated.eval.yaml', '--case', 'a');
    assert.match(whole.err, /a has variants\. Pass one, such as "a\/Oslo"/);
    assert.equal((await cli('save', 'simulated.eval.yaml', '--case', 'a/Rome')).code, 0);
    await cli('run', '.', '--case', 'a-Rome-scripted');
    const line = await lastOf(folder, 'a-Rome-scripted');
    assert.deepEqual([line.status, line.facts?.context], ['pass', { shop: 'Rome' }]);
  });

  it('reports missing files, cases, variants, and runs', async (t) => {
    const folder = await exampleIn(t);
    const said = async (...args: string[]) => {
      const { code, err } = await turnlight(folder, ['save', 'simulated.eval.yaml', ...args]);
      return `${code} ${err}`;
    };
    assert.match(
      await said('--case', 'return-shoes'),
      /^3 .*There is no run of return-shoes\. Run it first\./s,
    );
    assert.match(await said('--case', 'gone'), /^3 .*There is no case "gone"/s);
    const path = join(folder, 'simulated.eval.yaml');
    const scripted = '  - {id: scripted, turns: [Hi], assert: [{type: no-repeat}]}\n';
    await writeFile(path, `${(await readFile(path, 'utf8')).trimEnd()}\n${scripted}`);
    assert.match(await said('--case', 'scripted'), /^3 Only simulated conversations/);
  });
});

describe('a saved case', () => {
  const text = `target: {type: module, path: ./bot.mjs}
cases:
  - id: a
    # The first.
    only: true
    history: [{assistant: Welcome!}]
    simulate: {goal: Return it.}
    assert:
      - It is kind.
      - {type: contains, value: x, at: last}

  - {id: b, turns: [Hi], assert: [{type: no-repeat}]}
`;
  const line = (...said: readonly string[]) => {
    const conversation = toConversation([
      { message: { role: 'assistant', content: 'Welcome!' }, history: true },
      ...said.map((content, index) => ({
        message: { role: index % 2 === 0 ? ('user' as const) : ('assistant' as const), content },
      })),
    ]);
    return buildCaseLine({ id: 'a', status: 'pass', origin: 'simulate', conversation });
  };
  const PATH = '/work/space/suite.eval.yaml';

  const inserted = (given: CaseLine, as: 'turns' | 'transcript', taken: string[] = ['a', 'b']) => {
    const { position, newText, id } = savedCase(text, PATH, given, as, taken);
    const lines = text.split('\n');
    lines[position.line] = `${lines[position.line]}${newText}`;
    return { id, text: lines.join('\n') };
  };

  it('follows its original case, has a free id, and is valid', async () => {
    for (const as of ['turns', 'transcript'] as const) {
      const saved = inserted(line('Hi', 'Hello'), as, ['a', 'b', 'a-scripted', 'a-recorded']);
      const loaded = await load(saved.text);
      assert.deepEqual(placed(loaded), []);
      assert.deepEqual(
        loaded.outline.map(({ id }) => id),
        ['a', saved.id, 'b'],
      );
      assert.match(saved.id, /-2$/);
    }
  });

  it('is judged only on the live turns as a transcript', () => {
    const saved = inserted(line('Hi', 'Hello'), 'transcript').text;
    assert.match(saved, /criterion: It is kind\.\n\s+at: 2-3/);
    assert.ok(!saved.slice(saved.indexOf('a-recorded')).includes('history'));
  });

  it('is refused if nothing was simulated, or if its text would be read as variables', () => {
    const notSimulated = { ...line('Hi', 'Hello'), origin: 'turns' as const };
    assert.throws(() => inserted(notSimulated, 'turns'), /Only simulated/);
    const braces = line('Hi {{name}}', 'Hello');
    assert.throws(() => inserted(braces, 'turns'), /Save a transcript instead/);
    inserted(braces, 'transcript');
  });
});
