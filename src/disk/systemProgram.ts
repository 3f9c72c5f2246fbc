import { type ExecFileOptions, execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, normalize } from 'node:path';
import { promisify } from 'node:util';

/** Added to the PATH by `npx` and `npm run`, from the workspace. */
const PACKAGE_PROGRAMS = join('node_modules', '.bin');

/**
 * The output of a system program such as `git`, found in an absolute folder on the PATH; a relative one, or one of
 * packages, could be in a workspace.
 * @throws if the program isn't found, or fails
 */
export async function systemProgramOutput(
  name: string,
  args: readonly string[],
  options: ExecFileOptions = {},
): Promise<string> {
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  const { PATH = '' } = process.env;
  const folders = PATH.split(delimiter).filter(
    (one) => isAbsolute(one) && !normalize(one).includes(PACKAGE_PROGRAMS),
  );
  const program = folders.map((folder) => join(folder, file)).find(isExecutable);
  if (program === undefined) throw new Error(`${name} is not installed`);
  const { stdout } = await promisify(execFile)(program, args, { ...options, encoding: 'utf8' });
  return stdout;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
