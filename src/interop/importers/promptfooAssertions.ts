import { type Mapping, mappingOf } from '../../core/data/data.ts';
import { type Mapped, ourAssertion, ourAssertions } from '../assertions.ts';

type Say = (message: string) => void;

/** Models that promptfoo compares texts by. */
const EMBEDDING = 'openai:text-embedding-3-large';
const SIMILAR_ENOUGH = 0.75;

interface Around {
  /** Whether the conversation is recorded: its last reply is what promptfoo checks. */
  readonly recorded?: boolean;
}

/** promptfoo's assertions as ours. */
export function promptfooAssertions(given: unknown, around: Around, say: Say): unknown[] {
  const list = Array.isArray(given) ? given : [];
  return ourAssertions(list, (written) => mapped(written, around, say), say);
}

/** What of an assertion all kinds read alike. */
interface Given {
  readonly type: unknown;
  readonly value: unknown;
  readonly config: Mapping;
  /** Its other keys, with ours for those that are called otherwise. */
  readonly plain: Mapping;
  /** Where a text is looked for. */
  readonly last: Mapping;
  readonly nested: (list: unknown) => unknown[];
}

function mapped(written: Mapping, around: Around, say: Say): Mapped {
  const { type, value, config, metric, provider, ...rest } = written;
  if (provider !== undefined)
    say(`\`provider\` of "${String(type)}" is left out: set its \`judge\`.`);
  const map = KINDS.get(String(type).replace(/^not-/, '')) ?? plainly;
  return map({
    type,
    value,
    config: mappingOf(config),
    plain: { ...rest, name: typeof metric === 'string' ? metric : undefined },
    last: around.recorded ? { at: 'last' } : {},
    nested: (list) => promptfooAssertions(list, around, say),
  });
}

type Mapper = (given: Given) => Mapped;

const plainly: Mapper = ({ type, value, plain }) => ourAssertion({ type, value, ...plain });

const byText: Mapper = ({ type, value, plain, last }) =>
  ourAssertion({ type, value: text(value), ...plain, ...last });

const byTexts: Mapper = ({ type, value, plain, last }) =>
  ourAssertion({ type, values: textsOf(value), ...plain, ...last });

const json: Mapper = ({ type, value, plain, last }) => {
  const check = value === undefined ? { type } : { type: 'json-schema', schema: value };
  return ourAssertion({ ...check, ...plain, ...last });
};

const code: Mapper = ({ type }) => ({
  lost: [`"${String(type)}" is code that is not carried over: write a \`script\` instead.`],
});

const atMost =
  (type: string): Mapper =>
  ({ plain: { threshold: max, ...others } }) =>
    ourAssertion({ type, max, ...others });

/** By promptfoo's name, those whose keys are not ours. */
const KINDS: ReadonlyMap<string, Mapper> = new Map([
  ...['contains', 'icontains', 'equals', 'regex', 'starts-with'].map(
    (one) => [one, byText] as const,
  ),
  ...['contains-any', 'contains-all', 'icontains-any', 'icontains-all'].map(
    (one) => [one, byTexts] as const,
  ),
  ...['is-json', 'contains-json'].map((one) => [one, json] as const),
  ...['javascript', 'python', 'ruby', 'webhook'].map((one) => [one, code] as const),
  ['latency', atMost('max-latency')],
  ['cost', atMost('max-cost')],
  [
    'factuality',
    ({ value, plain }: Given) => {
      const criterion = `The reply agrees with this: ${text(value)}`;
      return ourAssertion({ type: 'criterion', criterion, ...plain });
    },
  ],
  [
    'conversation-relevance',
    ({ type, config, plain }: Given) =>
      ourAssertion({ type, window_size: config.windowSize, ...plain }),
  ],
  [
    'similar',
    ({ type, value, plain, last }: Given) =>
      ourAssertion({
        type,
        value,
        model: EMBEDDING,
        threshold: SIMILAR_ENOUGH,
        ...plain,
        ...last,
      }),
  ],
  [
    'assert-set',
    ({ type, plain: { assert, ...group }, nested }: Given) =>
      ourAssertion({ type, assert: nested(assert), ...group }),
  ],
]);

function text(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}

/** A list, or texts that commas separate. */
function textsOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(text);
  return typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value;
}
