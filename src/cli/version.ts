import { existsSync, readFileSync } from 'node:fs';

/** The version in package.json, which is one folder above the bundle, or two above this file. */
export function ownVersion(): string {
  for (const path of ['../package.json', '../../package.json']) {
    const url = new URL(path, import.meta.url);
    if (!existsSync(url)) continue;
    const { version } = JSON.parse(readFileSync(url, 'utf8')) as { readonly version: string };
    return version;
  }
  return 'unknown';
}
