import assert from 'node:assert/strict';
import test from 'node:test';
import {
  comparedTypes,
  type DeepEvalTalk,
  deepEvalRequests,
} from '../../../bench/judge-cost/deepeval.ts';

function talk(exchanges: number, rest: { contexts?: number; callsTools?: boolean } = {}) {
  const { contexts = 0, callsTools = false } = rest;
  return {
    exchanges: Array.from({ length: exchanges }, () => ({ contexts, callsTools })),
    userTurns: exchanges,
    answeringTurns: exchanges,
    listLength: 2,
  } satisfies DeepEvalTalk;
}

test('all eleven metrics send 841 requests on 20 exchanges with three contexts each', () => {
  const of20 = talk(20, { contexts: 3 });
  const requests = comparedTypes.map((type) => deepEvalRequests[type](of20));
  assert.equal(
    requests.reduce((sum, one) => sum + one),
    841,
  );
});

test('contextual relevancy alone sends 486 of them', () => {
  assert.equal(deepEvalRequests['turn-contextual-relevancy'](talk(20, { contexts: 3 })), 486);
});

test('a context is asked about once for each window that it stands in', () => {
  const requests = (exchanges: number) =>
    deepEvalRequests['turn-contextual-relevancy'](talk(exchanges, { contexts: 1 }));
  assert.equal(requests(1), 1 + 1 + 1);
  assert.equal(requests(2), 1 + 2 + 2 + 1);
  assert.equal(requests(11) - requests(10), 10 + 1);
});

test('a conversation without contexts costs the contextual metrics their final reason alone', () => {
  for (const type of ['relevancy', 'precision', 'recall'] as const) {
    assert.equal(deepEvalRequests[`turn-contextual-${type}`](talk(4)), 1);
    assert.equal(deepEvalRequests[`turn-contextual-${type}`](talk(0)), 0);
  }
});

test('an exchange that calls a tool costs a request more', () => {
  assert.equal(deepEvalRequests['tool-use'](talk(4)), 6);
  assert.equal(deepEvalRequests['tool-use'](talk(4, { callsTools: true })), 10);
});
