import { remembered } from '../../core/data/data.ts';
import type { AnswerFormat, ModelRequest } from '../model.ts';
import type { EndpointParams } from './params.ts';

interface Asked {
  readonly baseUrl: string;
  readonly params: EndpointParams;
  /** Whether OpenAI's own models are served there. */
  readonly isOpenAi: boolean;
}

/**
 * How an answer is asked for. An endpoint that reads the schema before the messages caches no
 * conversation for requests with different schemas, so there the schema goes last where they share one.
 */
export function formatFor(request: ModelRequest, asked: Asked): AnswerFormat {
  const { answer_format = 'auto' } = asked.params;
  if (answer_format !== 'auto') return answer_format;
  return request.shared && readsSchemaFirst(asked) ? 'json_object' : 'json_schema';
}

/** Whether `auto` can come to something else than usual. */
export function hasChoice({ answer }: ModelRequest, asked: Asked): boolean {
  const { answer_format = 'auto' } = asked.params;
  return answer !== undefined && answer_format === 'auto' && readsSchemaFirst(asked);
}

/** Azure's deployments are also reached by the provider `openai`. */
const readsSchemaFirst = remembered(({ isOpenAi, baseUrl }: Asked): boolean => {
  if (isOpenAi || !URL.canParse(baseUrl)) return isOpenAi;
  return new URL(baseUrl).hostname.endsWith('.openai.azure.com');
});
