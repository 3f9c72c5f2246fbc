import manifest from '../../package.json' with { type: 'json' };
import { table } from './table.ts';

interface Setting {
  readonly markdownDescription: string;
  readonly default: unknown;
  readonly enum?: readonly string[];
  readonly enumDescriptions?: readonly string[];
}

/** A table of the extension's settings. */
export function settings(): string {
  const all: Readonly<Record<string, Setting>> = manifest.contributes.configuration.properties;
  const rows = Object.entries(all).map(([key, setting]) => [
    `\`${key}\``,
    [setting.markdownDescription, ...choices(setting)].join(' '),
    setting.default === '' || setting.default === null ? '' : `\`${setting.default}\``,
  ]);
  return table(['setting', 'meaning', 'default'], rows);
}

function choices({ enum: values = [], enumDescriptions = [] }: Setting): string[] {
  return values.map((value, at) => {
    const said = enumDescriptions[at];
    return said ? `\`${value}\`: ${said}` : `\`${value}\`${at === values.length - 1 ? '.' : ','}`;
  });
}
