import { ReasonedError } from '../core/errors.ts';

/**
 * Why a run cannot go to a queue, or a worker cannot serve one. `missing-packages`: what a queue needs is not
 * installed; `bad-address`: no address of a Redis; `unreachable`: nobody answers there, or not to us;
 * `not-shared`: a worker could not find the files; `no-worker`: every worker refuses the run; `lost`: Redis
 * forgot the run.
 */
export class QueueError extends ReasonedError<
  'missing-packages' | 'bad-address' | 'unreachable' | 'not-shared' | 'no-worker' | 'lost'
> {
  override readonly name = 'QueueError';
}
