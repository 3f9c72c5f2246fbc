import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { turnlightProcess } from '../../support/commandLine.ts';
import { putFiles, workspaceWith } from '../../support/runs.ts';
import { exportRequest, scriptedSpans } from '../../support/scriptedSpans.ts';
import { answerJson, startService } from '../../support/service.ts';
import { freePort, turnOf } from '../../support/tracedAgent.ts';

describe('turnlight traces', () => {
  it('prints the variables with which a service sends its spans to a run', async (t) => {
    const folder = await workspaceWith(t, {});
    const port = String(await freePort());
    const { code, out } = await turnlightProcess(folder, ['traces', '--traces-port', port]);
    assert.equal(code, 0);
    const variables = new Map(
      out
        .trim()
        .split('\n')
        .map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
    );
    assert.equal(variables.get('OTEL_EXPORTER_OTLP_ENDPOINT'), `http://127.0.0.1:${port}`);
    // By default, OpenTelemetry cuts the messages of a long conversation.
    assert.ok(Number(variables.get('OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT')) > 1000);
    const [name = '', token = ''] = variables.get('OTEL_EXPORTER_OTLP_HEADERS')?.split('=') ?? [];
    const { url } = await startService(t, async ({ headers, body }, response) => {
      const { message } = body as { message: string };
      const began = Date.now();
      const turn = turnOf(message);
      answerJson(response, turn.text);
      const traceparent = String(headers.traceparent);
      const spans = scriptedSpans('OpenInference', turn, traceparent, began);
      await fetch(variables.get('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? '', {
        method: 'POST',
        headers: { 'content-type': 'application/json', [name]: token },
        body: JSON.stringify(exportRequest(spans)),
      });
    });
    const suite = `targets:
  shop: {type: http, url: "${url}", body: {message: "{{message}}"}, traces: true, trace_wait: 20000}
target: shop
cases: [{id: a, turns: ["case 1, turn 1, x"], assert: [{type: tool-called, name: look_up}]}]
`;
    await putFiles(folder, { 'suite.eval.yaml': suite });
    const ran = await turnlightProcess(folder, ['run', '--traces-port', port]);
    assert.equal(ran.code, 0, ran.out + ran.err);
  });
});
