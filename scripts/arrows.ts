import { readFile, writeFile } from 'node:fs/promises';
import { arrowRules } from './arrows/lintRules.ts';
import { withTable } from './arrows/table.ts';

// `npm run arrows`: generates the lint rules for the import arrows, and their table in ARCHITECTURE.md.
await writeFile('biome.arrows.json', arrowRules());
await writeFile('ARCHITECTURE.md', withTable(await readFile('ARCHITECTURE.md', 'utf8')));
