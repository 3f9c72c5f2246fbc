import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Range } from '../../../../src/core/problem.ts';
import type { CaseLine } from '../../../../src/core/record/runRecord.ts';
import type { TurnVerdict } from '../../../../src/core/verdict.ts';
import { inlayHints } from '../../../../src/language/features/inlayHints.ts';
import type { HintSettings, LanguagePorts } from '../../../../src/language/ports.ts';
import { buildTurnVerdict, buildVerdict } from '../../../support/build.ts';
import { buildCaseLine } from '../../../support/buildRun.ts';
import { documentOf, HARD_TEXTS } from '../../../support/language/evalDocument.ts';
import { textIn } from '../../../support/ranges.ts';

const ALL: Range = { start: { line: 0, character: 0 }, end: { line: 999, character: 0 } };
const BOTH = { turnNumbers: true, scores: true };

interface Asked {
  readonly range?: Range;
  readonly lines?: readonly CaseLine[];
  readonly settings?: HintSettings;
}

const hintsOf = async (text: string, { range = ALL, lines = [], settings = BOTH }: Asked = {}) => {
  const lastRuns: LanguagePorts['lastRuns'] = async (_suite, id) =>
    lines.filter((line) => line.id === id);
  return inlayHints(await documentOf(text), range, { lastRuns }, settings);
};

/** The text with inlay hints inserted, as the editor shows it. */
async function shown(text: string, asked?: Asked): Promise<string> {
  const lines = text.split('\n');
  const hints = await hintsOf(text, asked);
  for (const { position, label } of hints.toReversed()) {
    const { line, character } = position;
    const at = lines[line] ?? '';
    lines[line] = `${at.slice(0, character)}‹${String(label)}›${at.slice(character)}`;
  }
  return lines.join('\n');
}

const entry = (turn: number, status: TurnVerdict['status'], score: number | null, why = '') =>
  buildTurnVerdict(turn, status, score, { rationale: why });

const verdictOf = (name: string, ...turns: TurnVerdict[]) =>
  buildVerdict({ name, status: 'fail', score: 0, turns });

describe('inlayHints', () => {
  it('continue the numbers of a history', async () => {
    const talk = `target: {type: module, path: ./bot.mjs}
cases:
  - id: one
    history:
      - user: Hi
      - assistant: Hello
    turns:
      - Bye
`;
    const hinted = await shown(talk);
    assert.match(hinted, /‹turn 2›assistant: Hello/);
    assert.match(hinted, /‹turns 3, 4›Bye/);
  });

  const text = `cases:
  - id: one
    transcript:
      - system: Be kind.
      - user: Hi
      - user: Anyone?
      - assistant: |
          Hello
      - user: Bye # here
`;
  const numbers = `cases:
  - id: one
    transcript:
      - system: Be kind.
      - ‹turn 1›user: Hi
      - ‹turn 1›user: Anyone?
      - ‹turn 2›assistant: |
          Hello
      - ‹turn 3›user: Bye # here
`;

  /** A run with verdicts on the current text. */
  const runOf = async (...verdicts: CaseLine['verdicts']) => {
    const { suite } = await documentOf(text);
    const source = { path: '/x', range: ALL, hash: suite.outline[0]?.hash ?? '' };
    return [buildCaseLine({ id: 'one', status: 'fail', source, verdicts })];
  };

  it('number the turns of a transcript', async () => {
    assert.equal(await shown(text), numbers);
  });

  it('number scripted turns with their replies', async () => {
    const scripted = 'cases:\n  - turns:\n      - Hi\n      - user: Bye\n        expected: Bye\n';
    assert.equal(
      await shown(scripted),
      'cases:\n  - turns:\n      - ‹turns 1, 2›Hi\n      - ‹turns 3, 4›user: Bye\n        expected: Bye\n',
    );
  });

  it("show at its turn why the target didn't reply", async () => {
    const scripted = 'cases:\n  - id: one\n    turns:\n      - Hi\n      - Bye\n';
    const failed_turn = { number: 4, side: 'assistant' } as const;
    const line = buildCaseLine({ id: 'one', status: 'error', reason: 'It *hung*.', failed_turn });
    const [, hint] = await inlayHints(
      await documentOf(scripted),
      ALL,
      { lastRuns: async () => [line] },
      {
        turnNumbers: false,
        scores: true,
      },
    ).then((hints) => [undefined, hints.at(-1)]);
    assert.match(String(hint?.label), /turn 4 ‼? ?\S* ?errored/);
    assert.match(Object(hint?.tooltip).value, /It &#42;hung&#42;\./);
  });

  it('show status and score before the texts of turns after a run', async () => {
    const lines = await runOf(
      verdictOf('A', entry(1, 'pass', 1), entry(2, 'fail', 0), entry(3, 'error', null)),
    );
    assert.equal(
      await shown(text, { lines, settings: { turnNumbers: false, scores: true } }),
      `cases:
  - id: one
    transcript:
      - system: Be kind.
      - user: Hi
      - ‹✓ 1.00›user: Anyone?
      - ‹✗ 0.00›assistant: |
          Hello
      - ‹⚠ errored›user: Bye # here
`,
    );
  });

  it('include the number of the turn', async () => {
    const lines = await runOf(verdictOf('A', entry(1, 'pass', 1), entry(2, 'fail', 0)));
    assert.equal(
      await shown(text, { lines }),
      numbers
        .replace('‹turn 1›user: Anyone', '‹turn 1 ✓ 1.00›user: Anyone')
        .replace('‹turn 2›', '‹turn 2 ✗ 0.00›'),
    );
  });

  it('distinguish the turns of a line', async () => {
    const scripted = 'cases:\n  - id: one\n    turns:\n      - Hi\n      - Bye\n';
    const lines = [
      buildCaseLine({
        id: 'one',
        status: 'fail',
        verdicts: [
          verdictOf('A', entry(1, 'fail', 0.25), entry(2, 'fail', 0, 'Rude.')),
          verdictOf('B', entry(4, 'pass', 1)),
        ],
      }),
    ];
    assert.equal(
      await shown(scripted, { lines }),
      'cases:\n  - id: one\n    turns:\n      - ‹turn 1 ✗ 0.25, turn 2 ✗ 0.00 (stale)›Hi\n      - ‹turn 3, turn 4 ✓ 1.00 (stale)›Bye\n',
    );
    assert.equal(
      await shown(scripted, { lines, settings: { turnNumbers: false, scores: true } }),
      'cases:\n  - id: one\n    turns:\n      - ‹turn 1 ✗ 0.25, turn 2 ✗ 0.00 (stale)›Hi\n      - ‹turn 4 ✓ 1.00 (stale)›Bye\n',
    );
    const hint = (await hintsOf(scripted, { lines })).find(({ tooltip }) => tooltip);
    assert.match(JSON.stringify(hint?.tooltip), /Turn 1.*Turn 2.*Rude/);
  });

  it('show no results if the setting is off', async () => {
    const lines = await runOf(verdictOf('A', entry(1, 'pass', 1)));
    assert.equal(
      await shown(text, { lines, settings: { turnNumbers: true, scores: false } }),
      numbers,
    );
    assert.equal(
      await shown(text, { lines, settings: { turnNumbers: false, scores: false } }),
      text,
    );
  });

  it('show the worst status and the mean score of all assertions and repetitions', async () => {
    const [first] = await runOf(verdictOf('A', entry(2, 'pass', 1)));
    const [second] = await runOf(verdictOf('A', entry(2, 'fail', 0.5)));
    assert.ok(first && second);
    const hints = await hintsOf(text, { lines: [first, second] });
    assert.ok(hints.some(({ label }) => label === 'turn 2 ✗ 0.75'));
  });

  it('show the worst rationale as plain text', async () => {
    const lines = await runOf(
      verdictOf('Mild', entry(2, 'fail', 0.4, 'Not so bad.')),
      verdictOf('Good', entry(2, 'pass', 1, 'All well.')),
      verdictOf('Bad', entry(2, 'fail', 0.1, 'See [this](command:run) <img src=x>.')),
    );
    const hint = (await hintsOf(text, { lines })).find(({ tooltip }) => tooltip);
    const markdown = typeof hint?.tooltip === 'object' ? hint.tooltip.value : '';
    assert.match(markdown, /^✗ \*\*Bad\*\* — failed, 0.10/);
    assert.match(markdown, /2 more verdicts for this turn, 1 of them failed/);
    assert.doesNotMatch(markdown, /[<[]/);
    assert.doesNotMatch(markdown, /command:/);
  });

  it('mark scores of a case that has changed since', async () => {
    const lines = [
      buildCaseLine({ id: 'one', status: 'fail', verdicts: [verdictOf('A', entry(2, 'fail', 0))] }),
    ];
    const hint = (await hintsOf(text, { lines })).find(({ tooltip }) => tooltip);
    assert.equal(hint?.label, 'turn 2 ✗ 0.00 (stale)');
    assert.match(JSON.stringify(hint?.tooltip), /changed since/);
  });

  it('appear before each turn if a line has several', async () => {
    const flow =
      'cases:\n  - {id: one, transcript: [{user: Hi}, {assistant: Hello}], assert: [x]}\n';
    const lines = [
      buildCaseLine({
        id: 'one',
        status: 'fail',
        verdicts: [verdictOf('A', entry(1, 'pass', 1), entry(2, 'fail', 0))],
      }),
    ];
    assert.equal(
      await shown(flow, { lines, settings: { turnNumbers: false, scores: true } }),
      'cases:\n  - {id: one, transcript: [‹✓ 1.00 (stale)›{user: Hi}, ‹✗ 0.00 (stale)›{assistant: Hello}], assert: [x]}\n',
    );
  });

  it('appear only in the requested range, and read only its cases', async () => {
    const many = Array.from(
      { length: 20 },
      (_, index) => `  - id: case-${index}\n    turns:\n      - Hi\n`,
    );
    const document = await documentOf(`cases:\n${many.join('')}`);
    const range = { start: { line: 8, character: 0 }, end: { line: 13, character: 0 } };
    const asked: string[] = [];
    const lastRuns: LanguagePorts['lastRuns'] = async (_suite, id) => {
      asked.push(id);
      return [];
    };
    const hints = await inlayHints(document, range, { lastRuns }, BOTH);
    assert.deepEqual(
      hints.map(({ position }) => position.line),
      [9, 12],
    );
    assert.deepEqual(asked, ['case-2', 'case-3', 'case-4'].slice(0, asked.length));
  });

  it('work in a file with carriage returns', async () => {
    const lines = [
      buildCaseLine({ id: 'one', status: 'fail', verdicts: [verdictOf('A', entry(2, 'fail', 0))] }),
    ];
    const hints = await hintsOf(text.replaceAll('\n', '\r\n'), { lines });
    assert.deepEqual(hints.find(({ tooltip }) => tooltip)?.position, { line: 6, character: 8 });
  });

  for (const hard of HARD_TEXTS) {
    it(`have no position outside of ${JSON.stringify(hard)}`, async () => {
      const lines = [
        buildCaseLine({ id: 'a', status: 'fail', verdicts: [verdictOf('A', entry(2, 'fail', 0))] }),
      ];
      for (const { position } of await hintsOf(hard, { lines })) {
        textIn(hard, { start: position, end: position });
      }
    });
  }
});
