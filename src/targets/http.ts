import * as z from 'zod';
import { isJsonPointer } from '../core/data/data.ts';
import { environmentNames, isUserReference } from '../core/environment.ts';
import type { TargetSpec } from '../core/suite.ts';
import { addressSchema } from '../models/destination.ts';
import type { Destination } from '../models/model.ts';
import { bodyProblems, bodyVariables, contextKeysOf } from './http/bodyTemplate.ts';
import { commonKeys, traceKeys } from './keys.ts';
import type { TargetType } from './target.ts';

const METHODS = ['POST', 'PUT', 'PATCH'] as const;
const HEADER = /^[\w!#$%&'*+.^`|~-]+$/;
const BODY = { messages: '{{messages}}' };

const pointer = z
  .string()
  .refine(isJsonPointer, 'Expected a JSON pointer, such as /choices/0/message/content.')
  .optional();

/** Headers for all HTTP targets. */
export const headersKey = z
  .record(z.string(), z.string())
  .superRefine((headers, { addIssue }) => {
    for (const [name, value] of Object.entries(headers)) {
      const report = (message: string) => addIssue({ code: 'custom', message, path: [name] });
      if (!HEADER.test(name)) report(`"${name}" is not a valid header name.`);
      else if (/[\r\n]/.test(value)) report('Expected a header value on one line.');
    }
  })
  .optional()
  .describe(
    'Extra HTTP headers. A value may refer to an environment variable, which keeps secrets out of the file.',
  );

const schema = z.strictObject({
  type: z.literal('http').describe('A service that gets one JSON request per reply.'),
  url: addressSchema.describe('Address of the requests.'),
  method: z
    .enum(METHODS)
    .optional()
    .meta({ description: 'HTTP method of the requests.', default: METHODS[0] }),
  headers: headersKey,
  body: z
    .unknown()
    .superRefine((body, { addIssue }) => {
      for (const { message, path } of bodyProblems(body)) {
        addIssue({ code: 'custom', message, path: [...path] });
      }
    })
    .optional()
    .meta({
      description:
        'Body of the requests: a mapping, a list, or JSON as text. `{{message}}` is the last user message, `{{messages}}` the conversation in OpenAI\'s chat format, `{{session}}` the session, `{{conversation}}` an id of the conversation, and `{{context.NAME}}` a key of the case\'s context. A string that consists of a single variable becomes its value, even a list or a mapping. Default: `{messages: "{{messages}}"}`.',
      template: 'request',
    }),
  reply: pointer.describe(
    "JSON pointer to the reply in the answer, such as `/choices/0/message/content`: text, a message, or messages. For server-sent events, the text of all events is concatenated. Default: the whole answer, as text or as a program's reply.",
  ),
  session: pointer.describe(
    "JSON pointer to the service's session id in the answer. Later requests contain it as `{{session}}`, which is null in the first request. Default: `{{session}}` is `{{conversation}}`.",
  ),
  retrieval_context: pointer.meta({
    description: 'JSON pointer to a list of the texts that were retrieved for the reply.',
  }),
  tool_calls: pointer.describe(
    "JSON pointer to the tool calls of the reply, such as `/choices/0/message/tool_calls`: a list of OpenAI's calls, of `{name, arguments, result}`, or of messages. In server-sent events, the calls of all events are combined. An answer without calls may omit it. Default: Turnlight sees only the calls in `reply`.",
  ),
  usage: pointer.describe(
    "JSON pointer to the usage of the reply, such as `/usage`: `{input_tokens, output_tokens, cost?}`, or in a model provider's format. In server-sent events, the last usage is used.",
  ),
  ...traceKeys,
  ...commonKeys,
});

export const httpTarget: TargetType = {
  type: 'http',
  summary: 'A service that answers requests, in one piece or in server-sent events',
  schema,
  repliesWithSystemTexts: true,
  keysDecide: false,
  reportKeys: { tool_calls: 'tool_calls', context: 'retrieval_context', usage: 'usage' },
  keepsSession({ session, body = BODY }) {
    const sendsAll = bodyVariables(body).some(({ name }) => name === 'messages');
    return session !== undefined || !sendsAll;
  },
  contextKeys: ({ body }) => contextKeysOf(body),
  destinations: (spec) => [destinationOf(spec)],
  async open({ params: given }, host) {
    const { url, method = METHODS[0], headers = {}, body = BODY, ...params } = schema.parse(given);
    host.scrubber.addSecretsOf(headers);
    const { HttpSession } = await import('./http/httpSession.ts');
    const { timeout = host.timeout } = params;
    const setup = { ...params, url, method, headers, body, timeout };
    return new HttpSession(setup, host, new URL(url).pathname);
  },
};

/** Where requests to a target or MCP server with a `url` go. */
export function destinationOf({
  params,
  written = {},
}: Pick<TargetSpec, 'params' | 'written'>): Destination {
  const variables = environmentNames(written);
  const needConsent = isUserReference(written.url) ? [] : variables;
  return { url: String(params.url), variables, needConsent };
}
