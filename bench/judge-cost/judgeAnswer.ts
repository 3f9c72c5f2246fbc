import type { ChatBody } from '../../test/support/modelServer/server.ts';
import { promptText } from './countingServer.ts';
import { fill } from './fill.ts';

type Schema = Readonly<Record<string, unknown>>;

/** One entry in each list of an answer that is no list of turns; two would often stand on one turn. */
const LIST_LENGTH = 1;

/**
 * A judge's answer that passes the checks of our assertion types: every turn that is to be judged
 * passes, lists hold one entry about the first turns.
 */
export function judgeAnswer(body: ChatBody): string {
  const format = body.response_format?.json_schema;
  if (!format) throw new Error('The request asks for no JSON Schema.');
  const judged = judgedTurns(promptText(body));
  return JSON.stringify(answerOf(toSchema(format.schema), judged));
}

/** `Turns to judge: 2,4.` */
function judgedTurns(prompt: string): number[] {
  const list = [...prompt.matchAll(/^Turns to judge: ([\d,]+)/gm)].at(-1)?.[1] ?? '';
  return [...list.matchAll(/\d+/g)].map(([number]) => Number(number));
}

function answerOf(schema: Schema, judged: readonly number[]): unknown {
  return fill(schema, {
    listLength: LIST_LENGTH,
    field: (key, field) => {
      if (key === 'turns') {
        return judged.map((turn) =>
          fill(toSchema(field.items), entryFilling(turn, schema), schema),
        );
      }
      return entryFilling(judged[0] ?? 2, schema).field(key, field);
    },
  });
}

/** Values of the fields that must fit the turn that they stand with. */
function entryFilling(turn: number, root: Schema) {
  const filling = {
    listLength: LIST_LENGTH,
    field(key: string, schema: Schema): unknown {
      const inList = toSchema(schema.items);
      switch (key) {
        case 'turn':
          return turn;
        // A fact is the user's, and of the user's first turn.
        case 'facts':
          return [fill(inList, { ...filling, field: factField }, root)];
        case 'asked_turn':
          return 1;
        case 'satisfied_turn':
        case 'reached_turn':
          return 2;
        case 'forgot':
          return [];
        case 'verdict':
          return schema.enum === undefined ? undefined : passing(schema.enum);
        case 'evidence':
          return '';
        default:
          return undefined;
      }
    },
  };
  return filling;
}

function factField(key: string): unknown {
  if (key === 'turn') return 1;
  return key === 'superseded_by' ? null : undefined;
}

function passing(values: unknown): unknown {
  if (!Array.isArray(values)) return undefined;
  return values.includes('pass') ? 'pass' : values[0];
}

function toSchema(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
