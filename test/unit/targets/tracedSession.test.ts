import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Message } from '../../../src/core/message.ts';
import { mergeCalls } from '../../../src/targets/tracedSession.ts';
import type { TracedCall } from '../../../src/traces/turnReport.ts';

function traced(id: string, name: string, given: object, more: Partial<TracedCall> = {}) {
  return { id, name, arguments: given, ...more };
}

function called(id: string, name: string, given: object): Message {
  return { role: 'assistant', content: '', toolCalls: [{ id, name, arguments: given }] };
}

function said(content: string): Message {
  return { role: 'assistant', content };
}

/** `text`, `name` of a call, `name = result`. */
function shown(messages: readonly Message[]): string[] {
  return messages.map((one) => {
    if (one.role === 'tool') return `= ${one.content}`;
    const calls = one.role === 'assistant' ? (one.toolCalls ?? []) : [];
    return calls.length > 0 ? calls.map(({ id, name }) => `${name} (${id})`).join() : one.content;
  });
}

describe('Traced calls', () => {
  it('are added before the text of a reply without calls, with their results', () => {
    const calls = [traced('a', 'find', { id: 7 }, { result: 'sent' }), traced('b', 'count', {})];
    assert.deepEqual(shown(mergeCalls(calls, [said('Done.')])), [
      'find (a)',
      '= sent',
      'count (b)',
      'Done.',
    ]);
  });

  it('count once if the reply has them too, paired in order by name and arguments', () => {
    const calls = [
      traced('t1', 'mcp__shop__find-order', { id: 7, of: 1 }, { latency: 5 }),
      traced('t2', 'find_order', { id: 8 }),
      traced('t3', 'find_order', { of: 1, id: 7 }, { latency: 6 }),
    ];
    const reply = [
      called('r1', 'find_order', { of: 1, id: 7 }),
      called('r2', 'find_order', { id: 7, of: 1 }),
      said('Done.'),
    ];
    const merged = mergeCalls(calls, reply);
    assert.deepEqual(shown(merged), [
      'find_order (r1)',
      'find_order (t2)',
      'find_order (r2)',
      'Done.',
    ]);
    const times = merged.map((one) => 'toolCalls' in one && one.toolCalls?.[0]?.latency);
    assert.deepEqual(times, [5, undefined, 6, false]);
  });

  it('are paired by their id even if their arguments are written in another way', () => {
    const calls = [traced('c1', 'find', { id: '7' })];
    assert.deepEqual(shown(mergeCalls(calls, [called('c1', 'find', { id: 7 })])), ['find (c1)']);
  });

  it('are all added if there are more of them than in the reply', () => {
    const calls = [traced('t1', 'find', {}), traced('t2', 'find', {}), traced('t3', 'find', {})];
    const merged = mergeCalls(calls, [called('r1', 'find', {}), said('Done.')]);
    assert.deepEqual(shown(merged), ['find (r1)', 'find (t2)', 'find (t3)', 'Done.']);
  });

  it('keep calls of the reply that no span shows', () => {
    const reply = [called('r1', 'ask', {}), said('Done.')];
    assert.deepEqual(shown(mergeCalls([], reply)), ['ask (r1)', 'Done.']);
    const merged = mergeCalls([traced('t1', 'find', {})], reply);
    assert.deepEqual(shown(merged).sort(), ['Done.', 'ask (r1)', 'find (t1)']);
  });

  it('add a result that the reply lacks, and no second one', () => {
    const calls = [traced('c1', 'find', {}, { result: 'traced' })];
    const bare = mergeCalls(calls, [called('c1', 'find', {}), said('Done.')]);
    assert.deepEqual(shown(bare), ['find (c1)', '= traced', 'Done.']);
    const answered: Message = { role: 'tool', callId: 'c1', content: 'own' };
    const whole = mergeCalls(calls, [called('c1', 'find', {}), answered, said('Done.')]);
    assert.deepEqual(shown(whole), ['find (c1)', '= own', 'Done.']);
  });

  it('come after system texts of a reply', () => {
    const system: Message = { role: 'system', content: 'Be kind.' };
    const merged = mergeCalls([traced('t1', 'find', {})], [system, said('Done.')]);
    assert.deepEqual(shown(merged), ['Be kind.', 'find (t1)', 'Done.']);
  });
});
