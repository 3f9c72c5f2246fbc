import { resolve } from 'node:path';
import { UsageError } from './exitCode.ts';
import { assertNoLinkOut } from './linksOut.ts';

/** The recording that a command makes, or that answers it. */
export interface Recordings {
  readonly record?: string;
  readonly replay?: string;
}

/** The same as absolute paths. @throws UsageError where both are named */
export function recordingsOf({ record, replay }: Recordings, folder: string): Recordings {
  if (record !== undefined && replay !== undefined) {
    throw new UsageError('Use either --record or --replay, not both.');
  }
  if (record !== undefined) assertNoLinkOut(resolve(folder, record), folder);
  return {
    ...(record !== undefined && { record: resolve(folder, record) }),
    ...(replay !== undefined && { replay: resolve(folder, replay) }),
  };
}
