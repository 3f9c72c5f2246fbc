// Writes the pages of the assertions again: `npm run docs`. They are checked in, and a test compares
// them with the declarations that they are made from.
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { assertionPages, FOLDER } from './docs/pages.ts';

const folder = resolve(import.meta.dirname, '..', FOLDER);
const pages = assertionPages();

await mkdir(folder, { recursive: true });
const left = (await readdir(folder)).filter((name) => !pages.has(name));
await Promise.all(left.map((name) => rm(join(folder, name))));
await Promise.all([...pages].map(([name, text]) => writeFile(join(folder, name), text)));
process.stdout.write(`${pages.size} pages in ${FOLDER}\n`);
