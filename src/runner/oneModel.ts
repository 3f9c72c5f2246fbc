import { errorText } from '../core/errors.ts';
import type { ModelSpec } from '../core/suite.ts';
import { type Model, ModelError, type ModelHost } from '../models/model.ts';
import { openRecorder, recordingModel } from '../models/recording.ts';
import { createModel, parseModelSpec } from '../models/registry.ts';
import { openReplaySource, replayModel } from '../models/replaySource.ts';

interface ModelChoice {
  /** `provider:model` */
  readonly name: string;
  readonly baseUrl?: string | undefined;
  /** Absolute paths of recordings. */
  readonly record?: string | undefined;
  readonly replay?: string | undefined;
}

/**
 * Uses a model, optionally recorded or replayed.
 *
 * @throws ModelError, RecordingError, UnwritableError, and errors of `use`
 */
export async function withModel<Made>(
  { name, baseUrl, record, replay }: ModelChoice,
  host: ModelHost,
  use: (model: Model) => Promise<Made>,
): Promise<Made> {
  const spec = specOf(name, baseUrl);
  if (replay !== undefined) {
    return use(replayModel(spec.id, await openReplaySource(replay, (text) => host.log.warn(text))));
  }
  const model = await createModel(spec, host);
  if (record === undefined) return use(model);
  let failure: Error | undefined;
  const recorder = await openRecorder(record, host.scrubber, (error) => {
    failure ??= error;
  });
  const made = await use(recordingModel(model, recorder)).finally(() => recorder.close());
  if (failure) throw failure;
  return made;
}

function specOf(name: string, baseUrl: string | undefined): ModelSpec {
  const parsed = parseModelSpec(name, '/');
  if (!('spec' in parsed)) throw new ModelError('not-found', parsed.problem);
  if (baseUrl === undefined) return parsed.spec;
  return { ...parsed.spec, params: { ...parsed.spec.params, base_url: baseUrl } };
}

type ModelTrial =
  | { readonly kind: 'answered' }
  | { readonly kind: 'refused'; readonly message: string }
  /** The key may be correct, but something else failed. */
  | { readonly kind: 'failed'; readonly message: string };

/** Asks a model a short question to check its key. */
export async function tryModel(spec: ModelSpec, host: ModelHost): Promise<ModelTrial> {
  try {
    const model = await createModel(spec, host);
    const messages = [{ role: 'user' as const, content: 'Say OK.' }];
    await model.complete({ messages, maxTokens: 16 }, 1, AbortSignal.timeout(30_000));
    return { kind: 'answered' };
  } catch (error) {
    const refused = error instanceof ModelError && error.reason === 'unauthorized';
    return { kind: refused ? 'refused' : 'failed', message: errorText(error) };
  }
}
