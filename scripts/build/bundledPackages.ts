import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The parts of esbuild's metafile that list what went into the bundles. */
export interface Bundled {
  readonly outputs: Readonly<
    Record<
      string,
      { readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>> }
    >
  >;
}

/** A package with code in the bundles. */
export interface BundledPackage {
  /** Path relative to the root, as in `package-lock.json`. */
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name: string };
}

/**
 * Returns the bundled packages, sorted by name. A package can appear twice if it is in two folders.
 *
 * @param root the folder that paths in the metafiles are relative to
 */
export async function bundledPackages(
  root: string,
  bundles: readonly Bundled[],
): Promise<BundledPackage[]> {
  const packages = await Promise.all(
    foldersOf(bundles).map(async (folder): Promise<BundledPackage> => {
      const manifest = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
      return { ...manifest, folder };
    }),
  );
  const key = ({ name, version, folder }: BundledPackage) => `${name} ${version} ${folder}`;
  return packages.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function foldersOf(bundles: readonly Bundled[]): string[] {
  const inputs = bundles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap((output) => Object.entries(output.inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  const folders = inputs.flatMap(([path]) => {
    const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
    return folder ?? [];
  });
  return [...new Set(folders)];
}
