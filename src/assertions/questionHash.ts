import { dirname, isAbsolute, relative, sep } from 'node:path';
import { type Conversation, toConversation, turnsOf } from '../core/conversation.ts';
import { digestOf } from '../core/data/digest.ts';
import type { Assertion, ModelSpec } from '../core/suite.ts';
import { unreachable } from '../core/unreachable.ts';
import { answerSchema } from './answerSchema.ts';
import type { AssertionInput, CaseFacts, Divisible, Outcome, Planned } from './contract.ts';
import { typeOf } from './registry.ts';
import { withoutDefaults } from './withoutDefaults.ts';

/** Of what judges are told before every question. Raised with each change of that text. */
export const PROTOCOL_VERSION = 4;

/** The same of what they are told where several questions stand in one request. */
export const TOGETHER_VERSION = 2;

/** The same of how examples are chosen and shown. */
export const EXAMPLES_VERSION = 2;

/**
 * SHA-256 of what an assertion asks, hexadecimal: verdicts with the same one answer the same question,
 * of whatever conversation. Another name, weight or threshold changes nothing of it.
 *
 * What is asked is the question itself, put to a conversation that is always the same. So the texts
 * of the type, the schema of its answer and the facts that it reads are in it as a judge gets them.
 */
export function questionHash(assertion: Assertion, facts: CaseFacts): string {
  const { at, scriptedTurn, negate, granularity, window, judge, model, prompt } = assertion;
  const { role, topics, tools, expectations, context } = facts;
  const own = {
    protocol: PROTOCOL_VERSION,
    type: assertion.type,
    params: portableParams(assertion),
    prompt: prompt && [prompt.body, prompt.grading, prompt.details, prompt.perTurn],
    asked: askedBy({ conversation: PROBE, turns: subjectOf(assertion), assertion, facts }),
    facts: typeOf(assertion).readsFacts && [role, topics, tools, expectations, context],
    at,
    scriptedTurn,
    negate,
    granularity,
    window,
    // Which labels there are is no part of it: a verdict's details name those that were shown.
    examples: assertion.examples && EXAMPLES_VERSION,
    // Absent where it is asked by itself, so that its hash stays what it was.
    together: assertion.together && TOGETHER_VERSION,
    judge: judge && [modelName(judge), temperatureOf(assertion)],
    model: model && modelName(model),
  };
  const nested = (assertion.nested ?? []).map((one) => [
    one.path,
    questionHash(one.assertion, facts),
  ]);
  return digestOf([own, nested]);
}

const DEFAULT_TEMPERATURE = 0;

/** The one that an assertion's judge is asked with. */
export function temperatureOf({ temperature, judge }: Assertion): number {
  const ofModel = judge?.params.temperature;
  return temperature ?? (typeof ofModel === 'number' ? ofModel : DEFAULT_TEMPERATURE);
}

/** Holds something of all that questions differ by. */
const PROBE: Conversation = toConversation(
  [
    { message: { role: 'system', content: 'A system text.' } },
    { message: { role: 'user', content: 'A question.' } },
    {
      message: {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'call', name: 'tool', arguments: {} }],
      },
    },
    { message: { role: 'tool', callId: 'call', content: 'A result.' } },
    {
      message: { role: 'assistant', content: 'A reply.', retrievalContext: ['A node.'] },
      expected: 'What a good reply holds.',
    },
    { message: { role: 'user', content: 'Another question.' } },
    { message: { role: 'assistant', content: 'Another reply.', retrievalContext: ['A node.'] } },
  ],
  [],
);

function subjectOf(assertion: Assertion) {
  const { side } = typeOf(assertion);
  return turnsOf(PROBE).filter((turn) => side === 'both' || turn.side === side);
}

/** What a judge would be asked; empty if none is, or where it cannot be asked, which its verdict says. */
function askedBy(input: AssertionInput): unknown[] {
  try {
    return questionsOf(input);
  } catch {
    return [];
  }
}

function questionsOf(input: AssertionInput): unknown[] {
  const type = typeOf(input.assertion);
  switch (type.kind) {
    case 'judged':
      return described(type.question(input));
    case 'checklist':
      return described(type.checklist([input]));
    case 'procedure':
      return type.plan(input).flatMap((planned) => plannedBy(planned, input));
    case 'deterministic':
    case 'group':
      return [];
    default:
      return unreachable(type);
  }
}

function plannedBy(planned: Planned, { turns }: AssertionInput): unknown[] {
  switch (planned.kind) {
    case 'asked':
      return described(planned.about(turns));
    case 'once':
      return [[planned.asked.name, planned.asked.instructions, answerSchema(planned.asked.answer)]];
    // What it asks is in the hash of the nested assertion.
    case 'assertion':
    case 'embedding':
      return [];
    default:
      return unreachable(planned);
  }
}

function described(question: Divisible<unknown> | Outcome): unknown[] {
  // Nothing to ask where a fact is missing.
  if ('kind' in question) return [];
  const { name, instructions, answer, parts } = question;
  return [[name, instructions, answerSchema(answer), parts.whole && answerSchema(parts.whole)]];
}

/** Paths as they are from the file, on every machine; a prompt's is none of its question. */
function portableParams(assertion: Assertion): Readonly<Record<string, unknown>> {
  const { params, prompt, source } = assertion;
  const { path } = params;
  const written =
    typeof path === 'string' && isAbsolute(path)
      ? { path: relative(dirname(source.path), path).split(sep).join('/') }
      : {};
  const portable = { ...params, ...written, ...(prompt && { prompt: undefined }) };
  return withoutDefaults(typeOf(assertion), portable);
}

/** As it is written: behind whatever endpoint, and before variables are filled in. */
function modelName({ params, written = params }: ModelSpec): string {
  return String(written.model);
}
