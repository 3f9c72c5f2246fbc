import {
  isMapping,
  type Mapping,
  mappingOf,
  parseJsonText,
  stringOf,
  textIn,
} from '../../core/data/data.ts';
import { listIn, mapAssertion, mapAssertions, reportUnknownKeys, textsIn } from '../fields.ts';
import {
  chatTarget,
  type DraftCase,
  type Importer,
  type Ledger,
  placeholderTarget,
  type Say,
} from '../importer.ts';

/** AgentV's default threshold. */
const PASS_SHARE = 0.8;

const LISTS = ['tests', 'evalcases', 'cases'];

const FILE_KEYS = [...LISTS, 'name', 'description', 'execution', 'assertions', 'tags', '$schema'];

/** Test keys that have had different names over time, newest first. */
const INPUT = ['input', 'input_messages'];
const EXPECTED = ['expected_output', 'expected_messages'];
const CRITERIA = ['criteria', 'expected_outcome'];
const CHECKS = ['assertions', 'evaluators', 'assert'];

const OTHER_KEYS = ['id', 'note', 'mode', 'turns', 'aggregation', 'on_turn_failure', 'vars'];
const TEST_KEYS = [...INPUT, ...EXPECTED, ...CRITERIA, ...CHECKS, ...OTHER_KEYS, 'metadata'];

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
    const say = ledger.lostAt(whole?.line ?? 1);
    if (whole) {
      reportUnknownKeys(whole.file, FILE_KEYS, say);
      reportUnknownKeys(settings, ['target', 'threshold', 'assertions'], say);
    }
    const shared = [assertions, settings.assertions].flatMap((one) =>
      agentvAssertions(one, undefined, say),
    );
    const cases = files.flatMap(({ line, file, lineOf }) =>
      testsIn(file).flatMap((value, index) => {
        const key = LISTS.find((one) => Object.hasOwn(file, one));
        const own = key === undefined ? undefined : lineOf?.([key, index]);
        return caseFor(own ?? line, value, ledger) ?? [];
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
  const asks = [...INPUT, 'turns'].some((key) => Object.hasOwn(test, key));
  const isOwn = [...CRITERIA, 'assertions', 'expected_output', 'evaluators'];
  return typeof test.id === 'string' && asks && isOwn.some((key) => Object.hasOwn(test, key));
}

function caseFor(line: number, test: Mapping, ledger: Ledger): DraftCase | undefined {
  const { id } = test;
  const say = (message: string) => ledger.lost(line, `${stringOf(id)}: ${message}`);
  reportUnknownKeys(test, TEST_KEYS, ledger.lostAt(line));
  const conversation = conversationIn(test, say);
  if (!conversation) {
    ledger.broken(line, `The test ${JSON.stringify(id)} has no input that can be read.`);
    return undefined;
  }
  const criteria = textIn(test, ...CRITERIA);
  const written = CHECKS.flatMap((key) => agentvAssertions(test[key], criteria, say));
  const metadata = mappingOf(test.metadata);
  reportUnknownKeys(metadata, ['tags'], ledger.lostAt(line));
  if (test.aggregation === 'max') say('`aggregation: max` has no Turnlight equivalent.');
  const ownChecks =
    written.length > 0 || JSON.stringify(conversation.turns ?? []).includes('"assert"');
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
    // A test without assertions of its own is graded by its criteria.
    assert: ownChecks || criteria === undefined ? written : [criteria],
    suggestions: ownChecks && criteria !== undefined ? [criteria] : [],
  };
}

/** The conversation: instructions, earlier messages, and user turns, to which the target replies live. */
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
    return [{ role: stringOf(role), content: wordsOf(content ?? given, say) }];
  }
  return given.map(mappingOf).map(({ role, content }) => ({
    role: stringOf(role),
    content: wordsOf(content, say),
  }));
}

/** The text of a message, which can be a string, or parts with text, files, and images. */
function wordsOf(content: unknown, say: Say): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return JSON.stringify(content) ?? '';
  return content
    .map(mappingOf)
    .map(({ type, value, text }) => {
      if (type === 'text' || type === undefined) return stringOf(value ?? text ?? '');
      say(`The ${stringOf(type)} ${JSON.stringify(value)} is not shown to the target.`);
      return `[${stringOf(type)} ${JSON.stringify(value)}: not shown]`;
    })
    .join('\n\n');
}

function expectedIn(test: Mapping, say: Say): string | undefined {
  const given = test.expected_output ?? test.expected_messages;
  if (given === undefined || given === null) return undefined;
  const said = messagesIn(given, say).map(({ content }) => content);
  return said.join('\n\n') || undefined;
}

/** @param criteria the test's criteria, for an `llm-grader` without a prompt */
function agentvAssertions(given: unknown, criteria: string | undefined, say: Say): unknown[] {
  return mapAssertions(given, (written) => mapOne(written, criteria, say));
}

function mapOne(
  { type, required, ...rest }: Mapping,
  criteria: string | undefined,
  say: Say,
): readonly unknown[] {
  const gate =
    typeof required === 'number' ? { required: true, threshold: required } : { required };
  switch (stringOf(type).replaceAll('_', '-')) {
    case 'llm-grader':
    case 'llm-judge':
      return mapGrader({ ...rest, ...gate }, criteria, say);
    case 'rubrics':
    case 'rubric':
      return mapRubrics(listIn(rest, 'criteria', 'rubrics') ?? [], say);
    case 'tool-trajectory':
      return mapAssertion({ type: 'tool-sequence', ...gate, ...mapTrajectory(rest) }, say);
    case 'latency': {
      const { threshold: max, ...others } = rest;
      return mapAssertion({ type: 'max-latency', max, ...others, ...gate }, say);
    }
    case 'cost': {
      const { budget: max, ...others } = rest;
      return mapAssertion({ type: 'max-cost', max, ...others, ...gate }, say);
    }
    case 'token-usage':
      return mapTokens({ ...rest, ...gate }, say);
    case 'code-grader':
    case 'code-judge':
      say(
        `"${stringOf(type)}" runs a program using AgentV's protocol: write a \`script\` instead.`,
      );
      return [];
    case 'composite': {
      const { assertions, evaluators, aggregator, ...group } = rest;
      if (mappingOf(aggregator).type !== undefined) {
        say(
          '`aggregator` of "composite" has no Turnlight equivalent: all of its checks must pass.',
        );
      }
      const assert = agentvAssertions(assertions ?? evaluators, criteria, say);
      return mapAssertion({ type: 'all-of', assert, ...group, ...gate }, say);
    }
    default:
      return mapAssertion({ type, ...rest, ...gate }, say);
  }
}

/** Maps a grader that uses a prompt in a file, an inline prompt, rubrics, or the test's criteria. */
function mapGrader(
  { prompt, rubrics: items, target: _target, ...rest }: Mapping,
  criteria: string | undefined,
  say: Say,
): readonly unknown[] {
  if (Array.isArray(items)) return mapRubrics(items, say);
  if (isMapping(prompt)) {
    say('"llm-grader" creates its prompt with a program, which has no Turnlight equivalent.');
    return [];
  }
  if (typeof prompt === 'string') {
    const path = prompt.replace(/^file:\/\//, '');
    const isFile = /\.(md|txt|markdown)$/i.test(path) && !/\s/.test(path);
    const key = isFile ? { prompt: path } : { instructions: prompt };
    return mapAssertion({ type: 'llm-judge', ...rest, ...key }, say);
  }
  if (criteria !== undefined) {
    return mapAssertion({ type: 'criterion', criterion: criteria, ...rest }, say);
  }
  say('"llm-grader" has neither a prompt nor criteria.');
  return [];
}

function mapRubrics(items: readonly unknown[], say: Say): unknown[] {
  return items.flatMap((item): unknown[] => {
    if (typeof item === 'string') return [item];
    const { id, outcome, weight, required, min_score, score_ranges, operator } = mappingOf(item);
    const criterion = textIn({ outcome }, 'outcome');
    if (score_ranges !== undefined) say('`score_ranges` of a rubric has no Turnlight equivalent.');
    if (criterion === undefined) return [];
    if (operator === 'contradiction') say('`operator: contradiction` has no Turnlight equivalent.');
    if ([id, weight, required, min_score].every((one) => one === undefined)) return [criterion];
    const keys = { type: 'criterion', criterion, name: id, weight, required, min_score };
    return mapAssertion(keys, say);
  });
}

const MODES: Readonly<Record<string, string>> = { any_order: 'any-order', in_order: 'in-order' };

function mapTrajectory({ mode, expected, args_match, argsMatch, ...rest }: Mapping): Mapping {
  const tools = (Array.isArray(expected) ? expected : []).map(mappingOf).map((one) => {
    const compare = one.args_match ?? one.argsMatch;
    const args = isMapping(one.args) ? one.args : undefined;
    return args || compare ? { name: one.tool, args, compare } : one.tool;
  });
  const match = typeof mode === 'string' ? (MODES[mode] ?? mode) : undefined;
  return { ...rest, match, tools, args: args_match ?? argsMatch };
}

function mapTokens({ max_total, max_input, max_output, ...rest }: Mapping, say: Say): unknown[] {
  const limits = { total: max_total, input: max_input, output: max_output };
  return Object.entries(limits).flatMap(([of, max]) =>
    typeof max === 'number' ? mapAssertion({ type: 'max-tokens', max, of, ...rest }, say) : [],
  );
}
