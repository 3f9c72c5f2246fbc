import type { ChatBody } from '../../test/support/modelServer/chatBody.ts';
import { promptText } from './countingServer.ts';
import { type Filling, fill, type Schema, toSchema } from './fill.ts';
import { type Outline, outlineOf } from './outline.ts';

/** Number of entries in each list that isn't a list of turns. Two entries would often refer to the same turn. */
const LIST_LENGTH = 1;

/**
 * A judge's answer that passes the checks of our assertion types. Every judged turn passes, and lists contain one entry
 * about the first turns.
 */
export function judgeAnswer(body: ChatBody): string {
  const prompt = promptText(body);
  const schema = toSchema(body.response_format?.json_schema?.schema ?? schemaAtEnd(prompt));
  const [conversation = '', ...questions] = prompt.split(/^(?==== QUESTION )/m);
  if (questions.length === 0) return JSON.stringify(answerTo(prompt, schema));
  const answers = Object.entries(toSchema(schema.properties)).map(([name, own], index) => [
    name,
    answerTo(`${conversation}${questions[index]}`, toSchema(own)),
  ]);
  return JSON.stringify(Object.fromEntries(answers));
}

function answerTo(prompt: string, schema: Schema): unknown {
  return fill(schema, answerFilling(outlineOf(prompt), schema));
}

/** The schema on the prompt's last line, for endpoints that get no schema. */
function schemaAtEnd(prompt: string): unknown {
  const last = prompt.trimEnd().split('\n').at(-1) ?? '';
  if (!last.startsWith('{')) throw new Error('The request asks for no JSON Schema.');
  return JSON.parse(last);
}

/** Fields of the whole answer. `turns` is at the top level, or in each criterion of a checklist. */
function answerFilling(outline: Outline, root: Schema): Filling {
  const { turns, judged, listed } = outline;
  const user = turns.find(({ side }) => side === 'user')?.number ?? 1;
  const reply = turns.find(({ side, number }) => side === 'assistant' && number > user)?.number;
  const values: Readonly<Record<string, unknown>> = {
    turn: user,
    asked_turn: user,
    answered_turn: reply,
    satisfied_turn: reply,
    delivered_turn: reply,
    superseded_by: null,
    evidence: '',
    gaps: [],
    violated_in: [],
    details: [],
    user_incoherent: false,
  };
  const field = (key: string, schema: Schema): unknown => {
    const entry = toSchema(schema.items);
    switch (key) {
      case 'turns':
        return judged.map((turn) => fill(entry, entryFilling(turn, outline, root), root));
      case 'criteria':
      case 'guidelines':
        return Array.from({ length: listed }, (_, index) => {
          const numbered = (inner: string, its: Schema) =>
            inner === 'criterion' || inner === 'guideline' ? index + 1 : field(inner, its);
          return fill(entry, { listLength: LIST_LENGTH, field: numbered }, root);
        });
      // The three aspects of task adherence each cite a judged turn.
      case 'goal':
      case 'rules':
      case 'procedure':
        if (schema.type !== 'object') return undefined;
        return fill(schema, entryFilling(judged[0] ?? 2, outline, root), root);
      default:
        return values[key];
    }
  };
  return { listLength: LIST_LENGTH, field };
}

/** Values of the fields that must match their turn. */
function entryFilling(turn: number, { turns }: Outline, root: Schema): Filling {
  const { calls = 0, contexts = 0 } = turns.find(({ number }) => number === turn) ?? {};
  const values: Readonly<Record<string, unknown>> = {
    turn,
    arguments: calls > 0 ? { given: 1, right: 1, missing: 0 } : null,
    // No user is frustrated, and no scale in the bench's prompts starts above 0.
    score: 0,
    forgot: [],
    wasted: [],
    evidence: '',
  };
  return {
    listLength: LIST_LENGTH,
    field(key, schema) {
      if (key !== 'nodes') return values[key];
      return Array.from({ length: contexts }, (_, index) => {
        const field = (inner: string) => (inner === 'node' ? index + 1 : undefined);
        return fill(toSchema(schema.items), { listLength: LIST_LENGTH, field }, root);
      });
    },
  };
}
