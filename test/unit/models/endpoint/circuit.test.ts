import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Circuit } from '../../../../src/models/endpoint/circuit.ts';

const REST = 30_000;

function down(): Circuit {
  const circuit = new Circuit();
  const told = [1, 2, 3].map(() => circuit.failed('It is away.', 0));
  assert.deepEqual(told, [false, false, true]);
  return circuit;
}

describe('the circuit of an endpoint', () => {
  it('lets everybody ask until three requests in a row have failed', () => {
    const circuit = new Circuit();
    for (const now of [0, 1]) circuit.failed('It is away.', now);
    assert.equal(circuit.refusal(2), undefined);
    assert.equal(circuit.answered(), false);
    for (const now of [3, 4]) circuit.failed('It is away.', now);
    assert.equal(circuit.refusal(5), undefined);
  });

  it('then lets nobody ask, and says why', () => {
    assert.equal(down().refusal(REST - 1), 'It is away.');
  });

  it('lets one ask after a rest, and the others once that one was answered', () => {
    const circuit = down();
    assert.equal(circuit.refusal(REST), undefined);
    circuit.asked(REST);
    assert.equal(circuit.refusal(REST + 1), 'It is away.');
    assert.equal(circuit.answered(), true);
    assert.equal(circuit.refusal(REST + 2), undefined);
  });

  it('rests again where that one failed, without telling it again', () => {
    const circuit = down();
    circuit.asked(REST);
    assert.equal(circuit.failed('It is still away.', REST + 1), false);
    assert.equal(circuit.refusal(2 * REST), 'It is still away.');
    assert.equal(circuit.refusal(2 * REST + 1), undefined);
  });
});
