/** A rule of a TextMate grammar, as far as ours need them. */
export interface Rule {
  readonly name?: string;
  readonly contentName?: string;
  readonly match?: string;
  readonly begin?: string;
  readonly end?: string;
  readonly while?: string;
  readonly include?: string;
  readonly captures?: Captures;
  readonly beginCaptures?: Captures;
  readonly endCaptures?: Captures;
  readonly patterns?: readonly Rule[];
}

export type Captures = Readonly<Record<string, { name?: string; patterns?: readonly Rule[] }>>;

/** Names the captures of a pattern in order; undefined leaves one without. */
export function captures(...names: readonly (string | readonly Rule[] | undefined)[]): Captures {
  return Object.fromEntries(
    names.flatMap((given, index) => {
      if (given === undefined) return [];
      return [
        [String(index + 1), typeof given === 'string' ? { name: given } : { patterns: given }],
      ];
    }),
  );
}

export const KEY = 'entity.name.tag.yaml';
export const COLON = 'punctuation.separator.key-value.mapping.yaml';

/** `{{ name }}` with any of the names that a pattern knows. */
export function variable(name: string): Rule {
  return {
    name: 'meta.template.conversation-eval',
    match: `(\\{\\{)\\s*(${name})\\s*(\\}\\})`,
    captures: captures(
      'punctuation.definition.template.begin.conversation-eval',
      'variable.parameter.template.conversation-eval',
      'punctuation.definition.template.end.conversation-eval',
    ),
  };
}
