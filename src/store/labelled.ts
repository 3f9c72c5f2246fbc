import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type * as z from 'zod';
import { parseJson } from '../core/data/data.ts';
import { tryParse } from '../core/data/listOf.ts';
import { LIMITS } from '../core/limits.ts';
import { labelledConversationSchema } from '../core/record/label.ts';
import { toUnwritableError } from '../disk/fileErrors.ts';
import { CREATE, makeRealFolder, readRegular, writeRegular } from '../disk/regularFile.ts';
import { canonicalJson, conversationHash, withoutCircumstances } from '../node/hashes.ts';
import { labelsFolder } from '../node/paths.ts';
import { LABELS } from './labels.ts';

/** A conversation that labels speak of, with the facts of its case. */
export type LabelledConversation = z.infer<typeof labelledConversationSchema>;

/**
 * Keeps a conversation beside the labels that speak of it. It is written aside and put in its place at once, with
 * nothing that differs between machines, so that two people who label it write the same file.
 *
 * @param evalFile absolute
 * @returns its hash
 * @throws UnwritableError
 */
export async function keepLabelled(
  evalFile: string,
  { conversation, facts }: LabelledConversation,
): Promise<string> {
  const hash = conversationHash(conversation);
  const path = labelledPath(evalFile, hash);
  if (await readLabelled(evalFile, hash)) return hash;
  const beside = `${path}.${process.pid}.new`;
  try {
    await makeRealFolder(labelsFolder(evalFile));
    await makeRealFolder(join(labelsFolder(evalFile), CONVERSATIONS));
    const kept = JSON.parse(
      canonicalJson({ conversation: withoutCircumstances(conversation), facts }),
    ) as unknown;
    const text = `${JSON.stringify(kept, undefined, 2)}\n`;
    await rm(beside, { force: true });
    await writeRegular(beside, text, CREATE);
    await rename(beside, path);
    return hash;
  } catch (error) {
    throw toUnwritableError(LABELS, path, error);
  } finally {
    await rm(beside, { force: true }).catch(() => {});
  }
}

/** Undefined where there is none, or what stands there is another one. */
export async function readLabelled(
  evalFile: string,
  hash: string,
): Promise<LabelledConversation | undefined> {
  // A label may name any path.
  if (!/^[0-9a-f]{64}$/.test(hash)) return undefined;
  const bytes = await readRegular(labelledPath(evalFile, hash), LIMITS.transcript).catch(
    () => undefined,
  );
  const found = bytes && tryParse(labelledConversationSchema, parseJson(String(bytes)));
  return found && conversationHash(found.conversation) === hash ? found : undefined;
}

const CONVERSATIONS = 'conversations';

function labelledPath(evalFile: string, hash: string): string {
  return join(labelsFolder(evalFile), CONVERSATIONS, `${hash}.json`);
}
