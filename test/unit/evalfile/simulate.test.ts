import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEFAULT_USER_TURNS, type SimulateOrigin } from '../../../src/core/suite.ts';
import { estimateCase } from '../../../src/judge/estimate.ts';
import { forbiddenHosts, missingKeys } from '../../../src/runner/models.ts';
import { load, placed, suiteWith } from '../../support/evalFiles.ts';

const TOP = 'target: {type: module, path: ./bot.mjs}\n';
const CHECK = 'assert: [{type: no-repeat}]\n';

async function caseOf(keys: string, top = TOP) {
  const loaded = await load(suiteWith(keys, top));
  assert.deepEqual(placed(loaded), []);
  const [built] = loaded.suite?.cases ?? [];
  assert.ok(built?.origin.kind === 'simulate');
  return { built, user: built.origin.user } satisfies {
    built: unknown;
    user: SimulateOrigin['user'];
  };
}

describe('simulate', () => {
  it('is read with its defaults; the judge plays the user', async () => {
    const { user } = await caseOf(`simulate: {goal: Return it.}\n${CHECK}`);
    assert.deepEqual(
      [user.goal, user.opening, user.maxUserTurns, user.model?.id],
      ['Return it.', [], DEFAULT_USER_TURNS, 'openai:test-judge'],
    );
  });

  it('can have its own model', async () => {
    const { user } = await caseOf(`simulate: {goal: x, model: openai:small}\n${CHECK}`);
    assert.equal(user.model?.id, 'openai:small');
  });

  it("fills the case's variables into all its texts", async () => {
    const { user } = await caseOf(
      `context: {what: a hat}
simulate:
  goal: Return {{what}}.
  persona: Owns {{what}}.
  opening: ["I bought {{what}}."]
  stop_when: "{{what}} is returned."
  guidelines: ["Talk of {{what}}."]
${CHECK}`
        .replaceAll('Return {{what}}.', '"Return {{what}}."')
        .replaceAll('Owns {{what}}.', '"Owns {{what}}."'),
    );
    const texts = [
      user.goal,
      user.persona,
      user.opening[0]?.user,
      user.stopWhen,
      user.guidelines?.[0],
    ];
    for (const text of texts) assert.match(text ?? '', /a hat/);
  });

  const wrong: [string, string, string][] = [
    ['has no goal', `simulate: {persona: x}\n${CHECK}`, '4:5 missing-key'],
    ['misspells a key', `simulate: {goal: x, presona: y}\n${CHECK}`, '4:25 unknown-key'],
    ['names an unknown variable', `simulate: {goal: "{{x}}"}\n${CHECK}`, '4:23 unknown-variable'],
    ['has an empty opening', `simulate: {goal: x, opening: [" "]}\n${CHECK}`, '4:35 wrong-value'],
    ['stands with turns', `simulate: {goal: x}\nturns: [Hi]\n${CHECK}`, '4:5 turns-or-transcript'],
    [
      'names no model that is there',
      `simulate: {goal: x, model: gone}\n${CHECK}`,
      '4:32 unknown-name',
    ],
    ['stops on failure', `simulate: {goal: x}\nstop_on_failure: true\n${CHECK}`, '5:5 useless-key'],
    ['allows no turn', `simulate: {goal: x, max_user_turns: 0}\n${CHECK}`, '4:41 out-of-range'],
  ];
  for (const [what, keys, expected] of wrong) {
    it(`is refused if it ${what}`, async () => {
      const found = placed(await load(suiteWith(keys, TOP)));
      assert.ok(found.includes(expected), String(found));
    });
  }

  it('reports other problems besides a mistake', async () => {
    const keys = `simulate: {goal: "{{x}}", max_user_turns: none}\n${CHECK}`;
    const found = placed(await load(suiteWith(keys, TOP)));
    assert.equal(found.length, 2, String(found));
  });

  it('needs a target, and a model unless there is a judge', async () => {
    const keys = `simulate: {goal: x}\n${CHECK}`;
    assert.deepEqual(placed(await load(suiteWith(keys))), ['3:5 missing-target']);
    const { problems } = await load(suiteWith(keys, TOP), {}, { defaultJudge: '' });
    assert.deepEqual(
      problems.map(({ code, severity, fix }) => ({ code, severity, fix })),
      [
        {
          code: 'no-simulator',
          severity: 'warning',
          fix: { add: { to: ['cases', 0, 'simulate'], key: 'model' } },
        },
      ],
    );
  });

  it('leaves turn numbers unchecked because its length is unknown', async () => {
    await caseOf('simulate: {goal: x}\nassert: [{type: contains, value: x, at: 8}]\n');
  });

  it('shows its opening in the outline', async () => {
    const { outline } = await load(suiteWith(`simulate: {goal: x, opening: [Hi]}\n${CHECK}`, TOP));
    assert.deepEqual(
      outline[0]?.turns.map(({ label, turns }) => [label, turns]),
      [['Hi', [1, 2]]],
    );
  });

  it('counts a request for each turn after the opening', async () => {
    const { built } = await caseOf(
      `simulate: {goal: x, opening: [Hi], max_user_turns: 4, model: openai:small}\n${CHECK}`,
    );
    const { requests, calls, inputTokens, live } = await estimateCase(built);
    assert.deepEqual([requests, calls, live], [3, 4, true]);
    assert.ok(inputTokens > 300);
  });

  it('checks the key and host of its model', async () => {
    const { built } = await caseOf(
      `simulate: {goal: x, model: {provider: openai, model: m, base_url: "https://else.example/v1", api_key_env: OTHER_KEY}}\n${CHECK}`,
    );
    const env = () => undefined;
    const missing = await missingKeys([built], { secret: async () => undefined, env });
    assert.deepEqual(
      missing.map(({ variable, judges }) => [variable, judges]),
      [['OTHER_KEY', false]],
    );
    const forbidden = await forbiddenHosts([built], { secret: async () => 'k', env });
    assert.equal(forbidden.length, 1);
  });
});
