import { dirname, isAbsolute, relative, sep } from 'node:path';
import * as z from 'zod';
import { type Conversation, toConversation, turnsOf } from '../core/conversation.ts';
import { unreachable } from '../core/errors.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import { caseScore, caseStatus } from '../core/scoring.ts';
import type { Assertion, ModelSpec, SuiteCase } from '../core/suite.ts';
import type { Verdict } from '../core/verdict.ts';
import { canonicalJson, digestOf } from '../node/hashes.ts';
import {
  type AssertionInput,
  type AssertionType,
  answerSchema,
  type CaseFacts,
  type Divisible,
  type Outcome,
  type PlannedRequest,
} from './contract.ts';
import { typeOf } from './registry.ts';

/** Version of the text that precedes every question. Raise it whenever that text changes. */
export const PROTOCOL_VERSION = 4;

/** Version of the additional text in requests with several questions. */
const TOGETHER_VERSION = 2;

/** Version of the way examples are chosen and shown. */
const EXAMPLES_VERSION = 2;

/**
 * SHA-256 of an assertion's question, hexadecimal. Verdicts with the same hash answer the same question about any
 * conversation. Name, weight, and threshold don't affect it.
 *
 * The question is built for a fixed dummy conversation, because only the question itself matters: the type's wording,
 * its answer schema, and the facts that it uses.
 */
export function questionHash(assertion: Assertion, facts: CaseFacts): string {
  const { at, scriptedTurn, negate, granularity, window, judge, model, prompt } = assertion;
  const { role, topics, tools, expectations, context } = facts;
  const own = {
    protocol: PROTOCOL_VERSION,
    type: assertion.type,
    params: portableParams(assertion),
    prompt: prompt && [prompt.body, prompt.grading, prompt.details, prompt.perTurn],
    asked: questionsTo({ conversation: PROBE, turns: subjectOf(assertion), assertion, facts }),
    facts: typeOf(assertion).readsFacts && [role, topics, tools, expectations, context],
    at,
    scriptedTurn,
    negate,
    granularity,
    window,
    // Excludes the labels themselves: a verdict's details name the examples that were shown.
    examples: assertion.examples && EXAMPLES_VERSION,
    // Absent if it has its own request, so that older hashes stay valid.
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

/** The temperature of an assertion's judge. */
export function temperatureOf({ temperature, judge }: Assertion): number {
  const ofModel = judge?.params.temperature;
  return temperature ?? (typeof ofModel === 'number' ? ofModel : DEFAULT_TEMPERATURE);
}

/** A conversation that contains everything that questions can depend on. */
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

/** The questions for a judge; empty if there are none, or if the assertion's verdict would be an error. */
function questionsTo(input: AssertionInput): unknown[] {
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
      return describeQuestion(type.question(input));
    case 'checklist':
      return describeQuestion(type.checklist([input]));
    case 'procedure':
      return type.plan(input).flatMap((planned) => describePlanned(planned, input));
    case 'deterministic':
    case 'group':
      return [];
    default:
      return unreachable(type);
  }
}

function describePlanned(planned: PlannedRequest, { turns }: AssertionInput): unknown[] {
  switch (planned.kind) {
    case 'asked':
      return describeQuestion(planned.about(turns));
    case 'once':
      return [[planned.asked.name, planned.asked.instructions, answerSchema(planned.asked.answer)]];
    // The question is part of the nested assertion's hash.
    case 'assertion':
    case 'embedding':
      return [];
    default:
      return unreachable(planned);
  }
}

function describeQuestion(question: Divisible<unknown> | Outcome): unknown[] {
  // There is no question if a fact is missing.
  if ('kind' in question) return [];
  const { name, instructions, answer, parts } = question;
  return [[name, instructions, answerSchema(answer), parts.whole && answerSchema(parts.whole)]];
}

/** The parameters with paths relative to the file, and without a prompt's path. */
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

/** The model as written in the file, before variables are filled in. */
function modelName({ params, written = params }: ModelSpec): string {
  return String(written.model);
}

/**
 * Whether a result still answers the case's questions, with the same thresholds and weights. The conversation may have
 * changed: compare `input_hash`.
 */
export function isCurrent(line: CaseLine, suiteCase: SuiteCase): boolean {
  const { assertions, threshold, aggregate, repeat, skip, stopOnFailure } = suiteCase;
  const stoppedEarly = line.stop_reason === 'stop-on-failure';
  const skipped = line.verdicts.some(({ reason }) => reason === 'case-skipped');
  return (
    line.repetitions === repeat.times &&
    (line.must_pass ?? 1) === repeat.pass &&
    line.threshold === threshold &&
    (line.status === 'error' ||
      (line.score === caseScore(line.verdicts, aggregate) &&
        line.status === caseStatus(line.verdicts, threshold, aggregate, stoppedEarly))) &&
    skipped === (skip !== undefined) &&
    (!stoppedEarly || stopOnFailure) &&
    line.verdicts.length === assertions.length &&
    assertions.every((one, index) => answers(line.verdicts[index], one, suiteCase))
  );
}

/**
 * Whether the case definitely asks different questions now, or weighs them differently. False for version 1 records,
 * which have no hashes.
 *
 * @param line for a case whose text is unchanged; its file's defaults or a prompt may differ
 */
export function isStale(
  { verdicts, status, threshold }: Pick<CaseLine, 'verdicts' | 'status' | 'threshold'>,
  suiteCase: SuiteCase,
): boolean {
  const known = verdicts.filter(({ question_hash }) => question_hash !== undefined);
  if (known.length === 0) return false;
  const { assertions } = suiteCase;
  const byKey = new Map(assertions.map((one) => [one.key, one]));
  return (
    threshold !== suiteCase.threshold ||
    // An error may have occurred before some of them.
    (status !== 'error' && verdicts.length !== assertions.length) ||
    known.some((verdict) => {
      const assertion = byKey.get(verdict.assertion.key ?? '');
      return !assertion || !answers(verdict, assertion, suiteCase);
    })
  );
}

function answers(verdict: Verdict | undefined, assertion: Assertion, facts: SuiteCase): boolean {
  return (
    verdict?.question_hash === questionHash(assertion, facts) && countsTheSame(verdict, assertion)
  );
}

/** Whether thresholds, weights, and gates are unchanged, including those of nested assertions. */
function countsTheSame({ assertion, threshold, nested = [] }: Verdict, wanted: Assertion): boolean {
  const under = new Map((wanted.nested ?? []).map((one) => [one.assertion.key, one.assertion]));
  return (
    assertion.key === wanted.key &&
    threshold === wanted.threshold &&
    assertion.weight === wanted.weight &&
    // A nested gate makes the outer assertion a gate.
    (assertion.required === wanted.required || (assertion.required && under.size > 0)) &&
    nested.every((one) => {
      const own = under.get(one.assertion.key ?? '');
      return !own || countsTheSame(one, own);
    })
  );
}

/** An assertion's keys without defaults such as `ignore_case: false`. */
export function withoutDefaults(
  { params: { shape } }: AssertionType,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const saysMore = ([key, value]: [string, unknown]) => {
    const schema: unknown = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (!(schema instanceof z.ZodDefault)) return true;
    return canonicalJson(schema.def.defaultValue) !== canonicalJson(value);
  };
  return Object.fromEntries(Object.entries(given).filter(saysMore));
}
