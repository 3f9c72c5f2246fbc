import { isMapping, type Path, valueAt } from '../core/data/data.ts';
import { NO_USAGE, type Usage } from '../core/verdict.ts';

/** Where a model's provider, a framework or a program of the user's writes each count; the first that is there. */
const COUNTS = {
  input_tokens: [
    ['input_tokens'],
    ['prompt_tokens'],
    ['inputTokens'],
    ['promptTokens'],
    ['promptTokenCount'],
    ['prompt_token_count'],
  ],
  output_tokens: [
    ['output_tokens'],
    ['completion_tokens'],
    ['outputTokens'],
    ['completionTokens'],
    ['candidatesTokenCount'],
    ['candidates_token_count'],
  ],
  cached_tokens: [
    ['cached_tokens'],
    ['prompt_tokens_details', 'cached_tokens'],
    ['input_tokens_details', 'cached_tokens'],
    ['input_token_details', 'cache_read'],
    ['cachedInputTokens'],
    ['cachedContentTokenCount'],
    ['cached_content_token_count'],
  ],
  cost: [['cost'], ['total_cost']],
} as const satisfies Readonly<Record<string, readonly Path[]>>;

/** What Anthropic counts apart from `input_tokens`. */
const APART = ['cache_read_input_tokens', 'cache_creation_input_tokens'];

/** What a reply used; undefined if there is neither a cost nor a number of tokens for both sides. */
export function readUsage(value: unknown): Usage | undefined {
  if (!isMapping(value)) return undefined;
  const [input, output, cached, cost] = [
    countIn(value, COUNTS.input_tokens),
    countIn(value, COUNTS.output_tokens),
    countIn(value, COUNTS.cached_tokens) ?? countIn(value, [['cache_read_input_tokens']]),
    COUNTS.cost.map(([key]) => value[key]).find(isCost),
  ];
  const isCounted = input !== undefined && output !== undefined;
  if (!isCounted && cost === undefined) return undefined;
  const apart = APART.reduce((sum, key) => sum + (countIn(value, [[key]]) ?? 0), 0);
  return {
    ...NO_USAGE,
    ...(isCounted && { input_tokens: input + apart, output_tokens: output }),
    ...(cached !== undefined && { cached_tokens: cached }),
    ...(cost !== undefined && { cost }),
  };
}

function countIn(value: unknown, paths: readonly Path[]): number | undefined {
  const counts = paths.map((path) => valueAt(value, path));
  return counts.find((count) => Number.isSafeInteger(count) && Number(count) >= 0) as
    | number
    | undefined;
}

function isCost(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
