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
import { visibleLine } from '../../core/presentation/visibleText.ts';
import { mediaOf, notShown } from '../../messages/content.ts';
import { tooLong } from '../replyLimits.ts';
import { TargetError } from '../target.ts';
import { AgentReport, isReport, type Sources } from './agentReport.ts';

const SHOWN = 300;

/** Of a task that is over without a reply, what it was. */
const ENDS: Readonly<Partial<Record<TaskState, string>>> = {
  [TaskState.TASK_STATE_FAILED]: 'failed',
  [TaskState.TASK_STATE_CANCELED]: 'was cancelled',
  [TaskState.TASK_STATE_REJECTED]: 'was rejected',
  [TaskState.TASK_STATE_AUTH_REQUIRED]: 'needs an authorization that nobody can give here',
};

/** Between texts of one reply. */
const GAP = '\n\n';

/**
 * Puts an agent's reply together from what it sends: a message, or a task with artifacts, whose last
 * status may say something as well. What it said while it worked counts where there is nothing else.
 */
export class TaskReply {
  #message: string | undefined;
  readonly #artifacts = new Map<string, string>();
  #status: TaskStatus | undefined;
  /** The latest text of a status. */
  #said = '';
  contextId = '';
  taskId = '';
  /** What it reports besides its words. */
  readonly report: AgentReport;

  readonly #before: Sources;

  /** @param before as of `sources`, after the reply before */
  constructor(before: Sources = new Map()) {
    this.#before = before;
    this.report = new AgentReport(before);
  }

  /** What was read by the end of this reply: a task that goes on tells of it again. */
  get sources(): Sources {
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
        this.#belong(payload.value.contextId, payload.value.taskId);
        this.#addStatus(payload.value.status);
        this.report.addMetadata(
          payload.value.metadata,
          payload.value.status?.message?.messageId ?? '',
        );
        break;
      case 'artifactUpdate': {
        const { contextId, taskId, artifact, append } = payload.value;
        this.#belong(contextId, taskId);
        if (artifact) this.#addArtifact(artifact, append);
        break;
      }
      default:
        break;
    }
    const why = tooLong(this.text.length, 0);
    if (why !== undefined) throw new TargetError('target-too-much-output', why);
  }

  /** All of the reply so far. */
  get text(): string {
    if (this.#message !== undefined) return this.#message;
    const results = [...this.#artifacts.values()].filter((text) => text !== '');
    const last = this.isWorking ? '' : textOf(this.#status?.message?.parts);
    const texts = results.includes(last) || last === '' ? results : [...results, last];
    return texts.length > 0 ? texts.join(GAP) : this.isWorking ? '' : this.#said;
  }

  /** Whether more is to come. */
  get isWorking(): boolean {
    const state = this.#status?.state;
    return (
      this.#message === undefined &&
      (state === undefined ||
        state === TaskState.TASK_STATE_SUBMITTED ||
        state === TaskState.TASK_STATE_WORKING)
    );
  }

  /** Whether the next message goes on with the task. */
  get isOpen(): boolean {
    return this.#status?.state === TaskState.TASK_STATE_INPUT_REQUIRED;
  }

  /** @throws TargetError where the task came to no good end */
  check(): void {
    const end = this.#status && ENDS[this.#status.state];
    if (end === undefined) return;
    const words = visibleLine(textOf(this.#status?.message?.parts), SHOWN);
    const said = words === '' ? '' : ` It said: ${words}`;
    throw new TargetError('target-error', `The agent's task ${end}.${said}`);
  }

  #addMessage(message: Message): void {
    const { contextId, taskId, parts } = message;
    this.#belong(contextId, taskId);
    this.#message = textOf(parts);
    this.report.addMessage(message);
  }

  #addTask({ id, contextId, artifacts, status, history, metadata }: Task): void {
    this.#belong(contextId, id);
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
    this.#said = textOf(status.message?.parts) || this.#said;
    if (status.message) this.report.addMessage(status.message);
  }

  /** Pieces that are appended belong to one text. */
  #addArtifact(artifact: Artifact, append: boolean): void {
    const { artifactId, parts } = artifact;
    this.report.addArtifact(artifact, append);
    const before = append ? (this.#artifacts.get(artifactId) ?? '') : '';
    this.#artifacts.set(artifactId, before + textOf(parts));
  }

  #belong(contextId: string, taskId: string): void {
    this.contextId = contextId || this.contextId;
    this.taskId = taskId || this.taskId;
  }
}

function textOf(parts: readonly Part[] = []): string {
  return parts
    .map(partText)
    .filter((text) => text !== '')
    .join(GAP);
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
