import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { evalJsonSchema } from '../../src/evalfile/schema.ts';

const CHECKOUT = resolve(import.meta.dirname, '../..');

/** A language server to measure, and how it is told about eval files. */
export interface Subject {
  readonly name: string;
  /** What node is given. */
  readonly args: readonly string[];
  readonly languageId: string;
  /** Milliseconds that it waits after a key press before it checks; in no way work. */
  readonly pause: number;
  /** By section, as it asks for them. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export const turnlight: Subject = {
  name: 'Turnlight',
  args: [join(CHECKOUT, 'dist/server.js'), '--stdio'],
  languageId: 'conversation-eval',
  pause: 150,
  settings: {},
};

const require = createRequire(import.meta.url);

/** With the JSON Schema that the package ships. Its limit of 5,000 symbols and folds stays. */
export function yamlLanguageServer(schemaUri: string): Subject {
  return {
    name: `yaml-language-server ${require('yaml-language-server/package.json').version}`,
    args: [require.resolve('yaml-language-server/bin/yaml-language-server'), '--stdio'],
    languageId: 'yaml',
    // `validationDelayMs` in its yamlSettings.js.
    pause: 200,
    settings: {
      yaml: {
        schemas: { [schemaUri]: ['*.eval.yaml'] },
        schemaStore: { enable: false },
        kubernetesCRDStore: { enable: false },
        validate: true,
        hover: true,
        completion: true,
        format: { enable: true },
      },
    },
  };
}

/** The schema as the package ships it, to be written beside the files that are measured. */
export function schemaText(): string {
  return JSON.stringify(evalJsonSchema());
}
