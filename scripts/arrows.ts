import { readFile, writeFile } from 'node:fs/promises';
import { arrowRules } from './arrows/lintRules.ts';
import { withTable } from './arrows/table.ts';

// Writes the lint rules that hold the import arrows, and their table in ARCHITECTURE.md: `npm run arrows`.
await writeFile('biome.arrows.json', arrowRules());
await writeFile('ARCHITECTURE.md', withTable(await readFile('ARCHITECTURE.md', 'utf8')));
