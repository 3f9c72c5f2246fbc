import { type Arrows, arrows, nameHomes, packageHomes } from './arrows.ts';

/** Names of the folders in `src` that have arrows. */
const folders = arrows
  .map(({ folder }) => folder)
  .filter((folder) => folder.startsWith('src/'))
  .map((folder) => folder.slice('src/'.length));

/** The text of `biome.arrows.json`, which `biome.json` extends. */
export function arrowRules(): string {
  const overrides = [...arrows.map(override), ...innerHomes().map(override), standAlone];
  return `${JSON.stringify({ overrides }, null, 2)}\n`;
}

/** The published types ship without source code. */
const standAlone = {
  includes: ['types/**'],
  linter: restricted([
    {
      group: ['*', '**', '!turnlight'],
      message: 'The published types import only each other: they ship without source.',
    },
  ]),
};

/**
 * Subfolders of the table's folders that are the only place where a package or a name may be used. Each has the outer
 * folder's rules, except for that package or name.
 */
function innerHomes(): Arrows[] {
  const homes = [...packageHomes.map(({ home }) => home), ...nameHomes.flatMap((one) => one.homes)];
  return homes.flatMap((home) => {
    const owner = arrows.find(({ folder }) => home.startsWith(`${folder}/`));
    return owner ? [{ ...owner, folder: home }] : [];
  });
}

const NO_NODE = {
  group: ['node:*', 'node:*/*'],
  message: 'The webview imports this folder, so it imports nothing of Node: see src/node.',
};

function override({ folder, imports, browser }: Arrows) {
  const packages = packageHomes
    .filter(({ home }) => home !== folder)
    .map(({ names, why }) => ({ group: [...names], message: why }));
  const names = nameHomes
    .filter(({ homes }) => !homes.includes(folder) && !homes.some((one) => isIn(folder, one)))
    .map(({ file, names: importNamePattern, why }) => ({
      ...{ group: [`**/${file}`], importNamePattern },
      message: why,
    }));
  const message =
    imports.length === 0
      ? `${folder} imports no other folder.`
      : `${folder} may import ${imports.join(', ')}: see scripts/arrows/arrows.ts.`;
  return {
    includes: [`${folder}/**`],
    linter: restricted([
      { group: strangers(folder, imports), message },
      ...(browser ? [NO_NODE] : []),
      ...packages,
      ...names,
    ]),
  };
}

function strangers(folder: string, imports: readonly string[]): string[] {
  const denied = folders.filter((one) => !imports.includes(one) && `src/${one}` !== folder);
  const inSource = folder.startsWith('src/');
  const files = imports.filter((one) => one.endsWith('.ts'));
  return [
    ...denied.map((one) => (inSource ? `../**/${one}/**` : `**/src/${one}/**`)),
    ...files.map((one) => `!**/${one}`),
  ];
}

function isIn(folder: string, outer: string): boolean {
  return folder.startsWith(`${outer}/`);
}

function restricted(
  patterns: readonly {
    readonly group: readonly string[];
    readonly importNamePattern?: string;
    readonly message: string;
  }[],
) {
  return {
    rules: {
      style: {
        noRestrictedImports: {
          level: 'error',
          options: {
            paths: {
              zod: {
                importNames: ['z'],
                message:
                  'Write `import * as z from zod`: the named import bundles five times as much.',
              },
            },
            patterns,
          },
        },
      },
    },
  };
}
