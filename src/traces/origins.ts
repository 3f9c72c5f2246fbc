import {
  isMapping,
  type Mapping,
  mappingOf,
  memoize,
  parseJsonText,
  textIn,
} from '../core/data/data.ts';
import { innermost, messagesOfSpan, nestedUnder, type Span } from './spans.ts';

/** Attributes of tool spans, in each convention. */
const TOOL_SPANS: readonly (readonly [string, string])[] = [
  ['gen_ai.operation.name', 'execute_tool'],
  ['openinference.span.kind', 'TOOL'],
  ['traceloop.span.kind', 'tool'],
  ['ai.operationId', 'ai.toolCall'],
];

export function isTool({ attributes }: Span): boolean {
  return TOOL_SPANS.some(([key, value]) => attributes[key] === value);
}

/** Facts about a span, taken from the span itself and its enclosing spans. */
interface Origin {
  /** The id of the innermost tool span. */
  readonly tool: string | undefined;
  readonly isOrphan: boolean;
  /** The name of the innermost agent. */
  readonly agent: string | undefined;
}

/** Origins by span id. Visits each span only once, no matter how deeply spans are nested. */
export const originsOf = memoize((spans: readonly Span[]): ReadonlyMap<string, Origin> => {
  const byId = new Map(spans.map((one) => [one.id, one]));
  const origins = new Map<string, Origin>();
  for (const span of byId.values()) {
    const chain = new Set<Span>();
    let at: Span | undefined = span;
    for (; at && !origins.has(at.id) && !chain.has(at); at = byId.get(at.parent)) chain.add(at);
    for (const one of [...chain].reverse()) {
      const around = origins.get(one.parent);
      origins.set(one.id, {
        tool: isTool(one) ? one.id : around?.tool,
        isOrphan: around?.isOrphan ?? (one.parent !== '' && !byId.has(one.parent)),
        agent: agentNamedBy(one) ?? around?.agent,
      });
    }
  }
  return origins;
});

/** Attributes that contain the name of a span's agent. */
const AGENT_NAMES = ['gen_ai.agent.name', 'agent.name', 'ai.telemetry.functionId'];

export function agentNamedBy({ attributes }: Span): string | undefined {
  const isAgent = attributes['traceloop.span.kind'] === 'agent';
  return (
    textIn(attributes, ...AGENT_NAMES, ...(isAgent ? ['traceloop.entity.name'] : [])) ??
    graphAgentIn(attributes) ??
    workflowAgentIn(attributes)
  );
}

/** The agent at the end of LlamaIndex's `{"ev": "AgentSetup(input=[…], current_agent_name='triage')"}`. */
function workflowAgentIn(attributes: Mapping): string | undefined {
  const input = textIn(attributes, 'input.value') ?? '';
  return /\bcurrent_agent_name='([^'\\]{1,200})'\)"\}$/.exec(input.slice(-300))?.[1];
}

/** The agent in LangGraph's path of graphs and nodes: `triage:f2358d51|model:ac7b` belongs to `triage`. */
function graphAgentIn(attributes: Mapping): string | undefined {
  const path =
    textIn(mappingOf(parseJsonText(attributes.metadata)), GRAPH_PATH) ??
    textIn(attributes, `traceloop.association.properties.${GRAPH_PATH}`);
  return path?.split('|').at(-2)?.split(':')[0];
}

const GRAPH_PATH = 'langgraph_checkpoint_ns';

/** The innermost spans with messages. The spans around them only repeat these messages. */
export function requestSpansIn(spans: readonly Span[]) {
  const asked = spans.flatMap((span) => {
    const said = isTool(span) ? undefined : messagesOfSpan(span);
    return said ? [{ ...span, said }] : [];
  });
  // A request made by a tool doesn't repeat the request that calls the tool.
  const others = spans.filter((span) => !isTool(span));
  return innermost(others, asked);
}

/** The texts that a span retrieved, with the most relevant first. */
export function retrievedBy({ attributes, events }: Span): string[] {
  const inferred = nestedUnder(attributes, 'retrieval.documents');
  const given = parseJsonText(attributes['gen_ai.retrieval.documents']);
  const documents = Array.isArray(inferred) ? inferred : Array.isArray(given) ? given : [];
  const results = events.filter(({ name }) => name === 'db.query.result');
  return [
    ...documents.map(parseJsonText).flatMap((one) => {
      const document = isMapping(one) && isMapping(one.document) ? one.document : mappingOf(one);
      return textIn(document, 'content', 'text') ?? [];
    }),
    ...results.flatMap((one) => textIn(one.attributes, 'db.query.result.document') ?? []),
  ];
}
