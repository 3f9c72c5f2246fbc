import { afterDrawing } from './scrollPosition.ts';

/** A turn or a verdict, which may not be on the page yet. */
export interface Stop {
  /** Its `data-focus`. */
  readonly name: string;
  readonly turn: boolean;
  /** A verdict that can be labelled. */
  readonly verdict: boolean;
  /** A turn that fails or could not be judged, or a verdict that does so about no turn. */
  readonly failure: boolean;
  /** Puts it on the page. */
  readonly bring: () => HTMLElement;
}

/** Goes from turn to turn and from failure to failure, round and round. */
export class TurnNavigator {
  readonly #root: HTMLElement;
  readonly #stops: () => readonly Stop[];
  readonly #onMove: () => void;
  /** The turn or verdict where a person was last. */
  #here: string | undefined;

  /** @param stops in the order of the page */
  constructor(root: HTMLElement, stops: () => readonly Stop[], onMove: () => void) {
    this.#root = root;
    this.#stops = stops;
    this.#onMove = onMove;
    root.addEventListener('focusin', ({ target }) => {
      const place = target instanceof Element ? target.closest<HTMLElement>(STOPS) : null;
      if (!place) return;
      this.#here = place.dataset.focus;
      this.#onMove();
    });
  }

  /** For when another conversation is shown: it begins at its top. */
  reset(): void {
    if (this.#root.contains(document.activeElement)) {
      (document.activeElement as HTMLElement).blur();
    }
    this.#here = undefined;
  }

  toTurn(step: 1 | -1): void {
    this.#move(step, ({ turn }) => turn);
  }

  toVerdict(step: 1 | -1): void {
    this.#move(step, ({ verdict }) => verdict);
  }

  toFailure(step: 1 | -1): void {
    this.#move(step, ({ failure }) => failure);
  }

  /** How many failures there are, and which of them is looked at, from 1. */
  failures(): { readonly count: number; readonly at: number | undefined } {
    const all = this.#stops().filter(({ failure }) => failure);
    const at = all.findIndex(({ name }) => name === this.#here);
    return { count: all.length, at: at < 0 ? undefined : at + 1 };
  }

  /** Moves the focus to a stop and scrolls there. */
  go({ bring }: Pick<Stop, 'bring'>): void {
    const element = bring();
    element.focus({ preventScroll: true });
    afterDrawing(() => scrollTo(element));
  }

  #move(step: 1 | -1, wanted: (stop: Stop) => boolean): void {
    const stops = this.#stops();
    const here = stops.findIndex(({ name }) => name === this.#here);
    const before = stops.slice(0, Math.max(0, here)).filter(wanted);
    const behind = stops.slice(here + 1).filter(wanted);
    const around = here >= 0 ? stops.filter(wanted) : behind;
    const next = step === 1 ? (behind[0] ?? around[0]) : (before.at(-1) ?? around.at(-1));
    if (next) this.go(next);
  }
}

/** Turns and verdicts on the page. */
export const PLACES = '.turns, .turn, .assertion > summary';

const STOPS = `${PLACES}, .rationale[data-focus]`;

/** What is higher than the view is shown from its beginning. */
function scrollTo(element: HTMLElement): void {
  const fits = element.getBoundingClientRect().height < window.innerHeight * 0.7;
  element.scrollIntoView({ block: fits ? 'center' : 'start' });
}
