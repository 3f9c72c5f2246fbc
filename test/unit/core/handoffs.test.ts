import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withHandoffs } from '../../../src/core/handoffs.ts';

interface Item {
  readonly kind: string;
  readonly agent?: string;
  readonly call?: { readonly id: string; readonly name: string; readonly arguments: unknown };
  readonly result?: string;
}

const says = (agent?: string): Item => ({ kind: 'text', ...(agent && { agent }) });

const SYSTEM: Item = { kind: 'system' };

function calls(name: string, result?: string, agent?: string, given: object = {}): Item {
  const call = { id: name, name, arguments: given };
  return {
    kind: 'tool-call',
    call,
    ...(result !== undefined && { result }),
    ...(agent && { agent }),
  };
}

/** Items as text: `triage: transfer_to_refunds`, `triage -> refunds (transfer_to_refunds)`. */
function shown(items: readonly Item[]): string[] {
  return withHandoffs(items).map((item) => {
    if ('to' in item) {
      const by = item.call_id === undefined ? '' : ` (${item.call_id})`;
      return `${item.from ?? '?'} -> ${item.to}${by}`;
    }
    const { kind, agent = '?', call } = item;
    return kind === 'system' ? 'system' : `${agent}: ${call?.name ?? 'text'}`;
  });
}

const OPENAI = '{"assistant":"refunds"}';
const LANGGRAPH = 'Successfully transferred to refunds';

describe('withHandoffs', () => {
  const rows: [what: string, items: readonly Item[], expected: readonly string[]][] = [
    ['nothing if one agent acts', [says('a'), calls('b', 'ok', 'a')], ['a: text', 'a: b']],
    ['nothing without names', [says(), calls('b', 'ok'), says()], ['?: text', '?: b', '?: text']],
    [
      'a change of agent, before the system text of the next one',
      [says('a'), SYSTEM, says('b'), says('a')],
      ['a: text', 'a -> b', 'system', 'b: text', 'b -> a', 'a: text'],
    ],
    [
      'the call that triggers it, whatever comes between',
      [calls('transfer_to_refund_agent', 'ok', 'a'), calls('log', 'ok', 'a'), says('Refund agent')],
      [
        'a: transfer_to_refund_agent',
        'a: log',
        'a -> Refund agent (transfer_to_refund_agent)',
        'Refund agent: text',
      ],
    ],
    [
      'the taken one of two calls',
      [
        calls('transfer_to_billing', 'Multiple handoffs detected, ignoring this one.', 'a'),
        calls('transfer_to_refunds', OPENAI, 'a'),
        says('refunds'),
      ],
      [
        'a: transfer_to_billing',
        'a: transfer_to_refunds',
        'a -> refunds (transfer_to_refunds)',
        'refunds: text',
      ],
    ],
    [
      'a call with a name of its own, by its result',
      [calls('escalate', OPENAI, 'a'), says('refunds')],
      ['a: escalate', 'a -> refunds (escalate)', 'refunds: text'],
    ],
    [
      'a call after which nobody continues, by its result',
      [calls('transfer_to_refunds', LANGGRAPH, 'a')],
      ['a: transfer_to_refunds', 'a -> refunds (transfer_to_refunds)'],
    ],
    [
      "ADK's call after which nobody continues",
      [calls('transfer_to_agent', '{"result":null}', 'a', { agent_name: 'refunds' })],
      ['a: transfer_to_agent', 'a -> refunds (transfer_to_agent)'],
    ],
    [
      'a call without names, by its result',
      [calls('transfer_to_refunds', OPENAI), calls('refund', 'ok')],
      ['?: transfer_to_refunds', '? -> refunds (transfer_to_refunds)', '?: refund'],
    ],
    [
      'no call of a tool that only has such a name',
      [
        calls('transfer_to_human', 'Transfer successful', 'a'),
        calls('transfer_to_agent', 'ok', undefined, { agent_name: 'Ann' }),
        calls('transfer_to_x', undefined, 'a'),
        calls('look_up', '{"assistant":"refunds"}', 'a'),
        calls('transfer_to_x', '{"assistant":"x","more":1}', 'a'),
      ],
      [
        'a: transfer_to_human',
        '?: transfer_to_agent',
        'a: transfer_to_x',
        'a: look_up',
        'a: transfer_to_x',
      ],
    ],
    [
      'no handoff of an agent to itself',
      [calls('transfer_to_refunds', OPENAI, 'refunds'), says('refunds')],
      ['refunds: transfer_to_refunds', 'refunds: text'],
    ],
  ];
  for (const [what, items, expected] of rows) {
    it(`finds ${what}`, () => assert.deepEqual(shown(items), expected));
  }

  it('adds nothing twice', () => {
    const once = withHandoffs([says('a'), says('b')]);
    assert.deepEqual(withHandoffs(once), once);
  });
});
