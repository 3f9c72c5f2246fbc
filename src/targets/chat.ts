import { resolve } from 'node:path';
import * as z from 'zod';
import { toolsSchema } from '../core/message.ts';
import { Approvals, approveKey } from './chat/approvals.ts';
import { ChatSession } from './chat/chatSession.ts';
import { mcpDestinations, mcpFiles, mcpServersKey, mcpServersOf } from './chat/mcpServers.ts';
import { samplingKeys, samplingOf } from './chat/sampling.ts';
import { ToolAnswers, toolAnswerKeys, unansweredTools } from './chat/toolAnswers.ts';
import { commonKeys } from './keys.ts';
import { TargetError, type TargetType } from './target.ts';

const DEFAULT_ROUNDS = 10;

const schema = z.strictObject({
  type: z.literal('chat').describe('A model plays the assistant.'),
  model: z.unknown().meta({
    description: 'The model: a name in `models`, `provider:model`, or a mapping.',
    refersTo: 'model',
  }),
  tools: toolsSchema.optional().describe("Tools the model may call. Default: the case's tools."),
  ...toolAnswerKeys,
  mcp_servers: mcpServersKey,
  approve: approveKey,
  max_tool_rounds: z.int().min(1).optional().meta({
    description: 'Maximum number of rounds of tool calls per reply.',
    default: DEFAULT_ROUNDS,
  }),
  ...samplingKeys,
  ...commonKeys,
});

export const chatTarget: TargetType = {
  type: 'chat',
  summary:
    'A model with a system prompt and tools, answered by scripted results, your functions, or MCP servers',
  schema,
  repliesWithSystemTexts: false,
  keysDecide: true,
  reportsAll: true,
  files(spec) {
    const { tool_module: module } = spec.params;
    const functions = typeof module === 'string' ? [resolve(spec.folder, module)] : [];
    return [...functions, ...mcpFiles(spec)];
  },
  offersTools: (params) => mcpServersOf({ params }).length > 0,
  destinations: mcpDestinations,
  unansweredTools,
  async open(spec, host) {
    const { model, repetition } = host;
    if (!model) throw new TargetError('target-error', `The target "${spec.name}" has no model.`);
    const params = schema.parse(spec.params);
    const { timeout = host.timeout, max_tool_rounds: rounds = DEFAULT_ROUNDS } = params;
    return new ChatSession({
      model,
      answers: new ToolAnswers(spec, spec.tools ?? host.tools, timeout, host),
      approvals: new Approvals(params.approve),
      sampling: samplingOf(params, repetition),
      rounds,
      timeout,
    });
  },
};
