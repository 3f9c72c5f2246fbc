import {
  firstFree,
  isMapping,
  type Mapping,
  mappingOf,
  parseJsonText,
  stringOf,
  textIn,
} from '../../core/data/data.ts';
import { LIMITS } from '../../core/limits.ts';
import { parseModelSpec } from '../../models/registry.ts';
import { listIn, mapAssertion, mapAssertions, reportUnknownKeys } from '../fields.ts';
import {
  chatTarget,
  type DraftCase,
  type Importer,
  type ImportRow,
  type Ledger,
  placeholderTarget,
  type Say,
} from '../importer.ts';

/** Keys of a configuration; at least one is present. */
const ASKING_KEYS = ['prompts', 'providers', 'targets'];
const FILE_KEYS = [...ASKING_KEYS, 'description', 'tests', 'defaultTest', 'tags', '$schema'];

const TEST_KEYS = ['description', 'vars', 'assert', 'threshold', 'options'];

/** Known options in a test and in a provider's `config`. */
const OPTION_KEYS = ['provider', 'disableVarExpansion'];
const CONFIG_KEYS = new Map([
  ['apiBaseUrl', 'base_url'],
  ['apiKeyEnvar', 'api_key_env'],
  ['temperature', 'temperature'],
  ['max_tokens', 'max_tokens'],
]);

/** promptfoo's configurations, and its tests as a list or as CSV. */
export const promptfoo: Importer = {
  name: 'promptfoo',
  takes: 'configurations with `prompts` and `tests`, and tests with `vars` and `assert`',
  tag: 'promptfoo',
  matches: (value) => isMapping(value) && (isConfig(value) || isTest(value) || isCsvRow(value)),
  read(rows, ledger) {
    const whole = rows.find(({ value }) => isConfig(mappingOf(value)));
    const config = mappingOf(whole?.value);
    const line = whole?.line ?? 1;
    const say = ledger.lostAt(line);
    const byDefault = mappingOf(config.defaultTest);
    if (whole) reportUnknownKeys(config, FILE_KEYS, say);
    reportUnknownKeys(byDefault, TEST_KEYS, say);
    reportUnknownKeys(mappingOf(byDefault.options), OPTION_KEYS, say);
    const [prompt, ...others] = promptsIn(config.prompts, say);
    if (others.length > 0) say(`Only the first of ${others.length + 1} prompts is imported.`);
    const vars = mappingOf(byDefault.vars);
    const tests = rows.flatMap((row) => testsOf(row, say));
    const cases = tests.flatMap((row) => caseFor(row, prompt, vars, ledger) ?? []);
    const target = targetIn(config, prompt?.system, say);
    const shared = promptfooAssertions(byDefault.assert, false, say);
    const isLive = cases.some(({ keys }) => keys.transcript === undefined);
    return {
      cases,
      comments: isLive ? target.comments : [],
      head: {
        description: textIn(config, 'description'),
        ...(isLive && target.head),
        judge: modelIn(mappingOf(byDefault.options).provider),
        defaults: {
          ...(shared.length > 0 && { assert: shared }),
          threshold: byDefault.threshold,
        },
      },
    };
  },
};

function isConfig(value: Mapping): boolean {
  const asks = ASKING_KEYS.some((key) => Object.hasOwn(value, key));
  const tests = value.tests ?? value.scenarios;
  return asks && (Array.isArray(tests) || typeof tests === 'string');
}

function isTest(value: Mapping): boolean {
  return isMapping(value.vars) && Array.isArray(value.assert);
}

function isCsvRow(value: Mapping): boolean {
  return Object.keys(value).some((key) => /^__expected\d*$/.test(key));
}

function testsOf({ line, value, lineOf }: ImportRow, say: Say): ImportRow[] {
  const given = mappingOf(value);
  if (!isConfig(given)) return [{ line, value: isCsvRow(given) ? fromCsv(given) : given }];
  if (given.scenarios !== undefined) say('`scenarios` has no Turnlight equivalent.');
  if (typeof given.tests === 'string') {
    say(`The tests are in ${given.tests}: import that file as well.`);
  }
  const tests = listIn(given, 'tests') ?? [];
  return tests.flatMap((test, index) => {
    if (isMapping(test)) return [{ line: lineOf?.(['tests', index]) ?? line, value: test }];
    say(`The tests in ${JSON.stringify(test)} are not read: import that file as well.`);
    return [];
  });
}

/** `{question: …, __expected: "contains: 42"}` */
function fromCsv(row: Mapping): Mapping {
  const entries = Object.entries(row);
  const assert = entries.flatMap(([key, value]) => {
    if (!/^__expected\d*$/.test(key) || typeof value !== 'string' || value === '') return [];
    const [, type = 'equals', text] = /^([a-z-]+):\s*([\s\S]*)$/.exec(value) ?? [];
    return [{ type, value: text ?? value }];
  });
  return {
    description: row.__description,
    vars: Object.fromEntries(entries.filter(([key]) => !key.startsWith('__'))),
    assert,
  };
}

/** @param vars default variables */
function caseFor(
  { line, value }: ImportRow,
  prompt: Prompt | undefined,
  vars: Mapping,
  ledger: Ledger,
): DraftCase | undefined {
  const test = mappingOf(value);
  const title = textIn(test, 'description');
  const say = (message: string) =>
    ledger.lost(line, title === undefined ? message : `"${title}": ${message}`);
  const options = mappingOf(test.options);
  reportUnknownKeys(test, TEST_KEYS, ledger.lostAt(line));
  reportUnknownKeys(options, OPTION_KEYS, ledger.lostAt(line));
  if (typeof test.vars === 'string') {
    say(`The \`vars\` in ${JSON.stringify(test.vars)} are not read.`);
  }
  const { _conversation: said, ...own } = { ...vars, ...mappingOf(test.vars) };
  const transcript = Array.isArray(said) ? said.map(mappingOf).flatMap(exchangeOf) : undefined;
  if (transcript && Object.keys(own).length > 0) {
    say('`vars` next to `_conversation` has no Turnlight equivalent.');
  }
  for (const [key, value] of Object.entries(own)) {
    if (!stringOf(value).startsWith('file://')) continue;
    say(`\`${key}\` is in ${value}, which is not read. Write its value into \`context\`.`);
  }
  const turns = transcript || !prompt ? undefined : prompt.turns;
  if (!transcript && !turns) {
    ledger.broken(line, `${title ?? 'A test'} has neither a prompt nor a \`_conversation\`.`);
    return undefined;
  }
  return {
    line,
    name: title,
    keys: {
      description: title,
      judge: modelIn(options.provider),
      ...(!transcript && valuesIn(own, options.disableVarExpansion === true)),
      transcript,
      turns,
      threshold: test.threshold,
    },
    assert: promptfooAssertions(test.assert, transcript !== undefined, say),
    suggestions: [],
  };
}

/** The values to run a test with: promptfoo runs a test once for each value in a list. */
function valuesIn(vars: Mapping, whole: boolean) {
  const entries = Object.entries(vars);
  const isSeveral = ([, value]: [string, unknown]) =>
    !whole && Array.isArray(value) && value.length > 0;
  const of = (list: typeof entries) => (list.length > 0 ? Object.fromEntries(list) : undefined);
  return {
    context: of(entries.filter((entry) => !isSeveral(entry))),
    matrix: of(entries.filter(isSeveral)),
  };
}

function exchangeOf({ input, output }: Mapping): Mapping[] {
  return [
    ...(input === undefined ? [] : [{ user: wordsOf(input) }]),
    ...(output === undefined ? [] : [{ assistant: wordsOf(output) }]),
  ];
}

function wordsOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The first provider with a known model; if there are several, each is a variant. Reports the other providers. */
function targetIn(config: Mapping, system: string | undefined, say: Say) {
  const given = config.providers ?? config.targets;
  const list = Array.isArray(given) ? given : given === undefined ? [] : [given];
  const leaveOut = (provider: unknown, why: string) => {
    const name = typeof provider === 'string' ? provider : textIn(mappingOf(provider), 'id');
    say(`The provider ${JSON.stringify(name ?? 'without an id')} was left out: ${why}.`);
  };
  const models: (readonly [name: string, model: string | Mapping])[] = [];
  for (const provider of list) {
    const model = modelIn(provider);
    if (model === undefined) leaveOut(provider, 'its model is unknown');
    else if (models.length === LIMITS.targetVariants) leaveOut(provider, 'there are too many');
    else {
      const settings = mappingOf(mappingOf(provider).config);
      for (const key of Object.keys(settings).filter((one) => !CONFIG_KEYS.has(one))) {
        say(`\`${key}\` of the provider "${model}" has no Turnlight equivalent.`);
      }
      models.push([model.slice(model.indexOf(':') + 1), configured(model, settings)]);
    }
  }
  const [first, ...others] = models;
  if (!first) {
    const { head, comment } = placeholderTarget('agent', system);
    return { head, comments: [comment] };
  }
  const head = { target: chatTarget(system, first[1]) };
  return {
    head: { ...head, ...(others.length > 0 && { variants: variantsOf(models) }) },
    comments: [],
  };
}

function variantsOf(models: readonly (readonly [name: string, model: unknown])[]): Mapping {
  const variants = new Map<string, unknown>();
  for (const [written, model] of models) {
    const name = written.replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9._-]+/g, '-').replace(/^-+/, '');
    const short = name.slice(0, LIMITS.variantName - 3) || 'model';
    const free = firstFree(
      (number) => (number === 1 ? short : `${short}-${number}`),
      (one) => variants.has(one),
    );
    variants.set(free, { model });
  }
  return Object.fromEntries(variants);
}

function configured(model: string, settings: Mapping): string | Mapping {
  const set = [...CONFIG_KEYS].flatMap(([theirs, ours]) =>
    settings[theirs] === undefined ? [] : [[ours, settings[theirs]]],
  );
  const [, provider, name] = /^([^:]+):(.*)$/.exec(model) ?? [];
  return set.length > 0 ? { provider, model: name, ...Object.fromEntries(set) } : model;
}

/** `openai:chat:gpt-4o` and `{id: openai:gpt-4o}` as `openai:gpt-4o`. */
function modelIn(provider: unknown): string | undefined {
  const id = typeof provider === 'string' ? provider : textIn(mappingOf(provider), 'id');
  const short = id?.replace(/^(openai|ollama):(chat|completion|responses):/, '$1:');
  return short !== undefined && 'spec' in parseModelSpec(short, '/') ? short : undefined;
}

interface Prompt {
  readonly system?: string;
  readonly turns: readonly string[];
}

/** The prompts in a configuration. Prompts in files aren't read, but reported. */
function promptsIn(given: unknown, say: Say): Prompt[] {
  const list = Array.isArray(given) ? given : given === undefined ? [] : [given];
  return list.flatMap((one) => {
    const text = isMapping(one) ? (one.raw ?? one.id) : one;
    if (typeof text !== 'string') return [];
    if (/^(file:\/\/|exec:)|^\S+\.(txt|md|json|ya?ml|[cm]?[jt]s|py|j2|csv)$/.test(text.trim())) {
      say(
        `The prompt in ${JSON.stringify(text)} is not read: copy its text into the configuration.`,
      );
      return [];
    }
    return [promptOf(text)];
  });
}

/** A prompt's text, or its messages as JSON. */
function promptOf(text: string): Prompt {
  const messages = parseJsonText(text.trim());
  if (!Array.isArray(messages)) return { turns: [text.trim()] };
  const said = messages.map(mappingOf);
  const of = (role: string) =>
    said.filter((one) => one.role === role).map(({ content }) => stringOf(content));
  const system = of('system').join('\n\n');
  return { turns: of('user'), ...(system !== '' && { system }) };
}

/** promptfoo's default for `similar`. */
const EMBEDDING = 'openai:text-embedding-3-large';
const SIMILAR_THRESHOLD = 0.75;

/** @param isRecorded whether the conversation is recorded; if so, promptfoo checks its last reply */
export function promptfooAssertions(given: unknown, isRecorded: boolean, say: Say): unknown[] {
  return mapAssertions(given, ({ type: written, value, config, metric, provider, ...rest }) => {
    const type = stringOf(written);
    if (provider !== undefined)
      say(`\`provider\` of "${type}" was left out: set the check's \`judge\`.`);
    const kind = type.replace(/^not-/, '');
    if (CODE.includes(kind)) {
      say(`"${type}" is code, which isn't imported: write a \`script\` instead.`);
      return [];
    }
    const plain = { ...rest, name: typeof metric === 'string' ? metric : undefined };
    const map = KINDS.get(kind) ?? ((parts) => ({ type, value, ...parts.plain }));
    const mapped = map({
      type,
      value,
      config: mappingOf(config),
      plain,
      last: isRecorded ? { at: 'last' } : {},
      nested: (list) => promptfooAssertions(list, isRecorded, say),
    });
    return mapAssertion(mapped, say);
  });
}

const CODE = ['javascript', 'python', 'ruby', 'webhook'];

/** The parts of an assertion that mappers of all kinds use. */
interface AssertionParts {
  readonly type: string;
  readonly value: unknown;
  readonly config: Mapping;
  /** The assertion's other keys, with our names. */
  readonly plain: Mapping;
  /** Keys that specify where to look for text. */
  readonly last: Mapping;
  readonly nested: (list: unknown) => unknown[];
}

type Mapper = (given: AssertionParts) => Mapping;

const byText: Mapper = ({ type, value, plain, last }) => ({
  type,
  value: text(value),
  ...plain,
  ...last,
});

const byTexts: Mapper = ({ type, value, plain, last }) => ({
  type,
  values: textsOf(value),
  ...plain,
  ...last,
});

const json: Mapper = ({ type, value, plain, last }) => ({
  ...(value === undefined ? { type } : { type: 'json-schema', schema: value }),
  ...plain,
  ...last,
});

const atMost =
  (type: string): Mapper =>
  ({ plain: { threshold: max, ...others } }) => ({ type, max, ...others });

/** Mappers by promptfoo's name, for assertions whose keys differ from ours. */
const KINDS: ReadonlyMap<string, Mapper> = new Map<string, Mapper>([
  ...['contains', 'icontains', 'equals', 'regex', 'starts-with'].map(
    (one) => [one, byText] as const,
  ),
  ...['contains-any', 'contains-all', 'icontains-any', 'icontains-all'].map(
    (one) => [one, byTexts] as const,
  ),
  ...['is-json', 'contains-json'].map((one) => [one, json] as const),
  ['latency', atMost('max-latency')],
  ['cost', atMost('max-cost')],
  [
    'factuality',
    ({ value, plain }) => {
      const criterion = `The reply agrees with this: ${text(value)}`;
      return { type: 'criterion', criterion, ...plain };
    },
  ],
  [
    'conversation-relevance',
    ({ type, config, plain }) => ({ type, window_size: config.windowSize, ...plain }),
  ],
  [
    'similar',
    ({ type, value, plain, last }) => {
      const defaults = { model: EMBEDDING, threshold: SIMILAR_THRESHOLD };
      return { type, value, ...defaults, ...plain, ...last };
    },
  ],
  [
    'assert-set',
    ({ type, plain: { assert, ...group }, nested }) => ({ type, assert: nested(assert), ...group }),
  ],
]);

function text(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? stringOf(value) : value;
}

/** The texts in a list, or in a comma-separated string. */
function textsOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(text);
  return typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value;
}
