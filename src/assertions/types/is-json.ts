import * as z from 'zod';
import { textOf } from '../../core/conversation.ts';
import { checkedType } from '../shared/checkedType.ts';
import { fencedJson, readJson } from '../shared/jsonText.ts';
import { shareOfTurns } from '../shared/shareOfTurns.ts';

const params = z.strictObject({ fenced: fencedJson });

export const isJson = checkedType({
  type: 'is-json',
  summary: 'Each chosen reply is one JSON value and nothing else.',
  docs: {
    asks: 'Parses the text of each chosen turn as JSON. White space around it is allowed; other text is not. With `fenced: true` it may be in one ```json code fence.',
    score: 'turns that are JSON ÷ chosen turns.',
    example: 'three replies, one of which begins with "Here you are:", score 2 ÷ 3 = 0.67.',
    yaml: `
      - type: is-json
        fenced: true
        at: last
    `,
  },
  params,
  check(input, { fenced }) {
    const look = (text: string) => {
      const read = readJson(text, fenced);
      return { holds: read.valid, rationale: read.valid ? 'is JSON' : read.wrong };
    };
    return shareOfTurns(input, (turn) => look(textOf(turn)), {
      claim: (found) => (found ? 'is JSON' : 'is not JSON'),
    });
  },
});
