import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { TerminalReporter } from '../../../src/report/terminal.ts';
import * as faults from '../../support/modelServer/faults.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { type Ran, runFiles } from '../../support/runs.ts';

/** Nothing listens on this port, and no test can get it. */
const NOBODY = 'http://127.0.0.1:2';
const CASES = 20;

function suite(top: string): string {
  const cases = Array.from(
    { length: CASES },
    (_, index) => `  - {id: c${index + 1}, turns: [Hello], assert: [{type: contains, value: ok}]}`,
  );
  return `${top}cases:\n${cases.join('\n')}\n`;
}

function logged() {
  const told: string[] = [];
  const tell = (text: string) => void told.push(text);
  return { told, log: { debug: tell, info: tell, warn: tell, error: tell } };
}

function reasonsOf({ lines }: Ran): string[] {
  return lines.map(({ reason = '' }) => reason);
}

function reported({ events }: Ran): string {
  const written: string[] = [];
  const reporter = new TerminalReporter({
    write: (text) => written.push(text),
    live: false,
    colors: false,
    size: () => ({ columns: 200, rows: 30 }),
    folder: '/',
    now: () => 0,
  });
  for (const event of events) reporter.event(event);
  const before = written.length;
  reporter.finish();
  return written.slice(before).join('');
}

describe('a run whose endpoint is down', { concurrency: true }, () => {
  for (const [what, top, why] of [
    [
      'nobody answers a model',
      `models: {m: {provider: openai, model: m, base_url: "${NOBODY}/v1"}}\ntarget: {type: chat, model: m}\n`,
      /The endpoint http:\/\/127\.0\.0\.1:2\/v1 cannot be reached \(connect ECONNREFUSED/,
    ],
    [
      'nobody answers a service',
      `target: {type: http, url: "${NOBODY}/chat"}\n`,
      /http:\/\/127\.0\.0\.1:2\/chat cannot be reached \(connect ECONNREFUSED/,
    ],
  ] as const) {
    it(`where ${what}: sends no more requests, ends every case, and reports it once`, async (t) => {
      const { told, log } = logged();
      const ran = await runFiles(t, { 'suite.eval.yaml': suite(top) }, { log });
      assert.deepEqual(ran.end.counts, { pass: 0, fail: 0, error: CASES, skipped: 0 });
      assert.equal(told.filter((text) => why.test(text)).length, 1, told.join('\n'));
      const unasked = reasonsOf(ran).filter((reason) => reason.includes('Not sent, because'));
      assert.ok(unasked.length >= CASES - 4, reasonsOf(ran).join('\n'));
      assert.ok(reasonsOf(ran).every((reason) => why.test(reason)));
      const report = reported(ran);
      assert.equal(report.match(/ECONNREFUSED/g)?.length, 2, report);
      assert.match(report, /The same error ended 1\d more cases: c\d+, /);
    });
  }

  it('stops calling it after a few failures if it fails on every request', async (t) => {
    const server = await startModelServer(() => faults.serverError(503));
    t.after(() => server.close());
    const { told, log } = logged();
    const top = `models: {m: {provider: openai, model: m, base_url: "${server.baseUrl}"}}\ntarget: {type: chat, model: m}\n`;
    const ran = await runFiles(t, { 'suite.eval.yaml': suite(top) }, { log, concurrency: 1 });
    assert.equal(ran.end.counts.error, CASES);
    assert.equal(server.requests.length, 3 * 4);
    assert.equal(told.length, 1);
    assert.match(told[0] ?? '', /even after retries.*\nRequests to it fail immediately/);
  });
});

describe('a queued reply', { concurrency: true }, () => {
  /** Milliseconds. Waiting takes twice as long. */
  const TIMEOUT = 1_000;
  const expectWaited = (ran: Ran) => {
    const [line] = ran.lines;
    assert.equal(line?.status, 'pass', JSON.stringify([line?.reason, line?.verdicts]));
    assert.ok((line?.duration ?? 0) > TIMEOUT);
  };
  const within = '{type: max-latency, max: 1000}';

  it("has the time limits of its target and model without the wait, and isn't slow", async (t) => {
    const server = await startModelServer((_body, index) =>
      index < 3 ? faults.rateLimited(0.7) : 'ok',
    );
    t.after(() => server.close());
    const text = `models: {m: {provider: openai, model: m, base_url: "${server.baseUrl}", timeout: ${TIMEOUT}}}
target: {type: chat, model: m, timeout: ${TIMEOUT}}
cases: [{id: c, turns: [Hello], assert: [${within}]}]
`;
    expectWaited(await runFiles(t, { 'suite.eval.yaml': text }));
  });

  it('of a service: the same', async (t) => {
    let asked = 0;
    const server = createServer((_request, response) => {
      asked += 1;
      if (asked <= 3) response.writeHead(429, { 'retry-after-ms': '700' }).end();
      else response.end('ok');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const text = `target: {type: http, url: "http://127.0.0.1:${port}/", timeout: ${TIMEOUT}}
cases: [{id: c, turns: [Hello], assert: [${within}]}]
`;
    expectWaited(await runFiles(t, { 'suite.eval.yaml': text }));
  });
});
