import { afterDrawing } from './redraw.ts';

/** A turn or a verdict, which may not be mounted yet. */
export interface Stop {
  readonly name: string;
  /** `verdict` if the stop can be labeled. */
  readonly kind: 'turn' | 'verdict' | 'other';
  /** Whether it is a turn that failed or couldn't be judged, or a failed verdict that isn't about a turn. */
  readonly failure: boolean;
  /** Adds the element to the page. */
  readonly mount: () => HTMLElement;
}

/** Moves through turns, verdicts, and failures, wrapping around. */
export class TurnNavigator {
  readonly #root: HTMLElement;
  readonly #stops: () => readonly Stop[];
  readonly #onMove: () => void;
  /** The last focused turn or verdict. */
  #current: string | undefined;

  /** @param stops in page order */
  constructor(root: HTMLElement, stops: () => readonly Stop[], onMove: () => void) {
    this.#root = root;
    this.#stops = stops;
    this.#onMove = onMove;
    root.addEventListener('focusin', ({ target }) => {
      const place = target instanceof Element ? target.closest<HTMLElement>(STOP_SELECTOR) : null;
      if (!place) return;
      this.#current = place.dataset.focus;
      this.#onMove();
    });
  }

  /** Must be called before another conversation is shown. */
  reset(): void {
    if (this.#root.contains(document.activeElement)) {
      (document.activeElement as HTMLElement).blur();
    }
    this.#current = undefined;
  }

  toTurn(step: 1 | -1): void {
    this.#move(step, ({ kind }) => kind === 'turn');
  }

  toVerdict(step: 1 | -1): void {
    this.#move(step, ({ kind }) => kind === 'verdict');
  }

  toFailure(step: 1 | -1): void {
    this.#move(step, ({ failure }) => failure);
  }

  /** The number of failures, and the number of the current one, from 1. */
  failures(): { readonly count: number; readonly at: number | undefined } {
    const all = this.#stops().filter(({ failure }) => failure);
    const at = all.findIndex(({ name }) => name === this.#current);
    return { count: all.length, at: at < 0 ? undefined : at + 1 };
  }

  go({ mount }: Pick<Stop, 'mount'>): void {
    const element = mount();
    element.focus({ preventScroll: true });
    afterDrawing(() => scrollTo(element));
  }

  #move(step: 1 | -1, wanted: (stop: Stop) => boolean): void {
    const stops = this.#stops();
    const here = stops.findIndex(({ name }) => name === this.#current);
    const before = stops.slice(0, Math.max(0, here)).filter(wanted);
    const behind = stops.slice(here + 1).filter(wanted);
    const around = here >= 0 ? stops.filter(wanted) : behind;
    const next = step === 1 ? (behind[0] ?? around[0]) : (before.at(-1) ?? around.at(-1));
    if (next) this.go(next);
  }
}

/** Turns and verdicts on the page. */
export const STOPS_ON_PAGE = '.turns, .turn, .assertion > summary';

const STOP_SELECTOR = `${STOPS_ON_PAGE}, .rationale[data-focus]`;

/** Scrolls to an element. If it is taller than the view, scrolls to its start. */
function scrollTo(element: HTMLElement): void {
  const fits = element.getBoundingClientRect().height < window.innerHeight * 0.7;
  element.scrollIntoView({ block: fits ? 'center' : 'start' });
}

/** The number of the turn that contains an element. */
export function turnAt(target: Element | null): number | undefined {
  const turn = target?.closest<HTMLElement>('.turn')?.dataset.turn;
  return turn === undefined ? undefined : Number(turn);
}
