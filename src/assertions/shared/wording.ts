/** What several questions say in the same words. */

/** How finely a user's wishes are told apart; follows what they are called. */
export const ONE_BY_ONE = `Things that could be delivered separately are separate. Details that come later belong to what they
complete; extending something already delivered is a new one; asking again adds none. What the user takes back or replaces does
not count, nor do greetings and thanks.`;

/** What is delivered, and what is not; follows what else counts. */
export const DELIVERED = `A short answer is enough if it is right. An answer that is wrong, contradicts itself, or restates the
question delivers nothing, and neither does a promise. Details that nobody asked for leave a gap in what they accompany if they
are wrong or unsupported: that is no small flaw.`;

/** What a claim is, and when it does not hold. */
export const CLAIMS = `A claim is a statement that could be true or false on its own; an added detail ("tomorrow, before noon") is a
claim of its own, and repeating one within a turn adds none. Advice and figures are claims. Greetings, offers, questions, "I have
no information", and stock caveats ("consult a professional") are not. A claim that overstates does not hold, also if it drops a
"may" or a condition on whom or when it is true for. A plain inference holds, and so does a shorter wording that claims no more, or
a true statement that something is not in the context. Context about another case supports nothing.`;

/** How arguments are counted, and which turns should have called; follows `selection`. */
export const CALL_SCALES = `\`arguments\`: null if it calls nothing, else three counts over the arguments of its calls, without those of
  needless calls: how many are \`given\`; how many of these are \`right\`, by what the user had said and what earlier results
  show (an invented value is not); and how many needed ones are \`missing\`.
A wrong argument counts only there, and correcting it is not a missing call. A turn that should have retried or followed up, and
did not, is one that should have called.`;
