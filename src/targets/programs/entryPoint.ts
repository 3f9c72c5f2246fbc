import { fileURLToPath } from 'node:url';

/** Where a process of our own begins: beside the bundle when built, beside the source in a checkout. */
export function entryPoint(source: string, built: string): string {
  const name = import.meta.url.endsWith('.ts') ? source : built;
  return fileURLToPath(new URL(`./${name}`, import.meta.url));
}
