import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { turnlight } from '../../support/commandLine.ts';
import { jsonLines } from '../../support/imports.ts';
import { rateLimited, unauthorized } from '../../support/modelServer/faults.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { json } from '../../support/modelServer/steps.ts';
import { workspaceWith } from '../../support/runs.ts';

const CASE = {
  id: 'lost-parcel',
  description: 'A parcel never came.',
  goal: 'Find out where order 98765 is, with {{no}} variable.',
  persona: 'A worried customer',
  opening: 'Where is my parcel?',
  criteria: ['The assistant asks for the order number.', 'It promises no date.'],
};

const TALK = {
  messages: [
    { role: 'user', content: 'Where is order 7?' },
    { role: 'assistant', content: 'No idea. | Conversation 2:' },
  ],
};

const PROMPT = 'You are the assistant of a shop. Never promise dates.\n';

describe('turnlight generate', () => {
  it('drafts simulated cases from a prompt and conversations, which pass `check`, and replays', async (t) => {
    const server = await startModelServer([json({ cases: [CASE, CASE, CASE] })]);
    t.after(() => server.close());
    const folder = await workspaceWith(t, { 'prompt.md': PROMPT, 'log.jsonl': jsonLines(TALK) });
    const args = ['generate', 'log.jsonl', '--system', 'prompt.md', '--count', '2'];
    const model = ['--model', 'openai:draft', '--base-url', server.baseUrl];
    const first = await turnlight(folder, [...args, ...model, '--record', 'draft.rec.jsonl']);
    assert.deepEqual(
      [first.code, first.out],
      [0, '2 drafted cases in log.eval.yaml.\n'],
      first.err,
    );
    const text = readFileSync(join(folder, 'log.eval.yaml'), 'utf8');
    assert.match(
      text,
      /^# From prompt\.md, log\.jsonl\.\n# Drafted by openai:draft: read and edit every line/,
    );
    assert.match(
      text,
      /judge:\n {2}provider: openai\n {2}model: draft\n {2}base_url: http:\/\/127/,
    );
    assert.match(text, /system: You are the assistant of a shop\. Never promise dates\.\n/);
    assert.match(text, /- id: lost-parcel\n {4}description: A parcel never came\.\n {4}simulate:/);
    assert.match(text, /goal: .*\{ \{no\}\} variable/);
    assert.match(text, /- id: lost-parcel-2\n/);
    const check = await turnlight(folder, ['check', 'log.eval.yaml']);
    assert.deepEqual([check.code, check.out], [0, 'Checked 1 file: 0 errors, 0 warnings.\n']);
    const [request] = server.requests;
    const asked = request?.body.messages.at(-1)?.content ?? '';
    assert.match(String(asked), /\| You are the assistant of a shop/);
    assert.match(String(asked), /\| assistant: No idea\. \| Conversation 2:/);

    const again = [...args, '--model', 'openai:draft', '--replay', 'draft.rec.jsonl'];
    const taken = await turnlight(folder, again);
    assert.deepEqual([taken.code, taken.out], [3, '']);
    assert.match(taken.err, /log\.eval\.yaml already exists/);
    const replayed = await turnlight(folder, [...again, '--output', 'again.eval.yaml']);
    assert.equal(replayed.code, 0, replayed.err);
    const later = readFileSync(join(folder, 'again.eval.yaml'), 'utf8');
    assert.equal(later.slice(later.indexOf('cases:')), text.slice(text.indexOf('cases:')));
    assert.match(later, /judge: openai:draft\n/);
    assert.equal(server.requests.length, 1);
  });

  it("does not send the environment's keys, even if the log escapes them", async (t) => {
    const server = await startModelServer([json({ cases: [CASE] })]);
    t.after(() => server.close());
    const key = 'Qw3rTy+Zx9/LmN=OpQr12';
    const log = jsonLines(TALK).replace('No idea', key.replace('+', '\\u002B'));
    const prompt = `${PROMPT}The key is ${key}.\n`;
    const folder = await workspaceWith(t, { 'prompt.md': prompt, 'log.jsonl': log });
    const args = ['generate', 'log.jsonl', '--system', 'prompt.md'];
    const model = ['--model', 'openai:draft', '--base-url', server.baseUrl];
    const { code, err } = await turnlight(folder, [...args, ...model], { AZURE_API_KEY: key });
    assert.equal(code, 0, err);
    const asked = JSON.stringify(server.requests.map(({ body }) => body));
    assert.equal(asked.split('[hidden: AZURE_API_KEY]').length, 3);
    assert.ok(!asked.includes('LmN=OpQr12'));
  });

  it('retries an unusable answer once, then exits with 2', async (t) => {
    const server = await startModelServer([
      'Sure! Here they are.',
      json({ cases: [CASE] }),
      json({ cases: [] }),
      json({ cases: [{ ...CASE, criteria: [] }] }),
    ]);
    t.after(() => server.close());
    const folder = await workspaceWith(t, { 'prompt.md': PROMPT });
    const args = ['generate', '--system', 'prompt.md', '--model', 'openai:draft'];
    const to = ['--base-url', server.baseUrl, '--force'];
    const repaired = await turnlight(folder, [...args, ...to]);
    assert.deepEqual([repaired.code, repaired.out], [0, '1 drafted case in prompt.eval.yaml.\n']);
    const failed = await turnlight(folder, [...args, ...to, '--output', 'b.eval.yaml']);
    assert.equal(failed.code, 2);
    assert.match(failed.err, /^No cases were drafted\. The case "lost-parcel" has no criteria\./);
    assert.ok(!existsSync(join(folder, 'b.eval.yaml')));
  });

  it('writes no address with a secret into the eval file, and does not print it', async (t) => {
    const folder = await workspaceWith(t, { 'system.txt': 'You help.' });
    for (const address of [
      'http://u:Sup3rSecret@127.0.0.1:9/v1',
      'http://127.0.0.1:9/?k=Sup3rSecret',
    ]) {
      const args = ['--system', 'system.txt', '--model', 'openai:x', '--base-url', address];
      const { code, out, err } = await turnlight(folder, ['generate', ...args]);
      assert.equal(code, 3);
      assert.match(err, /must not contain a user name, a password, or a query/);
      assert.ok(!`${out}${err}`.includes('Sup3rSecret'));
    }
  });

  it('exits with 2 if the model refuses or is down, and with 3 if it is not called', async (t) => {
    const server = await startModelServer([unauthorized(), { refusal: 'No.' }, rateLimited()]);
    t.after(() => server.close());
    const folder = await workspaceWith(t, { 'prompt.md': PROMPT, 'x.json': '{"colour": 1}' });
    const args = ['generate', '--system', 'prompt.md'];
    const model = ['--model', 'openai:draft', '--base-url', server.baseUrl];
    assert.equal((await turnlight(folder, [...args, ...model])).code, 2);
    const refused = await turnlight(folder, [...args, ...model]);
    assert.deepEqual([refused.code, refused.err], [2, 'The model refused to draft cases. No.\n']);
    const none = await turnlight(folder, ['generate', 'x.json', ...model]);
    assert.equal(none.code, 3);
    assert.match(none.out, /There is no conversation to draft from\./);
    await writeFile(join(folder, 'empty.md'), '\n');
    const empty = await turnlight(folder, ['generate', '--system', 'empty.md', ...model]);
    assert.equal(empty.code, 3);
    assert.match(empty.out, /The system prompt is empty\./);
    for (const wrong of [['generate', ...model], args, [...args, '--model', 'nobody:x']]) {
      const { code, err } = await turnlight(folder, wrong);
      assert.equal(code, 3, wrong.join(' '));
      assert.notEqual(err, '');
    }
    const elsewhere = ['--model', 'openai:draft', '--base-url', 'https://llm.example.com/v1'];
    const blocked = await turnlight(folder, [...args, ...elsewhere], { OPENAI_API_KEY: 'sk-x' });
    assert.equal(blocked.code, 3);
    assert.match(blocked.err, /llm\.example\.com/);
  });
});
