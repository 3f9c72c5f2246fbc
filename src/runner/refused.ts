import { ReasonedError } from '../core/errors.ts';

/**
 * The run was refused before it began. `only-forbidden`: a case says `only`, and that is forbidden;
 * `no-price`: its cost is limited, and what it would cost cannot be known.
 */
export class RunRefusedError extends ReasonedError<'only-forbidden' | 'no-price'> {
  override readonly name = 'RunRefusedError';
}
