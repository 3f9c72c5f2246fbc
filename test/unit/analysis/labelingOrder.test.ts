import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LabelingOrder } from '../../../src/analysis/labelingOrder.ts';
import type { Verdict } from '../../../src/core/verdict.ts';
import { buildVerdict, judgedLine } from '../../support/comparing.ts';

function orderOf(...lines: readonly [id: string, verdict: Verdict, said?: string][]): string[] {
  const order = new LabelingOrder();
  for (const [id, verdict, said = id] of lines)
    order.add(judgedLine(id, [verdict], { said }), '/r');
  return order.ordered().map((one) => one.id);
}

describe('the order in which labels tell most', () => {
  it('is: samples that disagree, judges that disagree, near the threshold, the rest as it comes', () => {
    const order = orderOf(
      ['plain', buildVerdict(1)],
      ['far', buildVerdict(0.9)],
      ['near', buildVerdict(0.55)],
      ['judges', buildVerdict(1)],
      ['samples', buildVerdict(1, { unstable: true, samples: 3 })],
      ['plain too', buildVerdict(0)],
      // From an earlier run with another judge, for the same conversation.
      ['judges', buildVerdict(0, { judge: 'ollama:x' })],
      ['plain', buildVerdict(1, { judge: 'ollama:x' })],
    );
    assert.deepEqual(order, ['samples', 'judges', 'near', 'far', 'plain', 'plain too']);
  });

  it('takes no earlier verdict of the same judge for another opinion, and nothing that no model judged', () => {
    const order = orderOf(
      ['same', buildVerdict(1)],
      ['near', buildVerdict(0.5)],
      ['same', buildVerdict(0)],
      ['script', buildVerdict(0, { judge: null })],
    );
    assert.deepEqual(order, ['near', 'same']);
  });
});
