// `npm run docs`: generates the assertion pages, and the tables on hand-written pages. They are checked in, and a test
// compares them with the declarations.
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { docsFiles, FOLDER, ROOT } from './docs/pages.ts';

const files = docsFiles();
const left = (await readdir(join(ROOT, FOLDER))).filter((name) => !files.has(`${FOLDER}/${name}`));
await Promise.all(left.map((name) => rm(join(ROOT, FOLDER, name))));
await Promise.all([...files].map(([path, text]) => writeFile(join(ROOT, path), text)));
process.stdout.write(`${files.size} pages\n`);
