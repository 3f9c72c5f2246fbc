/** j/k or the arrows go from turn to turn, n/p from failing turn to failing turn. */
export function listenForKeys(root: HTMLElement): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isControl(event.target)) return;
    const inTurn = event.target instanceof HTMLElement && event.target.matches('.turn');
    const arrow = inTurn ? event.key : '';
    if (event.key === 'j' || arrow === 'ArrowDown') move(root, 1, '.turn');
    else if (event.key === 'k' || arrow === 'ArrowUp') move(root, -1, '.turn');
    else if (event.key === 'n') move(root, 1, FAILING);
    else if (event.key === 'p') move(root, -1, FAILING);
    else return;
    event.preventDefault();
  });
}

const FAILING = '.turn[data-status="fail"]';

export function nextFailure(root: HTMLElement): void {
  move(root, 1, FAILING);
}

export function focusTurn(turn: HTMLElement): void {
  turn.focus({ preventScroll: true });
  turn.scrollIntoView({ block: 'center' });
}

/** Round and round: after the last comes the first. */
function move(root: HTMLElement, step: 1 | -1, selector: string): void {
  const turns = [...root.querySelectorAll<HTMLElement>(selector)];
  if (turns.length === 0) return;
  const here = document.activeElement?.closest<HTMLElement>('.turn');
  const all = [...root.querySelectorAll<HTMLElement>('.turn')];
  const place = here ? all.indexOf(here) : -1;
  const after = (turn: HTMLElement) => all.indexOf(turn) - place;
  const next =
    step === 1
      ? (turns.find((turn) => place >= 0 && after(turn) > 0) ?? turns[0])
      : (turns.findLast((turn) => place >= 0 && after(turn) < 0) ?? turns.at(-1));
  if (next) focusTurn(next);
}

function isControl(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.matches('input, textarea, select, turnlight-dropdown, turnlight-option')
  );
}
