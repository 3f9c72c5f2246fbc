import { afterDrawing } from './steady.ts';

const TURNS = '.turn';

/** Turns that fail or could not be judged, and verdicts that do so about no turn. */
const FAILURES = [
  '.assertion[data-failure] > summary',
  '.turn[data-status="fail"]',
  '.turn[data-status="error"]',
].join(', ');

/** Goes from turn to turn and from failure to failure, round and round. */
export class Walk {
  readonly #root: HTMLElement;
  readonly #onMove: () => void;
  /** The `data-focus` of the turn or verdict where a person was last. */
  #here: string | undefined;

  constructor(root: HTMLElement, onMove: () => void) {
    this.#root = root;
    this.#onMove = onMove;
    root.addEventListener('focusin', ({ target }) => {
      const place = target instanceof Element ? target.closest<HTMLElement>(PLACES) : null;
      if (place) this.#arrive(place);
    });
  }

  /** Another conversation is shown: one begins at its top. */
  forget(): void {
    if (this.#root.contains(document.activeElement)) {
      (document.activeElement as HTMLElement).blur();
    }
    this.#here = undefined;
  }

  /** Turns and verdicts, in the order of the page. */
  places(): HTMLElement[] {
    return this.#all(PLACES);
  }

  toTurn(step: 1 | -1): void {
    this.#move(step, TURNS);
  }

  toFailure(step: 1 | -1): void {
    this.#move(step, FAILURES);
  }

  /** How many failures there are, and which of them is looked at, from 1. */
  failures(): { readonly count: number; readonly at: number | undefined } {
    const all = this.#all(FAILURES);
    const at = all.findIndex((one) => one.dataset.focus === this.#here);
    return { count: all.length, at: at < 0 ? undefined : at + 1 };
  }

  /** Moves the focus to an element of the page and scrolls there. */
  go(element: HTMLElement): void {
    element.focus({ preventScroll: true });
    afterDrawing(() => scrollTo(element));
  }

  #arrive(place: HTMLElement): void {
    this.#here = place.dataset.focus;
    this.#onMove();
  }

  #all(selector: string): HTMLElement[] {
    return [...this.#root.querySelectorAll<HTMLElement>(selector)];
  }

  #move(step: 1 | -1, selector: string): void {
    const all = this.#all(selector);
    const here = this.places().find((place) => place.dataset.focus === this.#here);
    const next =
      step === 1
        ? (all.find((one) => here && isBefore(here, one)) ?? all[0])
        : (all.findLast((one) => here && isBefore(one, here)) ?? all.at(-1));
    if (next) this.go(next);
  }
}

const PLACES = '.turn, .assertion > summary';

function isBefore(one: Element, other: Element): boolean {
  return (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}

/** What is higher than the view is shown from its beginning. */
function scrollTo(element: HTMLElement): void {
  const fits = element.getBoundingClientRect().height < window.innerHeight * 0.7;
  element.scrollIntoView({ block: fits ? 'center' : 'start' });
}
