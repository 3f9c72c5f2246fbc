import { SECTION, type SETTINGS } from '../../protocol/names.ts';

/**
 * A setting's whole number of at least 1; otherwise, the default. VS Code doesn't check the values in settings.json.
 *
 * @param report reports a problem
 */
export function countSetting(
  name: (typeof SETTINGS)[keyof typeof SETTINGS],
  value: unknown,
  byDefault: number,
  report: (problem: string) => void,
): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
  report(
    `The setting "${SECTION}.${name}" is not a whole number of at least 1. The default, ${byDefault}, is used.`,
  );
  return byDefault;
}
