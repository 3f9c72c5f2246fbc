// A check of your own with options, in TypeScript: replies that are read aloud must be short.

interface Given {
  readonly conversation: {
    readonly turns: readonly {
      readonly number: number;
      readonly side: string;
      readonly text: string;
    }[];
  };
  readonly options: { readonly most_words?: number };
}

export function shortReplies({ conversation, options }: Given) {
  const most = options.most_words ?? 40;
  const turns = conversation.turns
    .filter(({ side }) => side === 'assistant')
    .map(({ number, text }) => {
      const words = text.split(/\s+/).length;
      return { turn: number, score: words <= most ? 1 : 0, rationale: `has ${words} words` };
    });
  return { turns, details: { most_words: most } };
}
