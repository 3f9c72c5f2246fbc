import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { imagesIn, turnsOf } from '../../../src/core/conversation.ts';
import { sha256 } from '../../../src/node/hashes.ts';
import { earlierRuns } from '../../../src/store/records/list.ts';
import { PNG } from '../../support/images.ts';
import { httpError } from '../../support/modelServer/faults.ts';
import { type Script, startModelServer } from '../../support/modelServer/server.ts';
import { json } from '../../support/modelServer/steps.ts';
import { type RunFilesOptions, runFiles, workspaceWith } from '../../support/runs.ts';

const URL = `data:image/png;base64,${PNG.toString('base64')}`;
const DIGEST = sha256(PNG);
const FILE = `${DIGEST}.png`;
const MARKED = 'What is it?\n\n[image: A red square]';
const BLIND = '[The images are not shown to you.]';

const answer: Script = ({ response_format: format }) => {
  const entry = { turn: 2, applicable: true, verdict: 'pass', rationale: 'r', evidence: 'A red' };
  return format ? json({ turns: [entry], rationale: 'r', score: 9 }) : 'A red square.';
};

interface Setup extends RunFilesOptions {
  readonly script?: Script;
  /** Further keys of the model, or of its provider. */
  readonly keys?: string;
  readonly provider?: string;
  readonly target?: string;
  /** The case's key with its messages. */
  readonly said?: string;
  /** The content of `square.png`. */
  readonly file?: Uint8Array | string;
}

const USER =
  'user: [{type: text, text: What is it?}, {type: image, path: square.png, alt: A red square}]';

/** A run of a case with an image, and the bodies of its requests: to the target, and to the judge. */
async function ran(t: TestContext, { script = answer, ...setup }: Setup = {}) {
  const { keys = '', provider = 'openai', target, file = PNG, ...options } = setup;
  const { said = `turns: [{${USER}}]` } = setup;
  const server = await startModelServer(script);
  t.after(() => server.close());
  const workspace = options.workspace ?? (await workspaceWith(t, {}));
  await writeFile(join(workspace, 'square.png'), file);
  const base = provider === 'ollama' ? server.baseUrl.replace('/v1', '') : server.baseUrl;
  const result = await runFiles(
    t,
    {
      'bot.mjs': 'export default (messages) => messages.at(-1).content;\n',
      'suite.eval.yaml': `models:
  m: {provider: ${provider}, model: m, base_url: "${base}"${keys}}
judge: m
target: ${target ?? '{type: chat, model: m}'}
cases:
  - id: a
    ${said}
    assert: [{type: g-eval, criteria: It names the color., steps: [Look.]}]
`,
    },
    { workspace, ...options },
  );
  const bodies = server.requests.map(({ body }) => body as { messages?: unknown; input?: unknown });
  return { ...result, bodies, texts: server.requests.map(({ text }) => text) };
}

function contentsOf(messages: unknown): unknown[] {
  return (messages as { role: string; content: unknown }[])
    .filter(({ role }) => role === 'user')
    .map(({ content }) => content);
}

describe('an image in a conversation', () => {
  it('is sent to a chat model, and to a judge before its question', async (t) => {
    const { bodies, lines } = await ran(t);
    assert.equal(lines[0]?.status, 'pass');
    const part = { type: 'image_url', image_url: { url: URL } };
    assert.deepEqual(contentsOf(bodies[0]?.messages), [[{ type: 'text', text: MARKED }, part]]);
    const [evidence, question] = contentsOf(bodies[1]?.messages) as [
      { type: string; text: string }[],
      string,
    ];
    assert.deepEqual(evidence[1], part);
    assert.match(
      evidence[0]?.text ?? '',
      /\n\| \[image: A red square\]\n\[image\]\n\[2 assistant\]/,
    );
    assert.match(evidence[0]?.text ?? '', /\[image\] marks each image/);
    assert.match(question, /It names the color/);
  });

  it('is sent in the format of the Responses API', async (t) => {
    const { bodies } = await ran(t, { keys: ', api: responses' });
    assert.deepEqual(contentsOf(bodies[0]?.input), [
      [
        { type: 'input_text', text: MARKED },
        { type: 'input_image', image_url: URL, detail: 'auto' },
      ],
    ]);
  });

  for (const [what, setup] of Object.entries({
    'a model with `images: false`': { keys: ', images: false' },
    'a model of Ollama': { provider: 'ollama' },
  })) {
    it(`is only named to ${what}, and a note says so`, async (t) => {
      const { bodies, texts, lines } = await ran(t, setup);
      assert.deepEqual(contentsOf(bodies[0]?.messages), [`${MARKED}\n\n${BLIND}`]);
      assert.ok(texts[1]?.includes(BLIND));
      assert.ok(!texts.join('').includes('base64'));
      assert.deepEqual(lines[0]?.conversation.notes, [
        "The assistant doesn't take images: it got only the text that marks them.",
      ]);
    });
  }

  it('is text for other targets, and shown to the judge', async (t) => {
    const { bodies, lines } = await ran(t, { target: '{type: module, path: ./bot.mjs}' });
    const [, reply] = lines[0] ? turnsOf(lines[0].conversation) : [];
    assert.deepEqual(reply?.items, [{ kind: 'text', text: MARKED }]);
    assert.ok(JSON.stringify(bodies[0]).includes(URL));
  });

  it('that a model refuses is an error that names the key', async (t) => {
    const { lines } = await ran(t, { script: () => httpError(400, 'image_url: not text') });
    assert.equal(lines[0]?.status, 'error');
    assert.match(lines[0]?.reason ?? '', /If the model takes none, set its `images` to false/);
  });

  it('is stored once next to the record, which contains its digest', async (t) => {
    const { lines, workspace, record = '' } = await ran(t);
    const again = await ran(t, { workspace });
    assert.deepEqual(await readdir(join(workspace, '.turnlight', 'images')), [FILE]);
    assert.deepEqual(await readFile(join(workspace, '.turnlight', 'images', FILE)), PNG);
    const images = [{ digest: DIGEST, media_type: 'image/png', alt: 'A red square' }];
    assert.deepEqual(lines[0] && imagesIn(turnsOf(lines[0].conversation)), images);
    assert.equal(again.lines[0]?.input_hash, lines[0]?.input_hash);
    assert.ok(!(await readFile(record, 'utf8')).includes(PNG.toString('base64')));
  });

  it('is never written through a link', async (t) => {
    const workspace = await workspaceWith(t, { 'elsewhere/a': '' });
    await mkdir(join(workspace, '.turnlight'));
    await symlink(
      join(workspace, 'elsewhere'),
      join(workspace, '.turnlight', 'images'),
      'junction',
    );
    const { writeErrors, lines } = await ran(t, { workspace });
    assert.equal(lines[0]?.status, 'pass');
    assert.match(writeErrors[0]?.message ?? '', /^The images cannot be written\. .*symbolic link/);
    assert.deepEqual(await readdir(join(workspace, 'elsewhere')), ['a']);
  });

  it('is replayed without its file; a recording has only its digest', async (t) => {
    const workspace = await workspaceWith(t, {});
    const recording = join(workspace, 'r.jsonl');
    await ran(t, { workspace, record: recording });
    const text = await readFile(recording, 'utf8');
    assert.ok(text.includes(DIGEST) && !text.includes(PNG.toString('base64')));
    const { lines, bodies } = await ran(t, { workspace, replay: recording });
    assert.equal(lines[0]?.status, 'pass');
    assert.deepEqual(bodies, []);
  });

  it('is judged again with its conversation, unless another one is in its place', async (t) => {
    const said = `transcript: [{${USER}}, {assistant: A red square.}]`;
    const { workspace } = await ran(t, { said });
    const rejudged = async (file: Uint8Array | string) => {
      const earlier = await earlierRuns([join(workspace, 'suite.eval.yaml')]).next();
      assert.ok(!earlier.done);
      return ran(t, { workspace, said, file, judgeAgain: earlier.value });
    };
    const { lines, bodies } = await rejudged(PNG);
    assert.equal(lines[0]?.status, 'pass');
    assert.ok(JSON.stringify(bodies[0]).includes(URL));
    const [verdict] = (await rejudged('GIF89a')).lines[0]?.verdicts ?? [];
    assert.match(verdict?.rationale ?? '', /differ from those of its recorded conversation/);
  });
});
