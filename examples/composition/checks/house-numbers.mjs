// A check of your own: addresses must be repeated with their house number, or nobody finds them.

const ADDRESS = /\b(\p{Lu}\p{L}+ (?:Street|Lane|Road))(?: (\d+))?/u;

/** @returns a score for each turn of the assistant that names an address */
export default function check({ conversation }) {
  const turns = conversation.turns.flatMap(({ number, side, text }) => {
    const [found, street, house] = (side === 'assistant' && text.match(ADDRESS)) || [];
    if (!found) return [];
    const rationale = house ? `names the house ${house}` : `names ${street} without a house number`;
    return [{ turn: number, score: house ? 1 : 0, rationale, evidence: found }];
  });
  return turns.length === 0 ? { skipped: 'No address is named.' } : { turns };
}
