// A check of your own with options, in TypeScript: replies that are read aloud must be short.
import type { Script } from 'turnlight';

export const shortReplies: Script = ({ conversation, options }) => {
  const most = Number(options.most_words ?? 40);
  const turns = conversation.turns
    .filter(({ side }) => side === 'assistant')
    .map(({ number, text }) => {
      const words = text.split(/\s+/).length;
      return { turn: number, score: words <= most ? 1 : 0, rationale: `has ${words} words` };
    });
  return { turns, details: { most_words: most } };
};
