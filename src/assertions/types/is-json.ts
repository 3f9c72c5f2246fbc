import * as z from 'zod';
import { textOf } from '../../core/conversation.ts';
import type { DeterministicType } from '../contract.ts';
import { fencedJson, readJson } from '../shared/jsonText.ts';
import { shareOfTurns } from '../shared/shareOfTurns.ts';

const params = z.strictObject({ fenced: fencedJson });

export const isJson: DeterministicType = {
  kind: 'deterministic',
  type: 'is-json',
  summary: 'Each chosen reply is one JSON value and nothing else.',
  docs: {
    asks: 'Reads the text of each chosen turn as JSON. White space around it is allowed; words around it are not. With `fenced: true` one ```json code fence around it is allowed too.',
    score: 'turns that are JSON ÷ chosen turns.',
    example: 'three replies, one of which begins with "Here you are:", score 2 ÷ 3 = 0.67.',
    yaml: `
      - type: is-json
        fenced: true
        at: last
    `,
  },
  params,
  defaultThreshold: 1,
  side: 'assistant',
  check(input) {
    const { fenced } = params.parse(input.assertion.params);
    const look = (text: string) => {
      const read = readJson(text, fenced);
      return { holds: read.valid, rationale: read.valid ? 'is JSON' : read.wrong };
    };
    return shareOfTurns(input, (turn) => look(textOf(turn)), {
      claim: (found) => (found ? 'is JSON' : 'is not JSON'),
    });
  },
};
