import { join } from 'node:path';
import { type Missing, scriptOf } from './npmTool.ts';

export const PROMPTFOO = '0.123.1';

export function promptfooScript(): Promise<string | Missing> {
  return scriptOf('promptfoo', PROMPTFOO);
}

/** Environment that gives promptfoo its own folder and disables telemetry. */
export function promptfooEnv(folder: string): Record<string, string> {
  return {
    HOME: folder,
    PROMPTFOO_CONFIG_DIR: join(folder, 'promptfoo'),
    PROMPTFOO_DISABLE_TELEMETRY: '1',
    PROMPTFOO_DISABLE_UPDATE: '1',
  };
}
