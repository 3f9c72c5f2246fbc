import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';

/** The guide to CI. */
export const GUIDE = readFileSync(new URL('../../docs/guides/ci.md', import.meta.url), 'utf8');

export interface Job {
  readonly needs?: string;
  readonly strategy?: { readonly matrix: { readonly part: readonly number[] } };
  readonly steps: readonly {
    readonly run?: string;
    readonly uses?: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly with?: Readonly<Record<string, unknown>>;
  }[];
}

/** The jobs of each workflow in the guide. */
export function workflows(): Record<string, Job>[] {
  const texts = [...GUIDE.matchAll(/```yaml\n(# \.github\/workflows\/.*?)```/gs)];
  return texts.map(([, text = '']) => {
    const document = parseDocument(text);
    assert.deepEqual(document.errors, []);
    const { name, on, jobs } = document.toJS();
    assert.ok(name && on);
    return jobs;
  });
}
