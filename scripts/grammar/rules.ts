/** The parts of a TextMate grammar rule that we use. */
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

/** Names a pattern's captures in order; undefined leaves a capture unnamed. */
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

/** Matches `{{ name }}`, where the name matches a pattern. */
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
