import * as z from 'zod';
import { textOf } from '../../core/conversation.ts';
import type { DeterministicType } from '../contract.ts';
import { fencedJson, readJson } from '../shared/jsonText.ts';
import { readSchema } from '../shared/readSchema.ts';
import { shareOfTurns, type TurnFinding } from '../shared/shareOfTurns.ts';

const params = z.strictObject({
  schema: z
    .record(z.string(), z.unknown())
    .meta({ description: 'JSON Schema, draft 2020-12; draft 7 where its `$schema` says so.' }),
  fenced: fencedJson,
});

/** More would make a rationale that nobody reads. */
const MOST_TOLD = 5;

export const jsonSchema: DeterministicType = {
  kind: 'deterministic',
  type: 'json-schema',
  summary: 'Each chosen reply is JSON that fits `schema`.',
  docs: {
    asks: 'Reads the text of each chosen turn as JSON, as `is-json` does, and checks it against `schema`. The rationale names the place of each fault as a JSON pointer. Patterns use RE2 syntax and run in linear time: no look-around, no back references. Formats such as `date-time` and `email` are checked; a format that is not known is passed over. Nothing is loaded: a `$ref` stays inside the schema.',
    score: 'turns that are JSON and fit ÷ chosen turns.',
    example:
      'two replies, one with `{"order": "98765"}` and one with `{"order": 98765}` where `order` must be a string: 1 ÷ 2 = 0.5, and the rationale of the second says `/order must be string`.',
    yaml: `
      - type: json-schema
        schema:
          type: object
          required: [order]
          properties:
            order: { type: string, pattern: '^\\d{5}$' }
    `,
  },
  params,
  defaultThreshold: 1,
  side: 'assistant',
  faults(given) {
    const read = params.safeParse(given);
    if (!read.success) return [];
    return readSchema(read.data.schema).faults.map(({ path, message }) => ({
      path: ['schema', ...path],
      message,
    }));
  },
  check(input) {
    const { schema, fenced } = params.parse(input.assertion.params);
    const { faults, wrongs } = readSchema(schema);
    if (!wrongs) throw new Error(faults.map(({ message }) => message).join(' '));
    const look = (text: string): TurnFinding => {
      const read = readJson(text, fenced);
      if (!read.valid) return { holds: false, rationale: read.wrong };
      const found = wrongs(read.value);
      if (found.length === 0) return { holds: true, rationale: 'fits the schema' };
      const more = found.length > MOST_TOLD ? `; and ${found.length - MOST_TOLD} more` : '';
      const told = found.slice(0, MOST_TOLD).join('; ');
      return { holds: false, rationale: `does not fit the schema: ${told}${more}` };
    };
    return shareOfTurns(input, (turn) => look(textOf(turn)), {
      claim: (found) => (found ? 'fits the schema' : 'does not fit the schema'),
    });
  },
};
