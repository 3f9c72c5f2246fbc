import { ReasonedError } from '../../core/errors.ts';

type MlflowReason = 'unreachable' | 'refused' | 'not-found' | 'bad-answer' | 'failed';

/** What the tracking server did not do; the message says what to do. */
export class MlflowError extends ReasonedError<MlflowReason> {
  override readonly name = 'MlflowError';
}
