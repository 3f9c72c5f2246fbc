/** What several questions say in the same words. */

/** How finely the wishes of a user are told apart; stands behind what they are called. */
export const ONE_BY_ONE =
  'Each is one thing that the user wants to have or to know, with its details; asking again adds none. What is taken back or replaced does not count, nor do greetings and thanks.';

/** What a claim is, and when it does not hold. */
export const CLAIMS =
  'Claims are statements of fact about the case or the world that could be borne out, advice and figures included; greetings, offers and questions are none. A claim that overstates even a little does not hold.';

/** How arguments are rated, and which turns should have called; stands after `selection`. */
export const CALL_SCALES = `\`arguments\`, 0 to 1: the share of the needed arguments that are right, by what the user had said and what earlier
  results hold; invented ones are wrong, those of a wrong tool 0; null when it calls nothing.
A retry or follow-up call that was needed and did not come is one that should have been made.`;
