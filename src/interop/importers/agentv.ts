import { isMapping, type Mapping, mappingOf } from '../../core/data/data.ts';
import {
  listIn,
  type MappedAssertion,
  mapAssertion,
  mapAssertions,
  parseJsonText,
  reportLost,
  reportUnknownKeys,
  type Say,
  textIn,
  textsIn,
} from '../fields.ts';
import {
  chatTarget,
  type DraftCase,
  type Importer,
  type Ledger,
  placeholderTarget,
  type Row,
} from '../importer.ts';

/** AgentV's default threshold. */
const PASS_SHARE = 0.8;

const LISTS = ['tests', 'evalcases', 'cases'];

const FILE_KEYS = [...LISTS, 'name', 'description', 'execution', 'assertions', 'tags', '$schema'];

const TEST_KEYS = [
  'id',
  'criteria',
  'expected_outcome',
  'input',
  'input_messages',
  'expected_output',
  'expected_messages',
  'assertions',
  'evaluators',
  'assert',
  'mode',
  'turns',
  'aggregation',
  'on_turn_failure',
  'vars',
  'metadata',
  'note',
];

/** AgentV's eval files, and its tests as JSON lines. */
export const agentv: Importer = {
  name: 'AgentV',
  takes: 'eval files with `tests`, and tests as JSON lines',
  tag: 'agentv',
  matches: (value) => isMapping(value) && testsIn(value).some(isTest),
  read(rows, ledger) {
    const files = rows.map((row) => ({ ...row, file: mappingOf(row.value) }));
    const whole = files.find(({ file }) => listIn(file, ...LISTS));
    const { execution, description, name, assertions } = whole?.file ?? {};
    const settings = mappingOf(execution);
    if (whole) {
      reportUnknownKeys(whole.file, FILE_KEYS, whole.line, ledger);
      reportUnknownKeys(settings, ['target', 'threshold', 'assertions'], whole.line, ledger);
    }
    const say = (message: string) => ledger.lost(whole?.line ?? 1, message);
    const shared = [assertions, settings.assertions].flatMap((one) =>
      agentvAssertions(one, undefined, say),
    );
    const cases = files.flatMap(({ line, file, lineOf }) =>
      testsIn(file).flatMap((value, index) => {
        const key = LISTS.find((one) => Object.hasOwn(file, one));
        const own = key === undefined ? undefined : lineOf?.([key, index]);
        return caseFor({ line: own ?? line, value }, ledger) ?? [];
      }),
    );
    const target = placeholderTarget(textIn(settings, 'target'));
    const needsTarget = cases.some(({ keys }) => keys.target === undefined);
    return {
      cases,
      comments: [
        needsTarget
          ? target.comment
          : 'The model of each target is a placeholder. Replace it with yours.',
      ],
      head: {
        name,
        description,
        ...(needsTarget && target.head),
        defaults: {
          threshold: settings.threshold ?? PASS_SHARE,
          ...(shared.length > 0 && { assert: shared }),
        },
      },
    };
  },
};

function testsIn(file: Mapping): Mapping[] {
  return (listIn(file, ...LISTS) ?? [file]).map(mappingOf);
}

function isTest(test: Mapping): boolean {
  const asks = ['input', 'input_messages', 'turns'].some((key) => Object.hasOwn(test, key));
  const isOwn = ['criteria', 'expected_outcome', 'assertions', 'expected_output', 'evaluators'];
  return typeof test.id === 'string' && asks && isOwn.some((key) => Object.hasOwn(test, key));
}

function caseFor({ line, value }: Row, ledger: Ledger): DraftCase | undefined {
  const test = mappingOf(value);
  const { id } = test;
  const say = (message: string) => ledger.lost(line, `${String(id)}: ${message}`);
  reportUnknownKeys(test, TEST_KEYS, line, ledger);
  const conversation = conversationIn(test, say);
  if (!conversation) {
    ledger.broken(line, `The test ${JSON.stringify(id)} has no input that can be read.`);
    return undefined;
  }
  const criteria = textIn(test, 'criteria', 'expected_outcome');
  const written = [test.assertions, test.evaluators, test.assert].flatMap((one) =>
    agentvAssertions(one, criteria, say),
  );
  const metadata = mappingOf(test.metadata);
  reportUnknownKeys(metadata, ['tags'], line, ledger);
  if (test.aggregation === 'max') say('`aggregation: max` has no counterpart.');
  const ownChecks = JSON.stringify(conversation.turns ?? []).includes('"assert"');
  return {
    line,
    name: typeof id === 'string' ? id : undefined,
    keys: {
      description: textIn(test, 'note'),
      tags: textsIn(metadata.tags),
      context: isMapping(test.vars) ? test.vars : undefined,
      expectations: criteria,
      aggregate: test.aggregation === 'min' ? 'min' : undefined,
      stop_on_failure: test.on_turn_failure === 'stop' ? true : undefined,
      ...conversation,
    },
    // A test without its own checks is graded by its criteria.
    assert: written.length > 0 || ownChecks || criteria === undefined ? written : [criteria],
    suggestions: (written.length > 0 || ownChecks) && criteria !== undefined ? [criteria] : [],
  };
}

/** Instructions, earlier messages, and the user's turns, which get live replies. */
function conversationIn(test: Mapping, say: Say): Mapping | undefined {
  const input = messagesIn(test.input ?? test.input_messages, say);
  const system = input.filter(({ role }) => role === 'system').map(({ content }) => content);
  const said = input.filter(({ role }) => role !== 'system');
  const scripted = (listIn(test, 'turns') ?? []).map(mappingOf).map((turn) => ({
    user: wordsOf(turn.input, say),
    expected: turn.expected_output === undefined ? undefined : wordsOf(turn.expected_output, say),
    assert: nonEmpty(agentvAssertions(turn.assertions, undefined, say)),
  }));
  const last = said.findLastIndex(({ role }) => role === 'assistant');
  const live = said.slice(last + 1).map(({ content }) => ({ user: content }));
  const expected = expectedIn(test, say);
  const final = live.at(-1);
  const turns = [
    ...live.slice(0, -1),
    ...(final ? [{ ...final, expected: scripted.length > 0 ? undefined : expected }] : []),
    ...scripted,
  ];
  if (turns.length === 0) return undefined;
  const before = said.slice(0, last + 1).map(({ role, content }) => ({ [role]: content }));
  return {
    ...(system.length > 0 && { target: chatTarget(system.join('\n\n')) }),
    ...(before.length > 0 && { history: before }),
    turns,
  };
}

function nonEmpty<Item>(list: readonly Item[]): readonly Item[] | undefined {
  return list.length > 0 ? list : undefined;
}

interface InputMessage {
  readonly role: string;
  readonly content: string;
}

function messagesIn(input: unknown, say: Say): InputMessage[] {
  const given = parseJsonText(input);
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) {
    const { role = 'user', content } = isMapping(given) ? given : { content: given };
    return [{ role: String(role), content: wordsOf(content ?? given, say) }];
  }
  return given.map(mappingOf).map(({ role, content }) => ({
    role: String(role),
    content: wordsOf(content, say),
  }));
}

/** Text, or parts with text, files, and images. */
function wordsOf(content: unknown, say: Say): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return JSON.stringify(content) ?? '';
  return content
    .map(mappingOf)
    .map(({ type, value, text }) => {
      if (type === 'text' || type === undefined) return String(value ?? text ?? '');
      say(`The ${String(type)} ${JSON.stringify(value)} is not shown to the target.`);
      return `[${String(type)} ${JSON.stringify(value)}: not shown]`;
    })
    .join('\n\n');
}

function expectedIn(test: Mapping, say: Say): string | undefined {
  const given = test.expected_output ?? test.expected_messages;
  if (given === undefined || given === null) return undefined;
  const said = messagesIn(given, say).map(({ content }) => content);
  return said.join('\n\n') || undefined;
}

/**
 * Maps AgentV's assertions.
 *
 * @param criteria of the test, for an `llm-grader` without a prompt
 */
function agentvAssertions(given: unknown, criteria: string | undefined, say: Say): unknown[] {
  const list = Array.isArray(given) ? given : [];
  return mapAssertions(list, (written) => mapOne(written, criteria, say), say);
}

function mapOne(
  written: Mapping,
  criteria: string | undefined,
  say: Say,
): MappedAssertion | unknown[] {
  const { type, required, ...rest } = written;
  const gate =
    typeof required === 'number' ? { required: true, threshold: required } : { required };
  switch (String(type).replaceAll('_', '-')) {
    case 'llm-grader':
    case 'llm-judge':
      return mapGrader({ ...rest, ...gate }, criteria, say);
    case 'rubrics':
    case 'rubric':
      return mapRubrics(listIn(rest, 'criteria', 'rubrics') ?? [], say);
    case 'tool-trajectory':
      return mapAssertion({ type: 'tool-sequence', ...gate, ...mapTrajectory(rest) });
    case 'latency':
      return mapLimit('max-latency', rest, 'threshold', gate);
    case 'cost':
      return mapLimit('max-cost', rest, 'budget', gate);
    case 'token-usage':
      return mapTokens(rest, gate);
    case 'code-grader':
    case 'code-judge':
      return {
        lost: [
          `"${String(type)}" runs a program by AgentV's protocol: write a \`script\` instead.`,
        ],
      };
    case 'composite': {
      const { assertions, evaluators, aggregator, ...group } = rest;
      if (mappingOf(aggregator).type !== undefined) {
        say('`aggregator` of "composite" has no counterpart: all of its checks must hold.');
      }
      const assert = agentvAssertions(assertions ?? evaluators, criteria, say);
      return mapAssertion({ type: 'all-of', assert, ...group, ...gate });
    }
    default:
      return mapAssertion({ type, ...rest, ...gate });
  }
}

/** Graded by a prompt in a file, an inline prompt, rubrics, or the test's criteria. */
function mapGrader(
  { prompt, rubrics: items, target: _target, ...rest }: Mapping,
  criteria: string | undefined,
  say: Say,
): MappedAssertion | unknown[] {
  if (Array.isArray(items)) return mapRubrics(items, say);
  if (isMapping(prompt)) {
    return { lost: ['"llm-grader" makes its prompt by a program, which has no counterpart.'] };
  }
  if (typeof prompt === 'string') {
    const path = prompt.replace(/^file:\/\//, '');
    const isFile = /\.(md|txt|markdown)$/i.test(path) && !/\s/.test(path);
    const key = isFile ? { prompt: path } : { instructions: prompt };
    return mapAssertion({ type: 'llm-judge', ...rest, ...key });
  }
  if (criteria === undefined) return { lost: ['"llm-grader" has neither a prompt nor criteria.'] };
  return mapAssertion({ type: 'criterion', criterion: criteria, ...rest });
}

function mapRubrics(items: readonly unknown[], say: Say): unknown[] {
  return items.flatMap((item): unknown[] => {
    if (typeof item === 'string') return [item];
    const { id, outcome, weight, required, min_score, score_ranges, operator } = mappingOf(item);
    const criterion = textIn({ outcome }, 'outcome');
    if (score_ranges !== undefined) say('`score_ranges` of a rubric has no counterpart.');
    if (criterion === undefined) return [];
    if (operator === 'contradiction') say('`operator: contradiction` has no counterpart.');
    if ([id, weight, required, min_score].every((one) => one === undefined)) return [criterion];
    const keys = { type: 'criterion', criterion, name: id, weight, required, min_score };
    return reportLost(mapAssertion(keys), say);
  });
}

const MODES: Readonly<Record<string, string>> = {
  any_order: 'any-order',
  in_order: 'in-order',
};

function mapTrajectory({ mode, expected, args_match, argsMatch, ...rest }: Mapping): Mapping {
  const tools = (Array.isArray(expected) ? expected : []).map(mappingOf).map((one) => {
    const compare = one.args_match ?? one.argsMatch;
    const args = isMapping(one.args) ? one.args : undefined;
    return args || compare ? { name: one.tool, args, compare } : one.tool;
  });
  const match = typeof mode === 'string' ? (MODES[mode] ?? mode) : undefined;
  return { ...rest, match, tools, args: args_match ?? argsMatch };
}

function mapLimit(type: string, rest: Mapping, key: string, gate: Mapping): MappedAssertion {
  const { [key]: max, ...others } = rest;
  return mapAssertion({ type, max, ...others, ...gate });
}

function mapTokens(
  { max_total, max_input, max_output, ...rest }: Mapping,
  gate: Mapping,
): unknown[] {
  const limits = { total: max_total, input: max_input, output: max_output };
  return Object.entries(limits).flatMap(([of, max]) => {
    if (typeof max !== 'number') return [];
    const { assertion } = mapAssertion({ type: 'max-tokens', max, of, ...rest, ...gate });
    return assertion ? [assertion] : [];
  });
}
