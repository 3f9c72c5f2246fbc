import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { LIMITS } from '../../../src/core/limits.ts';
import { turnlightProcess } from '../../support/commandLine.ts';
import { workspaceWith } from '../../support/runs.ts';
import { startService } from '../../support/service.ts';

/** Limits the heap, in megabytes. Parsed, the text would need far more. */
const HEAP = { NODE_OPTIONS: '--max-old-space-size=160' };

const SUITE = `cases:
  - id: a
    transcripts: data.jsonl
    assert: [{type: contains, value: Hello}]
`;

const GOOD = '[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}]\n';

async function runOn(t: TestContext, data: string) {
  const folder = await workspaceWith(t, { 'suite.eval.yaml': SUITE, 'data.jsonl': data });
  return turnlightProcess(folder, ['run'], HEAP);
}

/** A list of the given number of empty mappings, which is a hundred times as large when parsed. */
const mappings = (count: number) => `[${'{},'.repeat(count - 1)}{}]`;

describe('a data set', { timeout: 120_000, concurrency: true }, () => {
  for (const [what, line, told] of [
    ['a line of many values', `{"messages":${mappings(4_000_000)}}`, /more than 500,000 values/],
    ['a line of open brackets', '['.repeat(20_000_000), /nested too deep/],
    ['a line of 60 MB', `["${'x'.repeat(60_000_000)}"]`, /more than 20,000,000 bytes/],
  ] as const) {
    it(`with ${what} is an error, and other cases run`, async (t) => {
      const { code, out, err } = await runOn(t, `${GOOD}${line}\n${GOOD}`);
      assert.equal(code, 2, err);
      assert.match(out, told);
      assert.match(out, /Cases: 2 passed, 0 failed, 1 errored/);
    });
  }

  it('of empty lines is refused above the limit, and read up to it', async (t) => {
    const lines = (count: number) => `${'\n'.repeat(count)}${GOOD}`;
    const refused = await runOn(t, lines(2 * LIMITS.dataLines));
    assert.equal(refused.code, 3);
    assert.match(refused.err, /data\.jsonl:1:1: error too-many-lines .* 1,000,000 lines/);
    const read = await runOn(t, lines(LIMITS.dataLines - 2));
    assert.equal(read.code, 0, read.out + read.err);
  });
});

describe('an answer of many values', { timeout: 120_000 }, () => {
  const KINDS = {
    http: 'target: {type: http, url: URL, body: {m: "{{message}}"}, reply: /choices/0}',
    a2a: 'target: {type: a2a, url: URL}',
    chat: 'target: {type: chat, model: {provider: openai, model: x, base_url: URL}}',
  };
  for (const [kind, target] of Object.entries(KINDS)) {
    it(`of ${kind} is an error before it is parsed`, async (t) => {
      const body = `{"choices":${mappings(4_000_000)}}`;
      const { url } = await startService(t, (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(body);
      });
      const cases = `${target.replace('URL', url)}
cases:
  - {id: a, turns: [Hi], assert: [{type: contains, value: x}]}
`;
      const folder = await workspaceWith(t, { 'suite.eval.yaml': cases });
      const host = new URL(url).host;
      const { code, out, err } = await turnlightProcess(folder, ['run', '--allow-host', host], {
        ...HEAP,
        OPENAI_API_KEY: 'k',
      });
      assert.equal(code, 2, out + err);
      assert.match(out, /more than 500,000 values/);
    });
  }
});
