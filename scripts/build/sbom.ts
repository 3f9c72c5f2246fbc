import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Bundled, type BundledPackage, bundledPackages } from './bundledPackages.ts';

/** The part of `package-lock.json` that is used here. */
interface Lock {
  readonly packages: Readonly<Record<string, { readonly integrity?: string }>>;
}

/**
 * Lists the contents of the bundles in CycloneDX 1.6 format (https://cyclonedx.org/docs/1.6/json). The same build
 * always produces the same text.
 *
 * @param root the folder of `package.json`, which paths in the metafiles are relative to
 */
export async function billOfMaterials(root: string, bundles: readonly Bundled[]): Promise<string> {
  const read = async (name: string) => JSON.parse(await readFile(join(root, name), 'utf8'));
  const own: BundledPackage = await read('package.json');
  const { packages }: Lock = await read('package-lock.json');
  const parts = await bundledPackages(root, bundles);
  const components = parts.map((part) => ({
    type: 'library',
    ...described(part),
    ...hashesOf(packages[part.folder]?.integrity),
  }));
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', ...described(own) } },
    components: [...new Map(components.map((one) => [one['bom-ref'], one])).values()],
  };
  return `${JSON.stringify(bom, null, 2)}\n`;
}

function described({ name, version, license }: BundledPackage) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return {
    'bom-ref': purl,
    name,
    version,
    ...(license !== undefined && { licenses: [licenceOf(license)] }),
    purl,
  };
}

/** A single license by its SPDX id, or an SPDX expression that combines several. */
function licenceOf(license: string) {
  return /\s/.test(license) ? { expression: license } : { license: { id: license } };
}

/** @param integrity in npm's format: `sha512-` and base64 */
function hashesOf(integrity: string | undefined) {
  const [, digest] = /^sha512-(\S+)/.exec(integrity ?? '') ?? [];
  if (digest === undefined) return {};
  return { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] };
}
