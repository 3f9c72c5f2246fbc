import * as z from 'zod';
import { type Turn, textOf } from '../../core/conversation.ts';
import { checkTurns, type TurnFinding } from '../shared/deterministic.ts';
import { deterministicType } from '../shared/kinds.ts';
import { readSchema } from '../shared/readSchema.ts';
import { fencedJson, readJson } from './is-json.ts';

const params = z.strictObject({
  schema: z
    .record(z.string(), z.unknown())
    .meta({ description: 'JSON Schema, draft 2020-12, or draft 7 if `$schema` says so.' }),
  fenced: fencedJson,
});

/** Maximum number of errors in a rationale. */
const MAX_SHOWN = 5;

export const jsonSchema = deterministicType({
  type: 'json-schema',
  summary: 'Each chosen reply is JSON that matches `schema`.',
  docs: {
    asks: 'Parses the text of each chosen turn as JSON, as `is-json` does, and validates it against `schema`. The rationale locates each error with a JSON pointer. Patterns use RE2 syntax, which runs in linear time and supports neither lookarounds nor backreferences. Formats such as `date-time` and `email` are checked; unknown formats are ignored. A `$ref` must point into the schema, because Turnlight loads no other schemas. If validation takes too long, the result is an error.',
    score: 'turns with valid JSON ÷ chosen turns.',
    example:
      '`order` must be a string, and the two replies are `{"order": "98765"}` and `{"order": 98765}`: 1 ÷ 2 = 0.5. The rationale of the second turn is `/order must be string`.',
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
  faults: ({ schema }) =>
    readSchema(schema).faults.map(({ path, message }) => ({ path: ['schema', ...path], message })),
  check(input, { schema, fenced }) {
    const { faults, wrongs } = readSchema(schema);
    if (!wrongs) throw new Error(faults.map(({ message }) => message).join(' '));
    const checkTurn = (turn: Turn): TurnFinding => {
      const read = readJson(textOf(turn), fenced, input.scrub);
      if (!read.valid) return { holds: false, rationale: read.wrong };
      const found = wrongs(read.value);
      if (found.length === 0) return { holds: true, rationale: 'fits the schema' };
      const more = found.length > MAX_SHOWN ? `; and ${found.length - MAX_SHOWN} more` : '';
      const shown = found.slice(0, MAX_SHOWN).join('; ');
      return { holds: false, rationale: `does not fit the schema: ${shown}${more}` };
    };
    const claim = (found: boolean) => (found ? 'fits the schema' : 'does not fit the schema');
    return checkTurns(input, checkTurn, { claim });
  },
});
