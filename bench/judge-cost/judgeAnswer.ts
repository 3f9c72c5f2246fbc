import type { ChatBody } from '../../test/support/modelServer/chatBody.ts';
import { promptText } from './countingServer.ts';
import { type Filling, fill } from './fill.ts';
import { type Outline, outlineOf } from './outline.ts';

type Schema = Readonly<Record<string, unknown>>;

/** One entry in each list of an answer that is no list of turns; two would often stand on one turn. */
const LIST_LENGTH = 1;

/**
 * A judge's answer that passes the checks of our assertion types: every turn that is to be judged
 * passes, lists hold one entry about the first turns.
 */
export function judgeAnswer(body: ChatBody): string {
  const prompt = promptText(body);
  const schema = toSchema(body.response_format?.json_schema?.schema ?? schemaAtEnd(prompt));
  return JSON.stringify(fill(schema, answerFilling(outlineOf(prompt), schema)));
}

/** Where the endpoint is given no schema, the last line of the prompt is one. */
function schemaAtEnd(prompt: string): unknown {
  const last = prompt.trimEnd().split('\n').at(-1) ?? '';
  if (!last.startsWith('{')) throw new Error('The request asks for no JSON Schema.');
  return JSON.parse(last);
}

/** Fields of the answer as a whole; `turns` stands there, or in each criterion of a checklist. */
function answerFilling(outline: Outline, root: Schema): Filling {
  const { turns, judged, listed } = outline;
  const first = (side: 'user' | 'assistant') =>
    turns.find((turn) => turn.side === side)?.number ?? 1;
  const filling: Filling = {
    listLength: LIST_LENGTH,
    field(key, schema) {
      const entry = toSchema(schema.items);
      switch (key) {
        case 'turns':
          return judged.map((turn) => fill(entry, entryFilling(turn, outline, root), root));
        case 'criteria':
        case 'guidelines':
          return Array.from({ length: listed }, (_, index) =>
            fill(entry, numbered(filling, index + 1), root),
          );
        // The three aspects of task adherence each cite a judged turn.
        case 'goal':
        case 'rules':
        case 'procedure':
          if (schema.type !== 'object') return undefined;
          return fill(schema, entryFilling(judged[0] ?? 2, outline, root), root);
        case 'turn':
        case 'asked_turn':
          return first('user');
        case 'answered_turn':
        case 'satisfied_turn':
        case 'delivered_turn':
          return turns.find(({ number, side }) => side === 'assistant' && number > first('user'))
            ?.number;
        case 'superseded_by':
          return null;
        case 'evidence':
          return '';
        case 'gaps':
        case 'violated_in':
        case 'details':
          return [];
        case 'user_incoherent':
          return false;
        default:
          return undefined;
      }
    },
  };
  return filling;
}

/** An entry of a list whose entries are numbered. */
function numbered(filling: Filling, number: number): Filling {
  return {
    ...filling,
    field: (key, schema) =>
      key === 'criterion' || key === 'guideline' ? number : filling.field?.(key, schema),
  };
}

/** Values of the fields that must fit the turn that they stand with. */
function entryFilling(turn: number, { turns }: Outline, root: Schema): Filling {
  const about = turns.find(({ number }) => number === turn);
  return {
    listLength: LIST_LENGTH,
    field(key, schema) {
      switch (key) {
        case 'turn':
          return turn;
        case 'arguments':
          return (about?.calls ?? 0) > 0 ? 1 : null;
        case 'nodes':
          return Array.from({ length: about?.contexts ?? 0 }, (_, index) => {
            const field = (inner: string) => (inner === 'node' ? index + 1 : undefined);
            return fill(toSchema(schema.items), { listLength: LIST_LENGTH, field }, root);
          });
        // No user is frustrated, and no prompt of the bench has a scale that begins above 0.
        case 'score':
          return 0;
        case 'forgot':
        case 'wasted':
          return [];
        case 'evidence':
          return '';
        default:
          return undefined;
      }
    },
  };
}

function toSchema(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
