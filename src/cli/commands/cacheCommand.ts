import { rm } from 'node:fs/promises';
import { errorText } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { bytesText, counted } from '../../core/text/format.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { toUnwritableError } from '../../disk/fileErrors.ts';
import {
  answersFolder,
  bytesOf,
  type CacheFile,
  listCacheFiles,
  prepareFolder,
  prune,
} from '../../store/answers.ts';
import { listPersistentFiles } from '../../store/persistentAnswers.ts';
import { EXIT, type ExitCode } from '../exitCode.ts';
import { workspaceOf } from '../paths.ts';
import type { Shell } from '../shell.ts';

export async function showCache({ processEnv, out, folder: here }: Shell): Promise<ExitCode> {
  const folder = answersFolder(processEnv);
  const { answers, once } = await filesIn(folder);
  out.write(`${folder}\n${sizeText(answers)} of at most ${bytesText(LIMITS.cache)}\n`);
  if (once.length > 0) out.write(`${onceText(once)}\n`);
  await prepareFolder(folder, [workspaceOf(here)]).catch((error: unknown) =>
    out.write(`The cache is not used: ${visibleLine(errorText(error))}\n`),
  );
  return EXIT.passed;
}

/** Deletes cached answers; keeps other files in the folder. @throws UnwritableError */
export async function clearCache({ processEnv, out }: Shell): Promise<ExitCode> {
  const folder = answersFolder(processEnv);
  const { answers, once } = await filesIn(folder);
  try {
    await prune(folder, 0);
    for (const { path } of once) await rm(path, { force: true });
  } catch (error) {
    throw toUnwritableError('The answer cache', folder, error);
  }
  const more = once.length > 0 ? `, and ${onceText(once)},` : '';
  out.write(`Deleted ${sizeText(answers)}${more} from ${folder}\n`);
  return EXIT.passed;
}

async function filesIn(folder: string) {
  return { answers: await listCacheFiles(folder), once: await listPersistentFiles(folder) };
}

function onceText(files: readonly CacheFile[]): string {
  return `${counted(files.length, 'file')} with evaluation steps written by judges, ${bytesText(bytesOf(files))}`;
}

function sizeText(files: readonly CacheFile[]): string {
  return `${counted(files.length, 'answer')}, ${bytesText(bytesOf(files))}`;
}
