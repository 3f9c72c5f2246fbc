export interface KeyActions {
  /** The keys are of what is under it, while that is shown. */
  readonly root: HTMLElement;
  readonly toTurn: (step: 1 | -1) => void;
  readonly toFailure: (step: 1 | -1) => void;
  readonly toFailingCase: (step: 1 | -1) => void;
  readonly toVerdict: (step: 1 | -1) => void;
  /** Whether the key labels what it was pressed on. */
  readonly label: (key: string, at: Element | null) => boolean;
  readonly find: () => void;
}

/**
 * j and k or the arrows go from turn to turn, n and p from failure to failure, with Shift from failing case to
 * failing case, v from verdict to verdict, Ctrl+F finds; r, w, Delete and u label.
 */
export function listenForKeys(actions: KeyActions): void {
  const { root, toTurn, toFailure, toFailingCase, toVerdict, label, find } = actions;
  document.addEventListener('keydown', (event) => {
    if (root.hidden) return;
    const { key, target } = event;
    const command = event.ctrlKey || event.metaKey;
    if (command && !event.altKey && !event.shiftKey && key.toLowerCase() === 'f') find();
    else if (command || event.altKey || isControl(target)) return;
    else if (key === 'j' || (key === 'ArrowDown' && isTurn(target))) toTurn(1);
    else if (key === 'k' || (key === 'ArrowUp' && isTurn(target))) toTurn(-1);
    else if (key === 'n') toFailure(1);
    else if (key === 'p') toFailure(-1);
    else if (key === 'N') toFailingCase(1);
    else if (key === 'P') toFailingCase(-1);
    else if (key === 'v') toVerdict(1);
    else if (key === 'V') toVerdict(-1);
    else if (!label(key, target instanceof Element ? target : null)) return;
    event.preventDefault();
  });
}

function isTurn(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('.turn, .turns');
}

function isControl(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.matches('input, textarea, select, turnlight-dropdown, turnlight-option')
  );
}
