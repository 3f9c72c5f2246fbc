import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { LIMITS } from '../../../src/core/limits.ts';
import { imagesOf } from '../../../src/core/message.ts';
import type { SuiteCase } from '../../../src/core/suite.ts';
import { FileError } from '../../../src/evalfile/files.ts';
import { nodeFiles } from '../../../src/evalfile/nodeFiles.ts';
import { inputHash, sha256 } from '../../../src/node/hashes.ts';
import { load, placed, suiteWith, WORKSPACE } from '../../support/evalFiles.ts';
import { PNG } from '../../support/images.ts';

const TOP = 'target: {type: module, path: ./bot.mjs}\n';
const CHECK = 'assert: [It is friendly.]\n';
const BESIDE = { 'shoe.png': PNG.toString('latin1'), 'shoe.gif': 'GIF89a' };
const IMAGE = { digest: sha256(PNG), media_type: 'image/png' };

const loaded = (keys: string) => load(suiteWith(keys, TOP), BESIDE);

async function built(keys: string): Promise<SuiteCase> {
  const suite = await loaded(keys);
  assert.deepEqual(placed(suite), []);
  const [one] = suite.suite?.cases ?? [];
  assert.ok(one);
  return one;
}

async function problemsOf(keys: string): Promise<string[]> {
  const { problems } = await loaded(keys);
  return problems.map(
    ({ code, message, range: { start } }) => `${start.line + 1} ${code}: ${message}`,
  );
}

const turnWith = (part: string) => `turns:\n  - user: [${part}]\n${CHECK}`;

const transcriptWith = (part: object) =>
  `transcript: ${JSON.stringify([
    { role: 'user', content: [{ type: 'text', text: 'What is it?' }, part] },
    { role: 'assistant', content: 'A shoe.' },
  ])}\n${CHECK}`;

describe('an image', () => {
  it('is marked in the text of its turn', async () => {
    const one = await built(
      turnWith('{type: text, text: Which color?}, {type: image, path: shoe.png, alt: A shoe}'),
    );
    assert.ok(one.origin.kind === 'turns');
    const [turn] = one.origin.turns;
    assert.equal(turn?.user, 'Which color?\n\n[image: A shoe]');
    assert.deepEqual(turn?.images, [{ ...IMAGE, alt: 'A shoe' }]);
    assert.deepEqual(one.images?.get(IMAGE.digest), { path: join(WORKSPACE, 'shoe.png') });
  });

  it('fills variables into its text, and not into its path', async () => {
    const one = await built(
      `context: {what: red}\n${turnWith('{type: text, text: "Is it {{what}}?"}, {type: image, path: shoe.png, alt: "A {{what}} shoe"}')}`,
    );
    assert.ok(one.origin.kind === 'turns');
    assert.equal(one.origin.turns[0]?.user, 'Is it red?\n\n[image: A red shoe]');
    const wrong = turnWith("{type: image, path: '{{what}}.png'}");
    const [problem = ''] = await problemsOf(`context: {what: shoe}\n${wrong}`);
    assert.match(problem, /file-missing: There is no file "\{\{what\}\}\.png"/);
  });

  it('may be base64 with line breaks', async () => {
    const base64 = PNG.toString('base64').replace(/.{40}/g, '$&\n');
    const one = await built(transcriptWith({ type: 'image', data: base64 }));
    assert.ok(one.origin.kind === 'transcript');
    const [message] = one.origin.messages.map(({ message }) => message);
    assert.equal(message?.content, 'What is it?\n\n[image]');
    assert.deepEqual(message && imagesOf(message), [IMAGE]);
    assert.deepEqual(one.images?.get(IMAGE.digest), { bytes: PNG });
  });

  it('is read from the history, in shorthand', async () => {
    const one = await built(
      `history:\n  - user: [{type: image, path: shoe.png}]\n  - assistant: A shoe.\nturns: [Thanks]\n${CHECK}`,
    );
    assert.ok(one.origin.kind === 'turns');
    const [first] = one.origin.history?.messages ?? [];
    assert.deepEqual(first && imagesOf(first.message), [IMAGE]);
  });

  const url = `data:image/png;base64,${PNG.toString('base64')}`;
  for (const [format, part] of Object.entries({
    'OpenAI chat': { type: 'image_url', image_url: { url } },
    'OpenAI Responses': { type: 'input_image', image_url: url },
    Anthropic: {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: PNG.toString('base64') },
    },
    'AI SDK': { type: 'image', image: url },
  })) {
    it(`is read from the data of ${format}`, async () => {
      const given = format === 'OpenAI Responses' ? [{ type: 'input_text', text: 'Hi' }] : [];
      const list = [
        { role: 'user', content: [...given, part] },
        { role: 'assistant', content: 'A shoe.' },
      ];
      const one = await built(`transcript: ${JSON.stringify(list)}\n${CHECK}`);
      assert.ok(one.origin.kind === 'transcript');
      const [first] = one.origin.messages;
      assert.deepEqual(first && imagesOf(first.message), [IMAGE]);
    });
  }

  it('in another format only causes a warning if it cannot be read', async () => {
    const broken = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    const suite = await loaded(transcriptWith(broken));
    assert.deepEqual(
      suite.problems.map(({ severity, message }) => [severity, message]),
      [['warning', 'This is not a PNG, JPEG, GIF, or WebP image. It is not shown.']],
    );
    assert.equal(suite.suite?.cases.length, 1);
  });

  it('at a URL is never fetched: a note says so', async () => {
    const one = await built(
      transcriptWith({ type: 'image', url: 'https://x/a.png', alt: 'A shoe' }),
    );
    assert.ok(one.origin.kind === 'transcript');
    assert.equal(one.origin.messages[0]?.message.content, 'What is it?\n\n[image: A shoe]');
    assert.deepEqual(one.origin.notes, ['Message 1: An image at a URL, which is not fetched.']);
    assert.equal(one.images, undefined);
  });

  it('changes the hash of the inputs', async () => {
    const hashes = ['shoe.png', 'shoe.gif'].map(async (path) =>
      inputHash(await built(turnWith(`{type: image, path: ${path}}`)), undefined),
    );
    const [png, gif] = await Promise.all(hashes);
    assert.notEqual(png, gif);
  });

  const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64');
  const HUGE = 'A'.repeat(Math.ceil((LIMITS.image * 4) / 3) + 8);
  for (const [what, part, expected] of [
    [
      'a missing file',
      '{type: image, path: no.png}',
      /^5 file-missing: There is no file "no\.png"/,
    ],
    ['a path out of the workspace', '{type: image, path: ../../a.png}', /^5 path-outside: /],
    [
      'an SVG file',
      '{type: image, path: a.svg}',
      /^5 unknown-file-type: .*an image file ends in \.png/,
    ],
    ['SVG as base64', `{type: image, data: ${SVG}}`, /^5 image-not-image: This is not a PNG/],
    [
      'a file that is no image',
      '{type: image, path: bot.png}',
      /^5 image-not-image: This is not a PNG/,
    ],
    [
      'no base64',
      '{type: image, data: "data:image/png"}',
      /^5 image-not-image: This is not base64/,
    ],
    [
      'a huge image',
      `{type: image, data: ${HUGE}}`,
      /^5 image-too-large: .*5\.0 MB; the limit is 5 MB\. Use a smaller image\./,
    ],
    [
      'two places',
      '{type: image, path: shoe.png, data: AAAA}',
      /^5 wrong-value: An image needs exactly one/,
    ],
    ['no place', '{type: image, alt: x}', /^5 wrong-value: An image needs exactly one/],
    [
      'an unknown key',
      '{type: image, path: shoe.png, alte: x}',
      /^5 unknown-key: .*Did you mean "alt"\?/,
    ],
    ['an unknown part', '{type: video, path: shoe.png}', /^5 /],
  ] as const) {
    it(`reports ${what}`, async () => {
      const suite = await load(suiteWith(turnWith(part), TOP), { ...BESIDE, 'bot.png': 'hello' });
      const [first] = suite.problems.map(
        ({ code, message, range: { start } }) => `${start.line + 1} ${code}: ${message}`,
      );
      assert.match(first ?? '', expected);
      assert.equal(suite.suite, undefined);
    });
  }

  it('is one of at most 20 in a conversation', async () => {
    const parts = Array.from({ length: LIMITS.images + 1 }, () => '{type: image, path: shoe.png}');
    const problems = await problemsOf(turnWith(parts.join(', ')));
    assert.deepEqual(problems, [
      '5 image-too-large: The conversation has more than 20 images, or more than 20 MB of images. Remove some.',
    ]);
  });

  it('is read again once its file has changed', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'turnlight-images-'));
    t.after(() => rm(folder, { recursive: true }));
    const path = join(folder, 'a.png');
    const files = nodeFiles();
    await writeFile(path, PNG);
    assert.equal((await files.image(path)).digest, sha256(PNG));
    await writeFile(path, 'GIF89a');
    assert.equal((await files.image(path)).media_type, 'image/gif');
    await writeFile(path, Buffer.concat([PNG, Buffer.alloc(LIMITS.image)]));
    await assert.rejects(files.image(path), FileError);
  });
});
