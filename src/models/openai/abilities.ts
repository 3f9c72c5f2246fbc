import { memoize } from '../../core/data/data.ts';
import type { AnswerFormat, ModelRequest } from '../model.ts';
import type { EndpointParams } from './params.ts';

/** The features that an endpoint supports for a model, as learned from its answers. */
export interface Abilities {
  readonly format: AnswerFormat;
  readonly temperature: boolean;
  readonly limit: 'max_tokens' | 'max_completion_tokens';
  readonly logprobs: boolean;
  /** Whether the endpoint returns several answers per request (`n`). */
  readonly several: boolean;
  /** Whether reasoning can be sent back between rounds of tool calls. */
  readonly thoughts: boolean;
  readonly seed: boolean;
  readonly stream: boolean;
}

interface ModelEndpoint {
  readonly baseUrl: string;
  readonly model: string;
  readonly isOpenAi: boolean;
  /** The answer format to use until the endpoint refuses it. */
  readonly format: AnswerFormat;
}

const knownAbilities = new Map<string, Abilities>();

/**
 * OpenAI's own models need `max_completion_tokens` (newer models refuse the old name); other endpoints usually support
 * only `max_tokens`.
 */
export function abilitiesOf(endpoint: ModelEndpoint): Abilities {
  return (
    knownAbilities.get(keyOf(endpoint)) ?? {
      format: endpoint.format,
      temperature: true,
      limit: endpoint.isOpenAi ? 'max_completion_tokens' : 'max_tokens',
      logprobs: true,
      several: true,
      thoughts: true,
      stream: true,
      seed: true,
    }
  );
}

export function saveAbilities(endpoint: ModelEndpoint, abilities: Abilities): void {
  knownAbilities.set(keyOf(endpoint), abilities);
}

/** Resets the learned abilities, for tests. */
export function resetAbilities(): void {
  knownAbilities.clear();
}

function keyOf({ baseUrl, model, format }: ModelEndpoint): string {
  return `${baseUrl} ${model} ${format}`;
}

const FORMAT_COMPLAINT =
  /response[_ ]format|text\.format|json[_ ]schema|json[_ ]object|structured output/i;
const UNSUPPORTED =
  /unsupported|not support|unrecognized|unknown|not permitted|extra|only|must be 1/i;

export type UsedParameters = Readonly<Partial<Record<keyof Abilities, boolean>>>;

/**
 * The abilities without the parameter that the endpoint complains about; undefined if the complaint is about something
 * else, or about a parameter that wasn't sent.
 *
 *     sent {format: 'json_schema', …}, "response_format of type 'json_schema' is not supported"
 *     → {format: 'json_object', …}
 */
export function learn(
  complaint: string,
  sent: Abilities,
  used: UsedParameters,
  isOpenAi: boolean,
): Abilities | undefined {
  const refused = (ability: keyof Abilities, words: RegExp) =>
    used[ability] && sent[ability] && words.test(complaint);
  if (refused('logprobs', /logprobs/i)) return { ...sent, logprobs: false };
  if (refused('stream', /stream/i)) return { ...sent, stream: false };
  if (refused('thoughts', /encrypted|reasoning/i)) return { ...sent, thoughts: false };
  if (sent.format !== 'text' && refused('format', FORMAT_COMPLAINT)) {
    return { ...sent, format: sent.format === 'json_schema' ? 'json_object' : 'text' };
  }
  if (!UNSUPPORTED.test(complaint)) return undefined;
  if (refused('temperature', /temperature/i)) return { ...sent, temperature: false };
  if (refused('several', /(^|[^a-z])n([^a-z]|$)|choices/i)) return { ...sent, several: false };
  if (refused('seed', /seed/i)) return { ...sent, seed: false };
  const first = isOpenAi ? 'max_completion_tokens' : 'max_tokens';
  if (used.limit && sent.limit === first && complaint.includes(first)) {
    return { ...sent, limit: isOpenAi ? 'max_tokens' : 'max_completion_tokens' };
  }
  return undefined;
}

interface AskedEndpoint {
  readonly baseUrl: string;
  readonly params: EndpointParams;
  /** Whether the endpoint serves OpenAI's own models. */
  readonly isOpenAi: boolean;
}

/**
 * How to request an answer. If an endpoint reads the schema before the messages, requests with different schemas can't
 * share a cached conversation, so the schema goes last.
 */
export function answerFormatFor(request: ModelRequest, endpoint: AskedEndpoint): AnswerFormat {
  const { answer_format = 'auto' } = endpoint.params;
  if (answer_format !== 'auto') return answer_format;
  return request.shared && readsSchemaFirst(endpoint) ? 'json_object' : 'json_schema';
}

/** Whether `auto` may choose a different format than usual. */
export function hasFormatChoice({ answer }: ModelRequest, endpoint: AskedEndpoint): boolean {
  const { answer_format = 'auto' } = endpoint.params;
  return answer !== undefined && answer_format === 'auto' && readsSchemaFirst(endpoint);
}

/**
 * Whether the endpoint reads the schema before the messages. Azure deployments can also be used through the `openai`
 * provider.
 */
const readsSchemaFirst = memoize(({ isOpenAi, baseUrl }: AskedEndpoint): boolean => {
  if (isOpenAi || !URL.canParse(baseUrl)) return isOpenAi;
  return new URL(baseUrl).hostname.endsWith('.openai.azure.com');
});
