import {
  isMapping,
  type Mapping,
  mappingOf,
  parseJsonText,
  stringOf,
  textIn,
} from '../../core/data/data.ts';
import { looksLikeMessages } from '../../messages/readMessages.ts';
import { caseFromList } from '../conversation.ts';
import { listIn, mapAssertion, reportUnknownKeys, textsIn } from '../fields.ts';
import {
  type DraftCase,
  type Importer,
  type Ledger,
  placeholderTarget,
  type Say,
} from '../importer.ts';

/** Keys of a case without turns; at least one is present. */
const MARKS = [
  'scenario',
  'expected_outcome',
  'chatbot_role',
  'user_description',
  'actual_output',
  'expected_output',
  'metrics_data',
];

/** Results of a finished run, which belong in a record. */
const RESULTS = ['success', 'order', 'run_duration', 'evaluation_cost', 'multimodal', 'voice'];

const KNOWN = [
  ...MARKS,
  ...RESULTS,
  ...['turns', 'input', 'retrieval_context', 'tools_called', 'expected_tools'],
  ...['name', 'tags', 'comments', 'context', 'persona'],
];

/** Saved test cases and goldens, with one turn or several. */
export const deepevalData: Importer = {
  name: 'DeepEval',
  takes: 'single-turn or conversational test cases, goldens, and test runs',
  tag: 'deepeval',
  matches: (value) => isMapping(value) && casesIn(value).some(isCase),
  read(rows, ledger) {
    const cases = rows.flatMap(({ line, value }) =>
      casesIn(mappingOf(value)).flatMap((one) => caseFor(line, one, ledger) ?? []),
    );
    const isLive = cases.some(({ keys }) => keys.transcript === undefined);
    const { head, comment } = placeholderTarget();
    return isLive ? { cases, head, comments: [comment] } : { cases };
  },
};

/** The cases in a test run, which contains several lists of them. */
function casesIn(value: Mapping): Mapping[] {
  const run = snakeKeys(value);
  const lists = ['conversational_test_cases', 'test_cases', 'goldens'].flatMap(
    (key) => listIn(run, key) ?? [],
  );
  return lists.length > 0 ? lists.map((one) => snakeKeys(mappingOf(one))) : [run];
}

/** Renames the case's own keys, such as `userDescription`, but not the keys of its turns. */
function snakeKeys(mapping: Mapping): Mapping {
  const snake = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(mapping).map(([key, value]) => [snake(key), value]));
}

function isCase(one: Mapping): boolean {
  const turns = listIn(one, 'turns');
  if (turns) return looksLikeMessages(turns) && one.tests === undefined;
  return MARKS.some((key) => one[key] !== undefined && one[key] !== null);
}

function caseFor(line: number, given: Mapping, ledger: Ledger): DraftCase | undefined {
  const say = ledger.lostAt(line);
  reportUnknownKeys(given, KNOWN, say);
  const context = textsIn(given.context);
  const expected = textIn(given, 'expected_outcome', 'expected_output');
  const persona = parseJsonText(given.persona);
  const goal = textIn(given, 'scenario');
  const described =
    textIn(given, 'user_description') ?? (isMapping(persona) ? wordsOf(persona) : undefined);
  const comments = textIn(given, 'comments');
  const recorded = {
    line,
    name: textIn(given, 'name'),
    opening: goal,
    keys: {
      description: [goal, comments].filter((one) => one !== undefined).join('\n\n') || undefined,
      tags: textsIn(given.tags),
      role: textIn(given, 'chatbot_role'),
      expectations: context ? { outcome: expected, facts: context } : expected,
    },
    assert: [...metricsIn(given, say), ...expectedTools(given)],
  };
  const turns = turnsIn(given);
  if (turns) {
    if (described)
      say('`user_description` of a finished conversation has no Turnlight equivalent.');
    return caseFromList(turns, recorded, ledger);
  }
  for (const key of ['retrieval_context', 'tools_called']) {
    if (listIn(given, key)) say(`\`${key}\` without a reply has no Turnlight equivalent.`);
  }
  const suggestions =
    expected === undefined ? [] : ['The conversation reaches the expected outcome.'];
  const live = { ...recorded, suggestions };
  const input = textIn(given, 'input');
  if (input !== undefined) return { ...live, keys: { ...live.keys, turns: [input] } };
  if (goal === undefined) {
    ledger.broken(line, 'This golden has neither `turns` nor a `scenario`.');
    return undefined;
  }
  const simulate = { goal, persona: described };
  return { ...live, keys: { ...live.keys, description: comments, simulate } };
}

function wordsOf(persona: Mapping): string {
  return Object.entries(persona)
    .filter(([, value]) => typeof value === 'string')
    .map(([key, value]) => `${key}: ${value}`)
    .join('. ');
}

function turnsIn(given: Mapping): unknown[] | undefined {
  const turns = listIn(given, 'turns');
  if (turns) return turns.map((turn) => turnOf(mappingOf(turn)));
  const [input, output] = [textIn(given, 'input'), textIn(given, 'actual_output')];
  if (input === undefined || output === undefined) return undefined;
  const reply = turnOf({
    role: 'assistant',
    content: output,
    tools_called: given.tools_called,
    retrieval_context: textsIn(given.retrieval_context),
  });
  return [{ role: 'user', content: input }, reply];
}

/** Drops null values and renames keys, including keys of tool calls. */
function turnOf(turn: Mapping): Mapping {
  const entries = Object.entries(snakeKeys(turn)).flatMap(([key, value]) => {
    // A test run adds numbers to its turns.
    if (value === null || value === undefined || key === 'order') return [];
    if (!/tools_called$/.test(key) || !Array.isArray(value)) return [[key, value]];
    return [[key, value.map((call) => (isMapping(call) ? snakeKeys(call) : call))]];
  });
  return Object.fromEntries(entries);
}

/** The calls to expect. By default, DeepEval ignores the order of tools. */
function expectedTools(given: Mapping): unknown[] {
  const tools = (listIn(given, 'expected_tools') ?? []).flatMap(
    (tool) => textIn(mappingOf(tool), 'name') ?? [],
  );
  return tools.length > 0 ? [{ type: 'tool-sequence', tools, match: 'any-order' }] : [];
}

/** Assertions for a finished run's metrics: `{name: "Turn Relevancy", threshold: 0.5}`. */
function metricsIn(given: Mapping, say: Say): unknown[] {
  return (listIn(given, 'metrics_data') ?? []).map(mappingOf).flatMap((metric) => {
    // `Correctness [GEval]`
    const [name = ''] = stringOf(metric.name).split('[', 1);
    return mapAssertion({ type: `${name.trimEnd()}Metric`, threshold: metric.threshold }, say);
  });
}
