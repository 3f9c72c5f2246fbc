import type { Artifact, Message, Part } from '@a2a-js/sdk';
import { isMapping } from '../../core/data/data.ts';
import { canonicalJson } from '../../core/data/digest.ts';
import { addUsage, type Usage } from '../../core/verdict.ts';
import { readUsage } from '../readUsage.ts';
import { isReportedCall } from '../reportedCalls.ts';

/** What ADK's agents call a data part, in its metadata. */
const ADK_TYPE = 'adk_type';
const ADK_CALLS: readonly unknown[] = ['function_call', 'function_response'];

/** Where agents put what an event used, in its metadata. */
const USAGE = ['usage', 'adk_usage_metadata'];

/** By message or artifact, what was read of it. */
export type Sources = ReadonlyMap<string, string>;

/**
 * The tool calls, results and usage that an agent reports in data parts and metadata. What it sends of a message or an artifact
 * later takes the place of what it sent before: a task tells of its whole history again.
 */
export class AgentReport {
  readonly #before: Sources;
  readonly #calls = new Map<string, unknown[]>();
  readonly #usage = new Map<string, Usage>();

  /** @param before as of `sources`, after the reply before */
  constructor(before: Sources = new Map()) {
    this.#before = before;
  }

  addMessage({ messageId, parts, metadata }: Message): void {
    this.#calls.set(`message ${messageId}`, callsIn(parts));
    this.addMetadata(metadata, messageId);
    for (const { content } of parts) {
      if (content?.$case === 'data') this.#addUsage(content.value, messageId);
    }
  }

  addArtifact({ artifactId, parts, metadata }: Artifact, append: boolean): void {
    const source = `artifact ${artifactId}`;
    const before = append ? (this.#calls.get(source) ?? []) : [];
    this.#calls.set(source, [...before, ...callsIn(parts)]);
    this.addMetadata(metadata, artifactId);
  }

  /** @param event its id, unless the metadata has one */
  addMetadata(metadata: unknown, event: string): void {
    if (!isMapping(metadata)) return;
    const { adk_event_id: id = event } = metadata;
    this.#addUsage(metadata, String(id));
  }

  #addUsage(value: unknown, event: string): void {
    if (!isMapping(value)) return;
    const found = USAGE.flatMap((key) => readUsage(value[key]) ?? []);
    for (const usage of found.slice(0, 1)) {
      if (!this.#before.has(`usage ${event}`)) this.#usage.set(event, usage);
    }
  }

  /** Calls and results of this reply, in order. */
  get calls(): readonly unknown[] {
    return [...this.#calls].flatMap(([source, items]) =>
      this.#before.get(source) === canonicalJson(items) ? [] : items,
    );
  }

  get usage(): Usage | undefined {
    const all = [...this.#usage.values()];
    return all.length === 0 ? undefined : all.reduce(addUsage);
  }

  /** What was read by the end of this reply. */
  get sources(): Sources {
    const own = [...this.#calls].map(
      ([source, items]) => [source, canonicalJson(items) ?? ''] as const,
    );
    const used = [...this.#usage.keys()].map((event) => [`usage ${event}`, ''] as const);
    return new Map([...this.#before, ...own, ...used]);
  }
}

/** Whether a part reports something that is no text of the reply. */
export function isReport(part: Part): boolean {
  const { content } = part;
  if (content?.$case !== 'data') return false;
  return callsIn([part]).length > 0 || isUsageAlone(content.value);
}

function isUsageAlone(value: unknown): boolean {
  return (
    isMapping(value) && Object.keys(value).length === 1 && readUsage(value.usage) !== undefined
  );
}

function callsIn(parts: readonly Part[]): unknown[] {
  return parts.flatMap(({ content, metadata }): readonly unknown[] => {
    if (content?.$case !== 'data') return [];
    const { value } = content;
    const type = metadata?.[ADK_TYPE];
    if (isMapping(value) && ADK_CALLS.includes(type)) return [{ ...value, type }];
    if (isReportedCall(value)) return [value];
    const list = isMapping(value) ? value.tool_calls : undefined;
    return Array.isArray(list) && list.length > 0 && list.every(isReportedCall) ? list : [];
  });
}
