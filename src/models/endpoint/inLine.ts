import { askedWait } from './headers.ts';
import { type Asking, type Line, type Place, standingStill } from './line.ts';

/** A request that was refused so often is refused for another reason than its haste. */
const REFUSALS = 10;

/** What came of one attempt. */
export interface Received {
  readonly status: number;
  readonly headers: Headers;
  /** Whether a refusal is one for good, whenever it is asked again. */
  readonly isFinal?: boolean;
}

/** The last attempt. Its place is the caller's to leave. */
export interface Served<Answer> {
  readonly answer: Answer;
  readonly place: Place;
  /** Milliseconds that the endpoint asked to wait, where the time limit does not allow it. */
  readonly refusedWait?: number;
}

/**
 * Sends a request when it is its turn. A refused one (429) goes back to the head of the line, for as long as
 * that may help.
 *
 * @param send one attempt
 * @throws EndpointDown, LeftAlone, and what `send` throws; the signal's reason when aborted
 */
export async function inLine<Answer extends Received>(
  line: Line,
  asking: Asking,
  send: () => Promise<Answer>,
): Promise<Served<Answer>> {
  for (let refusals = 0; ; refusals += 1) {
    const entered = line.enter(asking, refusals > 0);
    // Awaiting what is there already would cost a turn of the loop.
    const place = entered instanceof Promise ? await entered : entered;
    const { shared } = line;
    let answer: Answer;
    try {
      const taken = shared && (await line.take(shared, asking));
      answer = await send();
      if (taken) {
        const { status, headers } = answer;
        // The answer is there, even if the others cannot be told.
        const told = () => shared.heard(taken, status, headers).catch(() => {});
        await standingStill(asking, told);
      }
    } catch (error) {
      place.leave();
      throw error;
    }
    const { status, headers } = answer;
    place.heard(status, headers);
    line.answered(status < 500 && status !== 429);
    const asked = askedWait(headers);
    if (asked !== undefined && asked > asking.limit.left)
      return { answer, place, refusedWait: asked };
    if (status !== 429 || answer.isFinal || refusals + 1 >= REFUSALS) return { answer, place };
    place.leave();
  }
}
