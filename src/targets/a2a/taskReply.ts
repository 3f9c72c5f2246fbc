import {
  type Artifact,
  type Message,
  type Part,
  type StreamResponse,
  type Task,
  TaskState,
  type TaskStatus,
} from '@a2a-js/sdk';
import { visibleLine } from '../../core/presentation/visibleText.ts';
import { mediaOf, notShown } from '../../messages/content.ts';
import { tooLong } from '../replyLimits.ts';
import { TargetError } from '../target.ts';

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

  #addMessage({ contextId, taskId, parts }: Message): void {
    this.#belong(contextId, taskId);
    this.#message = textOf(parts);
  }

  #addTask({ id, contextId, artifacts, status }: Task): void {
    this.#belong(contextId, id);
    for (const artifact of artifacts) this.#addArtifact(artifact, false);
    this.#addStatus(status);
  }

  #addStatus(status: TaskStatus | undefined): void {
    if (!status) return;
    this.#status = status;
    this.#said = textOf(status.message?.parts) || this.#said;
  }

  /** Pieces that are appended belong to one text. */
  #addArtifact({ artifactId, parts }: Artifact, append: boolean): void {
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

function partText({ content, filename, mediaType }: Part): string {
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
