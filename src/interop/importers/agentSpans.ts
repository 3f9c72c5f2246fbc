import { type Mapping, mappingOf, remembered } from '../../core/data/data.ts';
import type { Message } from '../../core/message.ts';
import { callsIn } from '../exchanges.ts';
import { parsed, textIn } from '../fields.ts';
import type { Span } from './spanAttributes.ts';

/** What conventions call the span of a tool, by attribute. */
const TOOL_SPANS: readonly (readonly [string, string])[] = [
  ['gen_ai.operation.name', 'execute_tool'],
  ['openinference.span.kind', 'TOOL'],
  ['traceloop.span.kind', 'tool'],
  ['ai.operationId', 'ai.toolCall'],
];

export function isTool({ attributes }: Span): boolean {
  return TOOL_SPANS.some(([key, value]) => attributes[key] === value);
}

/** Whether a tool asked: what an agent that a tool asks says and hears, the user does not. */
export function isInTool(span: Span, spans: readonly Span[]): boolean {
  return around(span, spans).some(isTool);
}

/** Whether a span around it is lost, so that nobody knows who asked. */
export function isOrphan(span: Span, spans: readonly Span[]): boolean {
  const outermost = around(span, spans).at(-1) ?? span;
  return outermost.parent !== '' && !spansById(spans).has(outermost.parent);
}

const spansById = remembered(
  (spans: readonly Span[]): ReadonlyMap<string, Span> => new Map(spans.map((one) => [one.id, one])),
);

/** Spans around a span, the innermost first. */
function around(span: Span, spans: readonly Span[]): Span[] {
  const byId = spansById(spans);
  const found = new Set<Span>();
  for (let at = byId.get(span.parent); at && !found.has(at); at = byId.get(at.parent))
    found.add(at);
  return [...found];
}

/** Attributes of a span that name the agent it is of. */
const AGENT_NAMES = ['gen_ai.agent.name', 'agent.name', 'ai.telemetry.functionId'];

/** The agent that a span is of, as the innermost span around it that names one says. */
export function agentOf(span: Span, spans: readonly Span[]): string | undefined {
  return [span, ...around(span, spans)].map(agentNamedBy).find((name) => name !== undefined);
}

function agentNamedBy({ attributes }: Span): string | undefined {
  const isAgent = attributes['traceloop.span.kind'] === 'agent';
  return (
    textIn(attributes, ...AGENT_NAMES, ...(isAgent ? ['traceloop.entity.name'] : [])) ??
    graphAgentIn(attributes)
  );
}

/** LangGraph's path of graphs and the node that asks: `triage:f2358d51|model:ac7b` is of `triage`. */
function graphAgentIn(attributes: Mapping): string | undefined {
  const path =
    textIn(mappingOf(parsed(attributes.metadata)), GRAPH_PATH) ??
    textIn(attributes, `traceloop.association.properties.${GRAPH_PATH}`);
  return path?.split('|').at(-2)?.split(':')[0];
}

const GRAPH_PATH = 'langgraph_checkpoint_ns';

/** ADK tells an agent what the others did in messages of the user's. */
const RETOLD =
  /^For context:[\s\S]*\[[^\]\n]{1,200}\] (?:said:|called tool `|`[^`]+` tool returned)/;

export function retoldIn({ attributes }: Span, input: readonly Message[]): Set<Message> {
  const isAdk = Object.keys(attributes).some((key) => key.startsWith('gcp.vertex.agent.'));
  const retold = input.filter(({ role, content }) => role === 'user' && RETOLD.test(content));
  return new Set(isAdk ? retold : []);
}

/** What spans of tools returned to calls whose results no request repeats. */
export function resultsIn(messages: readonly Message[], spans: readonly Span[]) {
  const answered = new Set(messages.flatMap((one) => (one.role === 'tool' ? [one.callId] : [])));
  const byCall = new Map(spans.map((one) => [one.attributes['gen_ai.tool.call.id'], one]));
  return callsIn(messages).flatMap(({ id }) => {
    const { attributes = {} } = byCall.get(id) ?? {};
    const content = textIn(attributes, 'gen_ai.tool.call.result', 'gcp.vertex.agent.tool_response');
    return answered.has(id) || content === undefined ? [] : [{ callId: id, content }];
  });
}
