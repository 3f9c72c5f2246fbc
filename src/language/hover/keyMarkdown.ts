import type * as z from 'zod';
import { docsMarkdown } from '../../assertions/docs.ts';
import { findAssertionType } from '../../assertions/registry.ts';
import { type Path, valueAt } from '../../core/data/data.ts';
import { contains, type Position, type Range } from '../../core/problem.ts';
import { paragraphs } from '../../core/text/markdown.ts';
import { evalFileSchema } from '../../evalfile/schema.ts';
import { defaultOf, defaultText, type KeyInfo, keysAt, valuesAt } from '../../schema/schemaWalk.ts';
import type { YamlDocument } from '../../yaml/yamlDocument.ts';

export interface HoverPart {
  readonly markdown: string;
  readonly range: Range;
}

const MAX_VALUES = 12;

export function documentation(
  yaml: YamlDocument,
  position: Position,
  schema: z.ZodType = evalFileSchema,
): HoverPart | undefined {
  const { path, onKey } = yaml.pathAt(position);
  const last = path.at(-1);
  if (typeof last !== 'string') return undefined;
  if (onKey) {
    const key = keysAt(schema, yaml.value, path.slice(0, -1)).find(({ name }) => name === last);
    const markdown = key && keyMarkdown(key, schema, yaml.value, path);
    return markdown === undefined ? undefined : { markdown, range: yaml.keyRangeOf(path) };
  }
  const range = yaml.rangeOf(path);
  const value = valueAt(yaml.value, path);
  if (!contains(range, position) || typeof value !== 'string') return undefined;
  const type = last === 'type' ? findAssertionType(value) : undefined;
  const known = valuesAt(schema, yaml.value, path).find((one) => one.value === value);
  const text = type ? `${type.summary}\n\n${docsMarkdown(type)}` : known?.documentation;
  return text === undefined ? undefined : { markdown: `**${value}** — ${text}`, range };
}

function keyMarkdown(
  { name, required, documentation: text, schema }: KeyInfo,
  format: z.ZodType,
  root: unknown,
  path: Path,
): string {
  const values = valuesAt(format, root, path).map(({ value }) => `\`${value}\``);
  const shown = values.slice(0, MAX_VALUES).join(', ');
  const more = values.length > MAX_VALUES ? `, … (${values.length} in total)` : '';
  const type = findAssertionType(valueAt(root, [...path.slice(0, -1), 'type']));
  return paragraphs(
    `**${name}**${required ? ' _(required)_' : ''}`,
    text,
    defaultText(name === 'threshold' ? type?.defaultThreshold : defaultOf(schema)),
    values.length > 1 ? `Values: ${shown}${more}` : undefined,
  );
}
