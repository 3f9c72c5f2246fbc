import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { botSuite, ECHO, runFiles } from '../../support/runs.ts';

async function verdictOf(t: TestContext, code: string, more = '', name = 'check.mjs') {
  const { lines, events } = await runFiles(
    t,
    {
      'bot.mjs': ECHO,
      [name]: code,
      'suite.eval.yaml': botSuite(
        `  - {id: a, turns: [one, two], assert: [{type: script, path: ./${name}${more}}]}\n`,
      ),
    },
    { timeout: 3_000 },
  );
  const output = events.flatMap((event) => (event.kind === 'output' ? [event.text] : []));
  const [verdict] = lines[0]?.verdicts ?? [];
  if (!verdict) throw new Error('There is no verdict.');
  return { verdict, output };
}

describe('a script assertion', () => {
  it('gets the conversation and its options, and its turns are shown', async (t) => {
    const { verdict } = await verdictOf(
      t,
      `export const words = ({ conversation, chosen, options }) => ({
        label: chosen.join(),
        turns: conversation.turns.filter(({ side }) => side === 'assistant').map(({ number, text }) => ({
          turn: number, score: text === options.word ? 1 : 0, rationale: 'said ' + text, evidence: text,
        })),
      });`,
      ', export: words, options: {word: one}',
    );
    assert.deepEqual([verdict.status, verdict.score, verdict.label], ['fail', 0.5, '1,2,3,4']);
    assert.deepEqual(
      verdict.turns.map(({ turn, status, evidence }) => [turn, status, evidence?.verified]),
      [
        [2, 'pass', true],
        [4, 'fail', true],
      ],
    );
    assert.deepEqual(verdict.misses, ['Turn 4: said two']);
  });

  it('may be TypeScript, and what it prints goes to the output', async (t) => {
    const { verdict, output } = await verdictOf(
      t,
      `type Given = { case: string };
      export default async ({ case: id }: Given): Promise<boolean> => { console.log('of ' + id); return true; };`,
      '',
      'check.ts',
    );
    assert.equal(verdict.status, 'pass');
    assert.deepEqual(output, ['[check.ts] of a']);
  });

  for (const [name, code, message] of [
    ['throws', 'export default () => { throw new Error("no luck"); };', /no luck/],
    ['ends its process', 'export default () => process.exit(3);', /exited with code 3/],
    ['never comes back', 'export default () => { for (;;); };', /did not reply within 3000 ms/],
    ['returns something else', 'export default () => "good";', /returned an invalid value/],
    ['gives a score of 7', 'export default () => ({ score: 7 });', /returned an invalid value/],
    ['gives no score', 'export default () => ({ label: "x" });', /neither a `score` nor `turns`/],
    [
      'speaks of a turn that there is not',
      'export default () => ({ turns: [{ turn: 9, score: 1, rationale: "" }] });',
      /turn 9, which does not exist/,
    ],
    ['is not there', 'export const other = 1;', /does not export a function "default"/],
  ] as const) {
    it(`that ${name} is an error, never a pass`, async (t) => {
      const { verdict } = await verdictOf(t, code);
      assert.equal(verdict.status, 'error');
      assert.match(verdict.rationale, message);
    });
  }
});
