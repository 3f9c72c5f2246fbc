import {
  type Artifact,
  type Message,
  type Part,
  Role,
  type StreamResponse,
  type Task,
  TaskState,
  type TaskStatus,
} from '@a2a-js/sdk';
import { isMapping, stringOf } from '../../core/data/data.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { addUsage, type Usage } from '../../core/verdict.ts';
import { mediaOf, notShown } from '../../messages/content.ts';
import { canonicalJson } from '../../node/hashes.ts';
import { readUsage } from '../reply.ts';
import { checkEvents, checkLength } from '../replyLimits.ts';
import { isReportedCall } from '../reportedCalls.ts';
import { TargetError } from '../target.ts';

const MAX_DETAIL = 300;

/** Task states that end without a reply. */
const FAILED_STATES: Readonly<Partial<Record<TaskState, string>>> = {
  [TaskState.TASK_STATE_FAILED]: 'failed',
  [TaskState.TASK_STATE_CANCELED]: 'was canceled',
  [TaskState.TASK_STATE_REJECTED]: 'was rejected',
  [TaskState.TASK_STATE_AUTH_REQUIRED]: "needs authorization, which isn't possible here",
};

const SEPARATOR = '\n\n';

/** Number of characters to join per event, so that many events take linear work. */
const JOINED_PER_EVENT = 1_000;

/** Joining an artifact takes as much work as that many characters. */
const JOINED_PER_ARTIFACT = 10;

/**
 * Assembles an agent's reply: a message, or a task with artifacts, whose last status may add text. Text sent while the
 * agent was working counts only if there is no other text.
 */
export class TaskReply {
  #message: string | undefined;
  readonly #artifacts = new Map<string, string>();
  /** Number of characters of the artifacts. */
  #length = 0;
  #shown = '';
  #events = 0;
  /** Number of events after which to join the text again. */
  #nextText = 0;
  #status: TaskStatus | undefined;
  /** The text of the latest status that has any. */
  #statusText = '';
  contextId = '';
  taskId = '';
  readonly report: AgentReport;

  readonly #before: ReadSources;

  /** @param before the previous reply's `sources` */
  constructor(before: ReadSources) {
    this.#before = before;
    this.report = new AgentReport(before);
  }

  /** Everything read by the end of this reply, because a task that continues is sent again. */
  get sources(): ReadSources {
    const texts = [...this.#artifacts].map(([id, text]) => [`text ${id}`, text] as const);
    return new Map([...this.report.sources, ...texts]);
  }

  /** @throws TargetError */
  add({ payload }: StreamResponse): void {
    switch (payload?.$case) {
      case 'message':
        this.#addMessage(payload.value);
        break;
      case 'task':
        this.#addTask(payload.value);
        break;
      case 'statusUpdate':
        this.#setIds(payload.value.contextId, payload.value.taskId);
        this.#addStatus(payload.value.status);
        this.report.addMetadata(payload.value.metadata, payload.value.status?.message?.messageId);
        break;
      case 'artifactUpdate': {
        const { contextId, taskId, artifact, append } = payload.value;
        this.#setIds(contextId, taskId);
        if (artifact) this.#addArtifact(artifact, append);
        break;
      }
      default:
        break;
    }
    this.#events += 1;
    checkEvents(this.#events);
    checkLength(this.#message?.length ?? this.#length);
  }

  /** The text if it has changed. If joining it takes long, it is returned only after several events. */
  takeText(): string | undefined {
    if (this.#events < this.#nextText) return undefined;
    const { text } = this;
    const work = text.length + this.#artifacts.size * JOINED_PER_ARTIFACT;
    this.#nextText = this.#events + work / JOINED_PER_EVENT;
    if (text === this.#shown) return undefined;
    this.#shown = text;
    return text;
  }

  get text(): string {
    if (this.#message !== undefined) return this.#message;
    const results = [...this.#artifacts.values()].filter((text) => text !== '');
    const last = this.isWorking ? '' : textOf(this.#status?.message?.parts);
    const texts = results.includes(last) || last === '' ? results : [...results, last];
    return texts.length > 0 ? texts.join(SEPARATOR) : this.isWorking ? '' : this.#statusText;
  }

  get isWorking(): boolean {
    const { TASK_STATE_SUBMITTED, TASK_STATE_WORKING } = TaskState;
    const { state = TASK_STATE_WORKING } = this.#status ?? {};
    const works = [TASK_STATE_SUBMITTED, TASK_STATE_WORKING].includes(state);
    return works && this.#message === undefined;
  }

  /** Whether the next message continues the task. */
  get isOpen(): boolean {
    return this.#status?.state === TaskState.TASK_STATE_INPUT_REQUIRED;
  }

  /** @throws TargetError if the task failed */
  check(): void {
    const end = this.#status && FAILED_STATES[this.#status.state];
    if (end === undefined) return;
    const words = visibleLine(textOf(this.#status?.message?.parts), MAX_DETAIL);
    const said = words === '' ? '' : ` It said: ${words}`;
    throw new TargetError('target-error', `The agent's task ${end}.${said}`);
  }

  #addMessage(message: Message): void {
    const { contextId, taskId, parts } = message;
    this.#setIds(contextId, taskId);
    this.#message = textOf(parts);
    this.report.addMessage(message);
  }

  #addTask({ id, contextId, artifacts, status, history, metadata }: Task): void {
    this.#setIds(contextId, id);
    for (const one of history) if (one.role === Role.ROLE_AGENT) this.report.addMessage(one);
    this.report.addMetadata(metadata, `task ${id}`);
    for (const artifact of artifacts) {
      const before = this.#before.get(`text ${artifact.artifactId}`);
      if (before !== textOf(artifact.parts)) this.#addArtifact(artifact, false);
    }
    this.#addStatus(status);
  }

  #addStatus(status: TaskStatus | undefined): void {
    if (!status) return;
    this.#status = status;
    this.#statusText = textOf(status.message?.parts) || this.#statusText;
    if (status.message) this.report.addMessage(status.message);
  }

  /** Adds an artifact. Pieces that are appended form one text. */
  #addArtifact(artifact: Artifact, append: boolean): void {
    const { artifactId, parts } = artifact;
    this.report.addArtifact(artifact, append);
    const before = this.#artifacts.get(artifactId) ?? '';
    const text = (append ? before : '') + textOf(parts);
    this.#artifacts.set(artifactId, text);
    this.#length += text.length - before.length;
  }

  #setIds(contextId: string, taskId: string): void {
    this.contextId = contextId || this.contextId;
    this.taskId = taskId || this.taskId;
  }
}

function textOf(parts: readonly Part[] = []): string {
  return parts
    .map(partText)
    .filter((text) => text !== '')
    .join(SEPARATOR);
}

function partText(part: Part): string {
  if (isReport(part)) return '';
  const { content, filename, mediaType } = part;
  switch (content?.$case) {
    case 'text':
      return content.value;
    case 'data':
      return JSON.stringify(content.value);
    case 'url':
    case 'raw':
      return notShown(mediaOf(mediaType), filename || undefined);
    default:
      return '';
  }
}

/** The key for a data part's type in metadata from ADK agents. */
const ADK_TYPE = 'adk_type';
const ADK_CALLS: readonly unknown[] = ['function_call', 'function_response'];

const USAGE = ['usage', 'adk_usage_metadata'];

/** Everything that was read, by message or artifact. */
export type ReadSources = ReadonlyMap<string, string>;

/**
 * Tool calls, results, and usage in data parts and metadata. If a message or artifact is sent again, it replaces its
 * earlier version, because a task repeats its whole history.
 */
class AgentReport {
  readonly #before: ReadSources;
  readonly #calls = new Map<string, unknown[]>();
  readonly #usage = new Map<string, Usage>();

  /** @param before the previous reply's `sources` */
  constructor(before: ReadSources) {
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
    const calls = append ? (this.#calls.get(source) ?? []) : [];
    for (const call of callsIn(parts)) calls.push(call);
    this.#calls.set(source, calls);
    this.addMetadata(metadata, artifactId);
  }

  /** @param event the event's id, unless the metadata has one */
  addMetadata(metadata: unknown, event = ''): void {
    if (!isMapping(metadata)) return;
    const { adk_event_id: id = event } = metadata;
    this.#addUsage(metadata, stringOf(id));
  }

  #addUsage(value: unknown, event: string): void {
    if (!isMapping(value)) return;
    const found = USAGE.flatMap((key) => readUsage(value[key]) ?? []);
    for (const usage of found.slice(0, 1)) {
      if (!this.#before.has(`usage ${event}`)) this.#usage.set(event, usage);
    }
  }

  get calls(): readonly unknown[] {
    return [...this.#calls].flatMap(([source, items]) =>
      this.#before.get(source) === canonicalJson(items) ? [] : items,
    );
  }

  get usage(): Usage | undefined {
    const all = [...this.#usage.values()];
    return all.length === 0 ? undefined : all.reduce(addUsage);
  }

  /** Everything read by the end of this reply. */
  get sources(): ReadSources {
    const own = [...this.#calls].map(
      ([source, items]) => [source, canonicalJson(items) ?? ''] as const,
    );
    const used = [...this.#usage.keys()].map((event) => [`usage ${event}`, ''] as const);
    return new Map([...this.#before, ...own, ...used]);
  }
}

/** Whether a part is a report, rather than text of the reply. */
function isReport(part: Part): boolean {
  const { content } = part;
  if (content?.$case !== 'data') return false;
  const { value } = content;
  const isUsageAlone = isMapping(value) && Object.keys(value).join() === 'usage';
  return callsIn([part]).length > 0 || (isUsageAlone && readUsage(value.usage) !== undefined);
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
