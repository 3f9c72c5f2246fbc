import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { parseJson } from '../core/data/data.ts';
import { tryParse } from '../core/data/listOf.ts';
import { toUnwritableError } from '../disk/fileErrors.ts';
import { CREATE, readRegular, writeRegular } from '../disk/regularFile.ts';
import { recordsIn } from './records/files.ts';

const noteSchema = z.object({
  name: z.string().min(1).optional().catch(undefined),
  pinned: z.boolean().optional().catch(undefined),
});

/** What a person says of a run. */
export interface RunNote {
  readonly name?: string | undefined;
  /** Whether it stands before the others. */
  readonly pinned?: boolean | undefined;
}

/** Bytes: a note is a line. */
const MOST = 10_000;

/**
 * `.turnlight/runs/ID.json`, beside the run's record, which is never written again for it. A run that is continued
 * gets a record of another name, and keeps its id.
 */
export function noteOf(root: string, id: string): string {
  return join(recordsIn(root), `${id}.json`);
}

/** Empty where there is none, or no note of ours. */
export async function readNote(root: string, id: string): Promise<RunNote> {
  const bytes = await readRegular(noteOf(root, id), MOST).catch(() => Buffer.from(''));
  return tryParse(noteSchema, parseJson(bytes.toString())) ?? {};
}

/** Puts a note in the place of the last one; one that says nothing is removed. @throws UnwritableError */
export async function writeNote(root: string, id: string, note: RunNote): Promise<void> {
  const path = noteOf(root, id);
  const { name, pinned } = note;
  try {
    if (name === undefined && !pinned) {
      await rm(path, { force: true });
      return;
    }
    const beside = `${path}.new`;
    await rm(beside, { force: true });
    const said = { ...(name !== undefined && { name }), ...(pinned && { pinned }) };
    await writeRegular(beside, `${JSON.stringify(said)}\n`, CREATE);
    await rename(beside, path);
  } catch (error) {
    throw toUnwritableError('The note of the run', path, error);
  }
}
