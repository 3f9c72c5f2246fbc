import { sep } from 'node:path';

/** Whether a path, as it is written, stays in a folder. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** @param what what leads outside: `"../agent.mjs"` */
export function outsideMessage(what: string): string {
  return `${what} is outside the workspace folder. Paths are relative to the file that contains them and must stay inside the workspace, symbolic links included.`;
}
