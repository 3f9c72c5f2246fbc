import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { assertionTypes } from '../../../src/assertions/registry.ts';
import { FOUR_REPLIES, SCORED_ALIKE } from '../../support/deepevalScores.ts';
import { CHECKOUT } from '../../support/host/install.ts';
import { buildAssertion, judgeOne } from '../../support/judging.ts';
import { FULL_FACTS } from '../../support/questions.ts';

const VERSION = '4.3.1';
const PAGE = join(CHECKOUT, 'docs/deepeval.md');

const shown = (score: number | null) =>
  score === null ? 'skipped' : String(Number(score.toFixed(3)));

/** The table on the docs page. `UPDATE_FIXTURES=1` writes it. */
function table(): string {
  const rows = SCORED_ALIKE.map(
    ({ type, situation, ours, theirs }) =>
      `| [${type}](assertions/${type}.md) | ${situation} | ${shown(ours)} | ${shown(theirs)} |`,
  );
  return ['| type | situation | here | DeepEval |', '| --- | --- | --- | --- |', ...rows].join(
    '\n',
  );
}

/** DeepEval's scores for the same verdicts, or the reason why there is no Python with DeepEval. */
function deepEvalScores(): { readonly missing: string } | { readonly scores: readonly number[] } {
  const python = process.env.TURNLIGHT_PYTHON ?? 'python3';
  const script = join(CHECKOUT, 'test/support/deepeval_scores.py');
  const input = JSON.stringify(SCORED_ALIKE);
  const { status, stdout, stderr } = spawnSync(python, [script], { input, encoding: 'utf8' });
  const hint = `Install deepeval==${VERSION} and name its Python in TURNLIGHT_PYTHON.`;
  if (
    status !== 0 &&
    /No module named 'deepeval'|^$/.test(`${stderr ?? ''}`.trim().split('\n').at(-1) ?? '')
  )
    return { missing: `${python} has no deepeval. ${hint}` };
  assert.equal(status, 0, stderr);
  const { version, scores } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  return version === VERSION ? { scores } : { missing: `DeepEval is ${version}. ${hint}` };
}

describe('the same verdicts, scored here and by DeepEval', () => {
  for (const row of SCORED_ALIKE) {
    it(`here, ${row.type}: ${row.situation}: ${shown(row.ours)}`, async (t) => {
      const assertion = buildAssertion(row.type, row.params);
      const { score, rationale } = await judgeOne(t, assertion, [row.said], {
        conversation: row.conversation ?? FOUR_REPLIES,
        facts: FULL_FACTS,
      });
      assert.equal(
        score === null ? null : score.toFixed(9),
        row.ours?.toFixed(9) ?? null,
        rationale,
      );
    });
  }

  const found = deepEvalScores();
  const skip = 'missing' in found ? `NOT COMPARED: ${found.missing}` : false;
  it(`by DeepEval ${VERSION}`, { skip }, () => {
    const scores = 'scores' in found ? found.scores : [];
    for (const [index, { situation, type, theirs }] of SCORED_ALIKE.entries()) {
      assert.equal(scores[index]?.toFixed(9), theirs.toFixed(9), `${type}: ${situation}`);
    }
  });

  it('are the table in docs/deepeval.md', () => {
    const page = readFileSync(PAGE, 'utf8');
    const updated = page.replace(/(?:\|.*\n)+/, `${table()}\n`);
    if (process.env.UPDATE_FIXTURES === '1') return writeFileSync(PAGE, updated);
    assert.equal(page, updated, 'If the change is meant, run this test with UPDATE_FIXTURES=1.');
  });
});

describe('a type that other tools have too', () => {
  for (const { type, like, docs } of assertionTypes) {
    if (like === undefined) continue;
    it(`says where its score differs: ${type}`, () => {
      assert.match(docs.differences ?? '', /^\s*- \S/);
    });
  }
});
