import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DeterministicType } from '../../../src/assertions/contract.ts';
import { handoff } from '../../../src/assertions/types/handoff.ts';
import { toolCalled } from '../../../src/assertions/types/tool-called.ts';
import { toolNotCalled } from '../../../src/assertions/types/tool-not-called.ts';
import { toolSequence } from '../../../src/assertions/types/tool-sequence.ts';
import { turnsOf } from '../../../src/core/conversation.ts';
import type { Assertion } from '../../../src/core/suite.ts';
import { EACH, findingOf, LAST, NOT, replies, statuses } from '../../support/deterministic.ts';
import { assistant, buildAssertion, buildFacts, by, call } from '../../support/judging.ts';

/**
 * In turn 2, triage looks up an order and hands over to refunds, which refunds it. In turn 4, triage hands over to
 * billing.
 */
const SHOP = replies(
  [
    ...by('triage', ...call('look_up', {}, 'ok')),
    ...by('refunds', ...call('refund', {}, 'ok'), assistant('Done.')),
  ],
  [...by('triage', assistant('So.')), ...by('billing', ...call('refund', {}, 'ok', 'b'))],
  [...by('billing', assistant('Bye.'))],
);

const KNOWN = 'agents: “triage”, “refunds”, and “billing”';

describe('handoff', () => {
  type Row = [
    what: string,
    params: object,
    rest: Partial<Assertion>,
    score: number,
    text: string[],
  ];
  const rows: Row[] = [
    ['one that happened', { to: 'refunds' }, {}, 1, ['2 pass']],
    ['one by its agent', { to: 'refunds', from: 'triage' }, {}, 1, ['2 pass']],
    ['one by another agent', { to: 'refunds', from: 'billing' }, {}, 0, []],
    ['one in another turn', { to: 'refunds' }, LAST, 0, []],
    ['one in each turn', { to: 'refunds' }, EACH, 1 / 3, ['2 pass', '4 fail', '6 fail']],
    ['one back', { to: 'triage' }, {}, 0, []],
    ['none, if it happened', { to: 'refunds' }, NOT, 0, ['2 fail']],
    ['none, if it did not happen', { to: 'triage' }, NOT, 1, []],
    ['none to an agent that is nowhere', { to: 'nobody' }, NOT, 1, []],
  ];
  for (const [what, params, rest, score, entries] of rows) {
    it(`checks for ${what}: ${score.toFixed(2)}`, async () => {
      const found = await findingOf(handoff, { ...params }, SHOP, rest);
      assert.equal(found.score, score);
      assert.deepEqual(statuses(found), entries);
    });
  }

  it('says what happened instead, and which agents there are', async () => {
    const { rationale, misses } = await findingOf(handoff, { to: 'refund' }, SHOP);
    const text = `Turns 2, 4, 6: no handoff to “refund”, but a handoff from “triage” to “refunds”; handoff from “triage” to “billing”; the conversation has no agent “refund” (${KNOWN}; did you mean “refunds”?)`;
    assert.equal(rationale, `${text}.`);
    assert.deepEqual(misses, [text]);
  });

  it("can't pass by a name in `from` that is nowhere", async () => {
    const asked = findingOf(handoff, { to: 'refunds', from: 'triag' }, SHOP, NOT);
    await assert.rejects(asked, {
      message: `Nothing to check: the conversation has no agent “triag” (${KNOWN}; did you mean “triage”?).`,
    });
  });

  it("can't check who hands over if the messages don't say", async () => {
    const nameless = replies([...call('transfer_to_refunds', {}, '{"assistant":"refunds"}')]);
    assert.equal((await findingOf(handoff, { to: 'refunds' }, nameless)).score, 1);
    for (const rest of [{}, NOT]) {
      const asked = findingOf(handoff, { to: 'refunds', from: 'triage' }, nameless, rest);
      await assert.rejects(asked, /but the messages don't say who hands over\. Remove `from`\./);
    }
  });
});

describe('names with secrets', () => {
  const secret = 'sk-0123456789abcdef';
  // If it were cut to 60 characters, the name would end in half of the secret.
  const name = `${'x'.repeat(50)}${secret}`;
  const turn = [...by('a', assistant('So.')), ...by(name, assistant('Yes.'))];
  const scrub = (text: string) => text.replaceAll(secret, '[hidden]');
  const checks: [DeterministicType, object][] = [
    [handoff, { to: 'b' }],
    [handoff, { to: name, from: 'a' }],
    [toolCalled, { name: 't', agent: 'b' }],
    [toolCalled, { name: 't', agent: name }],
    [toolNotCalled, { name: 't', agent: name }],
  ];
  for (const [type, params] of checks) {
    it(`are hidden before they are cut: ${type.type} ${Object.keys(params)}`, async () => {
      const conversation = replies(turn);
      const [, second] = turnsOf(conversation);
      assert.ok(second);
      const assertion = buildAssertion(type.type, { ...type.params.parse(params) });
      const input = { conversation, turns: [second], assertion, facts: buildFacts(), scrub };
      const { rationale } = await type.check(input);
      assert.doesNotMatch(rationale, /sk-/);
      assert.match(rationale, /x{50}\[hidden\]/);
    });
  }
});

describe('calls by an agent', () => {
  const name = 'refund';
  it('count if the agent makes them', async () => {
    const scores = await Promise.all([
      findingOf(toolCalled, { name, agent: 'refunds', times: 1 }, SHOP),
      findingOf(toolCalled, { name, agent: 'triage' }, SHOP),
      findingOf(toolNotCalled, { name, agent: 'triage' }, SHOP),
      findingOf(toolNotCalled, { name, agent: 'billing' }, SHOP),
      findingOf(toolSequence, { tools: [name], agent: 'refunds', match: 'exact' }, SHOP),
      findingOf(toolSequence, { tools: [name], match: 'exact' }, SHOP),
    ]);
    assert.deepEqual(
      scores.map(({ score }) => score),
      [1, 0, 1, 0, 1, 0],
    );
    assert.equal(scores[1]?.rationale, 'Turns 2, 4, 6: refund was called 0 times by “triage”.');
    assert.equal(scores[2]?.rationale, 'Turns 2, 4, 6: 0 calls to refund by “triage”.');
  });

  it('fail with the names of the agents if there is no such agent', async () => {
    for (const [type, params] of [
      [toolCalled, { name }],
      [toolSequence, { tools: [name] }],
    ] as const) {
      const { score, rationale } = await findingOf(type, { ...params, agent: 'Refund' }, SHOP);
      assert.equal(score, 0);
      assert.match(
        rationale,
        /; the conversation has no agent “Refund” \(agents: .*“refunds”\?\)\.$/,
      );
    }
  });

  it('are no reason to pass if there is no such agent', async () => {
    for (const [type, params, rest] of [
      [toolNotCalled, { name }, {}],
      [toolNotCalled, { name }, EACH],
      [toolCalled, { name }, NOT],
      [toolSequence, { tools: [name], match: 'subset' }, {}],
    ] as const) {
      const asked = findingOf(type, { ...params, agent: 'Refund' }, SHOP, rest);
      await assert.rejects(asked, /^Error: Nothing to check: the conversation has no agent/);
    }
  });
});
