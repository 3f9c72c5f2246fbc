import { FOUR, testFormulas, testMistakes } from '../../support/formulas.ts';
import { answer, away, buildAssertion, buildFacts, entry, fails } from '../../support/judging.ts';

const ABOUT = {
  conversation: FOUR,
  facts: buildFacts({ tools: [{ name: 'open_ticket', server: 'desk' }] }),
};
const PASSING = [entry(2), entry(4), entry(6), entry(8)];

function request(asked_turn: number, delivered_turn: number | null, ...gaps: string[]) {
  return {
    request: `q${asked_turn}`,
    asked_turn,
    delivered: '',
    delivered_turn,
    evidence: '',
    gaps,
  };
}

function said(requests: object[], turns: object[] = PASSING) {
  return { requests, ...answer(...turns) };
}

for (const type of ['task-completion', 'mcp-task-completion']) {
  const assertion = buildAssertion(type);

  testFormulas(assertion, ABOUT, [
    {
      name: 'nothing missing: 1',
      said: said([request(1, 2), { ...request(3, 8), evidence: 'Answer 4.' }]),
      score: 1,
      status: 'pass',
      label: 'yes',
      hits: ['Turn 2: q1', 'Turn 8: q3'],
      misses: [],
      details: {
        requests: [
          { ...request(1, 2), evidence: undefined },
          { ...request(3, 8), evidence: { text: 'Answer 4.', verified: true } },
        ],
      },
    },
    {
      name: 'a gap in one of two: 0, not a half',
      said: said(
        [request(1, 2), request(3, 4, 'only promised', 'no date')],
        [entry(2), fails(4), away(6), away(8)],
      ),
      score: 0,
      status: 'fail',
      label: 'no',
      turns: ['2 pass 1', '4 fail 0', '6 skipped', '8 skipped'],
      hits: ['Turn 2: q1'],
      misses: ['Turn 3: q3, missing: only promised; no date'],
    },
    {
      name: 'delivered by nobody',
      said: said([request(5, null, 'all of it')]),
      score: 0,
      status: 'fail',
      misses: ['Turn 5: q5, missing: all of it'],
    },
    {
      name: 'no request: skipped',
      said: said([], [away(2), away(4), away(6), away(8)]),
      score: null,
      status: 'skipped',
      reason: 'no-requests',
    },
  ]);

  testMistakes(assertion, ABOUT, said([request(1, 2)]), [
    [
      'asked by the assistant',
      said([request(2, 4)]),
      'turns-mismatch',
      /Request 1 cites turn 2, which is no turn of the user/,
    ],
    [
      'delivered by the user',
      said([request(1, 3)]),
      'turns-mismatch',
      /cites turn 3, which is no turn of the assistant/,
    ],
    ['delivered in turn 99', said([request(1, 99)]), 'turns-mismatch', /cites turn 99/],
    [
      'delivered before it was asked',
      said([request(5, 2)]),
      'contradiction',
      /Request 1 cannot be delivered in turn 2, before it was asked for/,
    ],
    [
      'complete, but delivered in no turn',
      said([request(1, null)]),
      'contradiction',
      /must name the turn that delivered it/,
    ],
  ]);
}
