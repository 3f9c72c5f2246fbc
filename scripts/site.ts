// `npm run docs:site`: builds the documentation into `site/`.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ROOT } from './docs/pages.ts';
import { siteFiles } from './docs/site.ts';

const folder = join(ROOT, 'site');
const files = siteFiles();
await rm(folder, { recursive: true, force: true });
for (const [path, content] of files) {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
}
process.stdout.write(`${files.size} files in site/\n`);
