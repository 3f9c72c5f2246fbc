// A check of your own: an address without its house number is of no use to somebody on the way.

const ADDRESS = /\b(\p{Lu}\p{L}+ (?:Street|Lane|Road))(?: (\d+))?/u;

/**
 * A score for each turn of the assistant that names an address.
 *
 * @type {import('turnlight').Script}
 */
const houseNumbers = ({ conversation }) => {
  const turns = conversation.turns.flatMap(({ number, side, text }) => {
    const address = side === 'assistant' ? ADDRESS.exec(text) : null;
    if (!address) return [];
    const [evidence, street, house] = address;
    const rationale = house ? `names the house ${house}` : `names ${street} without a house number`;
    return [{ turn: number, score: house ? 1 : 0, rationale, evidence }];
  });
  return turns.length === 0 ? { skipped: 'No address is named.' } : { turns };
};

export default houseNumbers;
