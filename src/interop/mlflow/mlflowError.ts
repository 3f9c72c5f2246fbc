import { ReasonedError } from '../../core/errors.ts';

type MlflowReason = 'unreachable' | 'refused' | 'not-found' | 'bad-answer' | 'failed';

/** A failed request to the tracking server; the message says what to do. */
export class MlflowError extends ReasonedError<MlflowReason> {
  override readonly name = 'MlflowError';
}
