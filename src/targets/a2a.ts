import * as z from 'zod';
import { addressSchema } from '../models/destination.ts';
import { destinationOf, headersKey } from './http.ts';
import { commonKeys, traceKeys } from './keys.ts';
import type { TargetType } from './target.ts';

const schema = z.strictObject({
  type: z.literal('a2a').describe('An agent that speaks Agent2Agent.'),
  url: addressSchema.describe(
    'Address of the agent, with its card at `/.well-known/agent-card.json` below it, or of the card itself (`….json`).',
  ),
  headers: headersKey,
  ...traceKeys,
  ...commonKeys,
});

export const a2aTarget: TargetType = {
  type: 'a2a',
  summary: 'An Agent2Agent agent, found by its card',
  schema,
  repliesWithSystemTexts: false,
  keysDecide: false,
  keepsSession: () => true,
  destinations: (spec) => [destinationOf(spec)],
  async open({ params: given }, host) {
    const { url, headers = {}, timeout = host.timeout } = schema.parse(given);
    host.scrubber.addSecretsOf(headers);
    // The client is bundled in its own chunk.
    const { A2aSession } = await import('./a2a/a2aSession.ts');
    return new A2aSession({ url, headers, timeout }, host);
  },
};
