import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Bundled } from '../../../scripts/build/bundledPackages.ts';
import { billOfMaterials } from '../../../scripts/build/sbom.ts';
import { workspaceWith } from '../../support/runs.ts';

const manifest = (name: string, license: string) =>
  JSON.stringify({ name, version: '1.2.3', license });

describe('the bill of materials', () => {
  it('lists what is bundled with version, licence, address and hash, each once, and nothing else', async (t) => {
    const root = await workspaceWith(t, {
      'package.json': manifest('own', 'MIT'),
      'package-lock.json': JSON.stringify({
        packages: { 'node_modules/b': { integrity: 'sha512-AQID' } },
      }),
      'node_modules/b/package.json': manifest('b', 'MIT'),
      'node_modules/@x/a/package.json': manifest('@x/a', '(MPL-2.0 OR Apache-2.0)'),
      'node_modules/@x/a/node_modules/b/package.json': manifest('b', 'MIT'),
      'node_modules/unused/package.json': manifest('unused', 'MIT'),
    });
    const inputs = {
      'src/own.ts': { bytesInOutput: 9 },
      'node_modules/b/x.js': { bytesInOutput: 9 },
      'node_modules/@x/a/y.js': { bytesInOutput: 9 },
      'node_modules/@x/a/node_modules/b/x.js': { bytesInOutput: 9 },
      'node_modules/unused/x.js': { bytesInOutput: 0 },
    };
    const bundles: Bundled[] = [{ outputs: { 'dist/a.js': { inputs } } }];
    const text = await billOfMaterials(root, bundles);
    const { bomFormat, specVersion, metadata, components } = JSON.parse(text);
    assert.deepEqual([bomFormat, specVersion], ['CycloneDX', '1.6']);
    assert.equal(metadata.component.purl, 'pkg:npm/own@1.2.3');
    assert.deepEqual(components, [
      {
        type: 'library',
        'bom-ref': 'pkg:npm/%40x/a@1.2.3',
        name: '@x/a',
        version: '1.2.3',
        licenses: [{ expression: '(MPL-2.0 OR Apache-2.0)' }],
        purl: 'pkg:npm/%40x/a@1.2.3',
      },
      {
        type: 'library',
        'bom-ref': 'pkg:npm/b@1.2.3',
        name: 'b',
        version: '1.2.3',
        licenses: [{ license: { id: 'MIT' } }],
        purl: 'pkg:npm/b@1.2.3',
        hashes: [{ alg: 'SHA-512', content: '010203' }],
      },
    ]);
    assert.equal(await billOfMaterials(root, bundles), text);
  });
});
