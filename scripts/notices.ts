import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Bundled, type BundledPackage, bundledPackages } from './build/bundledPackages.ts';

const HEAD = `Turnlight includes code from the packages below, each under its own licence.`;
const RULE = '-'.repeat(80);
const LICENCE_FILE = /^(licen[cs]e|notices?|copying)([.-].*)?$/i;

/**
 * The licenses of all bundled packages, sorted by license and name: equal texts that are close together compress well.
 *
 * @param root the folder that paths in the metafiles are relative to
 * @throws Error if a package doesn't state a license
 */
export async function thirdPartyNotices(
  root: string,
  bundles: readonly Bundled[],
): Promise<string> {
  const packages = await bundledPackages(root, bundles);
  const sorted = packages.toSorted((a, b) => {
    const [one = '', other = ''] = [a.license, b.license];
    return Number(one > other) - Number(one < other);
  });
  const sections = await Promise.all(sorted.map((one) => sectionOf(root, one)));
  return `${[HEAD, ...new Set(sections)].join(`\n\n${RULE}\n\n`)}\n`;
}

async function sectionOf(root: string, bundled: BundledPackage): Promise<string> {
  const folder = join(root, bundled.folder);
  const names = (await readdir(folder)).filter((name) => LICENCE_FILE.test(name)).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  const { name, version, license } = bundled;
  const licences = texts.length > 0 ? texts : await knownTexts(bundled);
  const trimmed = licences.map((text) => text.replaceAll('\r\n', '\n').trim());
  return [`${name} ${version} (${license ?? 'see below'})`, ...trimmed].join('\n\n');
}

/** Files in `licenses`, for packages that don't include their license texts. */
const KNOWN_FILES: Readonly<Record<string, readonly string[]>> = {
  // The second license is mentioned only in the package's source code.
  '@bufbuild/protobuf': ['Apache-2.0.txt', 'protobuf.txt'],
};

async function knownTexts(bundled: BundledPackage): Promise<string[]> {
  const files = KNOWN_FILES[bundled.name];
  if (!files) return [standardText(bundled)];
  const folder = join(import.meta.dirname, 'licenses');
  return Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
}

/** The license text of a package that names its license but doesn't include the text. */
function standardText({ name, license, author }: BundledPackage): string {
  const holder = typeof author === 'string' ? author : author?.name;
  if (license === 'MIT' && holder !== undefined) return mit(holder);
  throw new Error(`${name} includes no licence text: find it before bundling the package.`);
}

function mit(holder: string): string {
  return `MIT License

Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`;
}
