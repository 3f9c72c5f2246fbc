import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { SILENT } from '../../../src/core/logger.ts';
import { Scrubber } from '../../../src/core/scrubber.ts';
import type { Assertion, Suite } from '../../../src/core/suite.ts';
import { loadSuite } from '../../../src/evalfile/load.ts';
import { nodeFiles } from '../../../src/evalfile/nodeFiles.ts';
import {
  estimateImprovement,
  ImproveError,
  improveJudge,
  rewordingEdit,
  wordingFile,
} from '../../../src/improve/improveJudge.ts';
import { rewriteQuestion } from '../../../src/judge/examples/rewrite.ts';
import { createModel, parseModelSpec } from '../../../src/models/registry.ts';
import { readLabels } from '../../../src/store/labels.ts';
import type { ChatBody } from '../../support/modelServer/chatBody.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { json } from '../../support/modelServer/steps.ts';

const EXAMPLE = resolve(import.meta.dirname, '../../../examples/next-step');
const BETTER = 'The assistant says who does what next and by when, or that nothing is left to do.';

const textOf = (body: ChatBody) => body.messages.map(({ content }) => content).join('\n');

/** Answers "met" for every conversation. With the better criterion, it agrees with people. */
function judged(body: ChatBody) {
  const text = textOf(body);
  const block = /=== CONVERSATION ===\n([\s\S]*?)=== END OF/.exec(text)?.[1] ?? '';
  const isVague = /looking into|soon|form for|passed this on|going to call|how it is/.test(block);
  const isMet = !(text.includes(BETTER) && isVague);
  const turn = { turn: 2, applicable: true, rationale: 'r', evidence: '' };
  const one = {
    criterion: 1,
    turns: [{ ...turn, verdict: isMet ? 'pass' : 'fail' }],
    rationale: 'As it says.',
    outcome: isMet ? 'met' : 'not-met',
  };
  return json({ criteria: [one], rationale: 'r' });
}

async function setUp(t: TestContext, rewrites: readonly object[], change = (text: string) => text) {
  const asked: string[] = [];
  const left = [...rewrites];
  const server = await startModelServer((body) => {
    if (body.response_format?.json_schema?.name !== 'rewrite') return judged(body);
    asked.push(textOf(body));
    return json(left.shift() ?? {});
  });
  t.after(() => server.close());
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-improve-')));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await cp(EXAMPLE, folder, { recursive: true });
  const path = join(folder, 'next-step.eval.yaml');
  const text = (await readFile(path, 'utf8'))
    .replace('provider: replay', 'provider: openai')
    .replace('path: ./recordings/judge.jsonl', `base_url: "${server.baseUrl}"`)
    .replace('      examples: labels\n', '');
  await writeFile(path, change(text));
  const { suite, problems } = await loadSuite(path, nodeFiles(), {
    workspace: folder,
    env: () => undefined,
  });
  assert.ok(suite, JSON.stringify(problems));
  const host = {
    env: () => undefined,
    secret: async () => 'key',
    scrubber: new Scrubber({}),
    log: SILENT,
  };
  const parsed = parseModelSpec('openai:writer', '/');
  assert.ok('spec' in parsed);
  const params = { ...parsed.spec.params, base_url: server.baseUrl };
  const model = await createModel({ ...parsed.spec, params }, host);
  const { labels } = await readLabels(path);
  const improve = () =>
    improveJudge({
      suite,
      labels,
      key: 'Next step',
      model,
      onProgress: () => {},
      options: {
        ...host,
        concurrency: 2,
        timeout: 5_000,
        forbidOnly: false,
        keepRecord: false,
        described: {},
        signal: new AbortController().signal,
        onEvent: () => {},
      },
    });
  return { improve, asked, suite, labels, path };
}

function firstOf(suite: Suite): Assertion {
  const [assertion] = suite.cases[0]?.assertions ?? [];
  assert.ok(assertion);
  return assertion;
}

describe('a judge that is improved by labels', () => {
  it('is rewritten by disagreements of one half, and measured on the other', async (t) => {
    const { improve, asked, suite, path } = await setUp(t, [{ why: 'Plainer.', words: BETTER }]);
    const before = await readFile(path, 'utf8');
    const { after, why, measured, leftOut, shown } = await improve();
    assert.deepEqual([after, why, leftOut], [BETTER, 'Plainer.', 6]);
    const [asItIs, rewritten] = measured.judges.map(({ rows }) => rows[0]?.accuracy ?? 0);
    assert.ok((asItIs ?? 1) < (rewritten ?? 0) && rewritten === 1);
    const [request = ''] = asked;
    assert.equal(request.match(/--- disagreement \d+ ---/g)?.length, shown);
    // The measured conversations weren't shown to the model.
    const said = suite.cases.map(({ origin }) =>
      origin.kind === 'transcript' ? (origin.messages[0]?.message.content ?? '') : '',
    );
    const seen = said.filter((words) => request.includes(words));
    assert.equal(seen.length, shown);
    assert.ok(shown > 0 && shown <= 6);
    assert.equal(await readFile(path, 'utf8'), before);
  });

  it('changes the words of the criterion and nothing else', async (t) => {
    const { suite, path } = await setUp(t, []);
    const assertion = firstOf(suite);
    assert.equal(wordingFile(assertion), path);
    const text = await readFile(path, 'utf8');
    const [edit, ...more] = rewordingEdit(assertion, text, BETTER);
    assert.deepEqual(more, []);
    assert.match(edit?.newText ?? '', /says who does what next/);
    const line = text.split('\n')[edit?.range.start.line ?? 0];
    assert.match(line ?? '', /criterion: The assistant tells/);
    const edited = text.replace('The assistant tells', 'It tells');
    assert.deepEqual(rewordingEdit(assertion, edited, BETTER), []);
  });

  it('keeps the variables of a prompt: a rewriting without them is asked for again', async () => {
    const given = ['Without.', 'Clear at once? {{conversation}}'];
    const { words } = await rewriteQuestion(
      {
        id: 'writer',
        complete: async () => [
          {
            text: JSON.stringify({ why: 'w', words: given.shift() }),
            finish: 'stop',
            toolCalls: [],
            usage: { calls: 1, input_tokens: 1, cached_tokens: 0, output_tokens: 1, cost: null },
          },
        ],
      },
      'Is it clear? {{conversation}}',
      [],
      new AbortController().signal,
    );
    assert.equal(words, 'Clear at once? {{conversation}}');
  });

  it('changes the text of a judge prompt behind its front matter', async () => {
    const folder = resolve(EXAMPLE, '../context-retention');
    const path = join(folder, 'context-retention.eval.yaml');
    const { suite } = await loadSuite(path, nodeFiles(), {
      workspace: folder,
      env: () => undefined,
    });
    assert.ok(suite);
    const assertion = firstOf(suite);
    const file = wordingFile(assertion);
    assert.equal(file, join(folder, 'judges/context-retention.md'));
    const text = await readFile(file, 'utf8');
    const [edit] = rewordingEdit(assertion, text, 'Other {{conversation}}.');
    const lines = text.split('\n').slice(0, edit?.range.start.line);
    assert.equal(lines.filter((line) => line === '---').length, 2);
    assert.deepEqual(rewordingEdit(assertion, `${text}\nMore.`, 'x'), []);
  });

  it('is left alone where judge and people agree, or there are too few labels', async (t) => {
    const { improve } = await setUp(t, [], (text) =>
      text.replace('The assistant tells the customer what happens next.', BETTER),
    );
    await assert.rejects(improve(), (error) => {
      assert.ok(error instanceof ImproveError);
      assert.equal(error.reason, 'no-disagreement');
      return true;
    });
  });

  it('reports the reason if the judge cannot judge', async (t) => {
    const { improve } = await setUp(t, [], (text) =>
      text.replace(/base_url: .*/, 'base_url: "http://127.0.0.1:1"'),
    );
    await assert.rejects(improve(), (error) => {
      assert.ok(error instanceof ImproveError);
      assert.equal(error.reason, 'unjudged');
      assert.match(error.message, /127\.0\.0\.1/);
      return true;
    });
  });

  it('tells beforehand what judging takes, and that a recording has no answers to other words', async (t) => {
    const { suite, labels } = await setUp(t, []);
    const { requests } = await estimateImprovement({ suite, labels, key: 'Next step' });
    assert.equal(requests, 18);
    const recorded = await setUp(t, [], (text) =>
      text
        .replace('provider: openai', 'provider: replay')
        .replace(/base_url: .*/, 'path: ./recordings/judge.jsonl'),
    );
    const asked = { suite: recorded.suite, labels: recorded.labels, key: 'Next step' };
    await assert.rejects(estimateImprovement(asked), (error) => {
      assert.ok(error instanceof ImproveError);
      assert.equal(error.reason, 'recorded');
      return true;
    });
  });
});
