import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { turnlight } from '../../support/commandLine.ts';
import { jsonLines } from '../../support/imports.ts';
import { workspaceWith } from '../../support/runs.ts';

const TALK = {
  messages: [
    { role: 'user', content: 'Where is order 7?' },
    { role: 'assistant', content: 'It was shipped.' },
  ],
  reward: 1,
};

describe('turnlight import', () => {
  it('writes an eval file beside the file that passes `check` and runs, and says what is left out', async (t) => {
    const folder = await workspaceWith(t, { 'log.jsonl': jsonLines(TALK) });
    const { code, out } = await turnlight(folder, ['import', 'log.jsonl']);
    assert.equal(
      out,
      'log.jsonl:1: not imported: `reward` has no counterpart.\nlog.jsonl (chat logs): 1 case in log.eval.yaml.\n',
    );
    assert.equal(code, 0);
    const check = await turnlight(folder, ['check']);
    assert.deepEqual([check.code, check.out], [0, 'Checked 1 file: 0 errors, 0 warnings.\n']);
    const run = await turnlight(folder, ['run', '--no-save']);
    assert.equal(run.code, 0, run.err);
  });

  it('overwrites no file without --force, even if several files are imported', async (t) => {
    const folder = await workspaceWith(t, {
      'log.jsonl': jsonLines(TALK),
      'log.eval.yaml': 'mine',
    });
    const { code, err } = await turnlight(folder, ['import', 'log.jsonl']);
    assert.equal(code, 3);
    assert.match(err, /^log\.eval\.yaml already exists\. Pass --force/);
    assert.equal(readFileSync(join(folder, 'log.eval.yaml'), 'utf8'), 'mine');
    assert.equal((await turnlight(folder, ['import', 'log.jsonl', '--force'])).code, 0);
    assert.match(readFileSync(join(folder, 'log.eval.yaml'), 'utf8'), /where-is-order-7/);
  });

  it('writes one imported file to --output', async (t) => {
    const folder = await workspaceWith(t, { 'log.jsonl': jsonLines(TALK), evals: '' });
    const args = ['import', 'log.jsonl', '--output', 'mine.eval.yaml'];
    assert.equal((await turnlight(folder, args)).code, 0);
    assert.ok(existsSync(join(folder, 'mine.eval.yaml')));
    const two = await turnlight(folder, [...args, 'log.jsonl']);
    assert.equal(two.code, 3);
    const itself = await turnlight(folder, [
      'import',
      'mine.eval.yaml',
      '--output',
      'mine.eval.yaml',
    ]);
    assert.equal(itself.code, 3);
  });

  it('imports the readable part of a broken file, and exits with 3', async (t) => {
    const folder = await workspaceWith(t, { 'log.jsonl': `${jsonLines(TALK)}{"mess\n` });
    const { code, out } = await turnlight(folder, ['import', 'log.jsonl']);
    assert.equal(code, 3);
    assert.match(out, /log\.jsonl:2: error: This line is not valid JSON: /);
    assert.ok(existsSync(join(folder, 'log.eval.yaml')));
  });

  it('exits with 3 and writes nothing if the format is unknown or the file is missing', async (t) => {
    const folder = await workspaceWith(t, { 'x.json': '{"colour": "red"}' });
    const unknown = await turnlight(folder, ['import', 'x.json']);
    assert.equal(unknown.code, 3);
    assert.match(
      unknown.out,
      /x\.json:1: error: Unrecognized format: .*Turnlight imports: .*promptfoo/,
    );
    const missing = await turnlight(folder, ['import', 'y.json']);
    assert.deepEqual([missing.code, missing.out], [3, '']);
    assert.match(missing.err, /y\.json: The file does not exist\./);
    assert.ok(!existsSync(join(folder, 'x.eval.yaml')));
  });
});
