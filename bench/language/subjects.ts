import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { evalJsonSchema } from '../../src/evalfile/schema.ts';

const CHECKOUT = resolve(import.meta.dirname, '../..');

/** A language server to measure, and its configuration for eval files. */
export interface Subject {
  readonly name: string;
  /** Arguments for Node. */
  readonly args: readonly string[];
  readonly languageId: string;
  /** Milliseconds that it waits after a key press before it checks. This isn't work. */
  readonly pause: number;
  /** Settings by section, as the server requests them. */
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

/**
 * yaml-language-server with the JSON Schema that the package ships. Its limit of 5,000 symbols and folding ranges isn't
 * changed.
 */
export function yamlLanguageServer(schemaUri: string): Subject {
  return {
    name: `yaml-language-server ${require('yaml-language-server/package.json').version}`,
    args: [require.resolve('yaml-language-server/bin/yaml-language-server'), '--stdio'],
    languageId: 'yaml',
    // The default of `validationDelayMs` in yamlSettings.js.
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

/** The schema that the package ships. The bench writes it next to the measured files. */
export function schemaText(): string {
  return JSON.stringify(evalJsonSchema());
}
