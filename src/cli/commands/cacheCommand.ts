import { errorText } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { bytesText, counted } from '../../core/text/format.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { toUnwritableError } from '../../disk/fileErrors.ts';
import {
  answersFolder,
  bytesOf,
  listCacheFiles,
  prepareFolder,
  prune,
} from '../../store/answers.ts';
import { EXIT, type ExitCode } from '../exitCode.ts';
import { workspaceOf } from '../paths.ts';
import type { Shell } from '../shell.ts';

/** Shows where cached answers are stored, how many there are, and their size. */
export async function showCache({ processEnv, out, folder: here }: Shell): Promise<ExitCode> {
  const folder = answersFolder(processEnv);
  const files = await listCacheFiles(folder);
  out.write(`${folder}\n${sizeText(files)} of at most ${bytesText(LIMITS.cache)}\n`);
  await prepareFolder(folder, [workspaceOf(here)]).catch((error: unknown) =>
    out.write(`Not used: ${visibleLine(errorText(error))}\n`),
  );
  return EXIT.passed;
}

/** Deletes all cached answers, and nothing else in the folder. @throws UnwritableError */
export async function clearCache({ processEnv, out }: Shell): Promise<ExitCode> {
  const folder = answersFolder(processEnv);
  const files = await listCacheFiles(folder);
  await prune(folder, 0).catch((error: unknown) => {
    throw toUnwritableError('The cache of answers', folder, error);
  });
  out.write(`Deleted ${sizeText(files)} from ${folder}\n`);
  return EXIT.passed;
}

function sizeText(files: Awaited<ReturnType<typeof listCacheFiles>>): string {
  return `${counted(files.length, 'answer')}, ${bytesText(bytesOf(files))}`;
}
