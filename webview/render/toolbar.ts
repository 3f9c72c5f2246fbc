import { counted } from '../../src/core/text/format.ts';
import { isRunning } from '../../src/protocol/viewPage.ts';
import type { Snapshot } from '../../src/protocol/viewProtocol.ts';
import { h } from '../h.ts';
import { FIND_KEY, type KeyHelp, renderKeys } from '../keyboard.ts';
import type { ElementCache } from '../redraw.ts';
import type { TurnNavigator } from '../turnNavigator.ts';
import { button, cachedDropdown } from '../ui/controls.ts';

export interface Shown {
  readonly filter: 'all' | 'failing';
  /** Whether Markdown is rendered; if false, its source is shown. */
  readonly rendered: boolean;
}

export interface ToolbarActions {
  readonly onShow: (shown: Shown) => void;
  /** Absent if nothing can run. */
  readonly onRun?: () => void;
  readonly onCancel?: () => void;
  /** Absent if there is nothing to save. */
  readonly onSave?: () => void;
  readonly onFind: () => void;
  readonly onRepetition: (repetition: number) => void;
  readonly onFailingCase: (step: 1 | -1) => void;
  readonly help: KeyHelp;
}

/**
 * The buttons and menus. Recreates only the parts that changed, so that an open menu stays open when the run ends.
 *
 * @param failures the control that steps through failures
 */
export function toolbarParts(
  { phase, state, repetitions, failing, compared, received }: Snapshot,
  shown: Shown,
  failures: HTMLElement,
  { onShow, onRun, onCancel, onSave, onFind, onRepetition, onFailingCase, help }: ToolbarActions,
  cache: ElementCache,
): HTMLElement[] {
  const running = isRunning(phase);
  const onClick = running ? onCancel : onRun;
  const run =
    onClick &&
    cache.get('run', [running, received], () => {
      const label = received ? 'Judge' : 'Run';
      return button({ label: running ? 'Cancel' : label, primary: !running, onClick });
    });
  const save =
    onSave && cache.get('save', phase, () => button({ label: 'Save as case', onClick: onSave }));
  const filter = cachedDropdown<Shown['filter']>(
    cache,
    {
      label: 'Turns shown',
      options: [
        { value: 'all', label: 'All turns' },
        { value: 'failing', label: compared ? 'Changed or failing turns' : 'Failing turns' },
      ],
      value: shown.filter,
      onChange: (value) => onShow({ ...shown, filter: value }),
    },
    shown,
  );
  const text = cachedDropdown(
    cache,
    {
      label: 'Text',
      options: [
        { value: true, label: 'Rendered' },
        { value: false, label: 'Source' },
      ],
      value: shown.rendered,
      onChange: (rendered) => onShow({ ...shown, rendered }),
    },
    shown,
  );
  const repetition = () => {
    const options = Array.from({ length: repetitions }, (_, index) => ({
      value: index + 1,
      label: `${index + 1} of ${repetitions}`,
    }));
    const given = { options, value: state.repetition, onChange: onRepetition };
    return cachedDropdown(cache, { label: 'Repetition', ...given }, repetitions);
  };
  const find = cache.get('find', FIND_KEY, () =>
    button({ label: 'Find', key: FIND_KEY, onClick: onFind }),
  );
  const keys = cache.get('keys', FIND_KEY, () => renderKeys(help));
  const what = compared ? 'changed case' : 'failing case';
  const found = compared?.changed ?? failing;
  const cases =
    found && cache.get('cases', [what, found], () => otherCases(what, found, onFailingCase));
  const parts = [
    run,
    save,
    failures,
    cases,
    filter,
    text,
    repetitions > 1 ? repetition() : undefined,
    find,
    keys,
  ];
  return parts.filter((part) => part !== undefined);
}

/** `↑ 2 of 5 ↓`: steps through failures. */
export function failuresControl(onStep: (step: 1 | -1) => void) {
  const position = h('span', { class: 'position', 'aria-live': 'polite' });
  const steps = [
    button({ label: 'Previous failure', sign: '↑', key: 'p', onClick: () => onStep(-1) }),
    button({ label: 'Next failure', sign: '↓', key: 'n', onClick: () => onStep(1) }),
  ] as const;
  const [previous, next] = steps;
  return {
    element: h('div', { class: 'failures' }, previous, position, next),
    /** @param at number of the current failure, from 1 @param isJudged whether no verdict is missing */
    show({ count, at }: ReturnType<TurnNavigator['failures']>, isJudged: boolean): void {
      const none = isJudged ? 'No failures' : '–';
      const words = count === 0 ? none : counted(count, 'failure');
      const text = at === undefined ? words : `${at} of ${count}`;
      if (position.textContent !== text) position.textContent = text;
      for (const step of steps) step.toggleAttribute('disabled', count === 0);
    },
  };
}

/** `⇤ failing case 2 of 5 ⇥`: steps through the failing cases of a run, or the changed cases of two runs. */
function otherCases(
  what: 'failing case' | 'changed case',
  { count, at }: NonNullable<Snapshot['failing']>,
  onStep: (step: 1 | -1) => void,
): HTMLElement {
  const words = at === undefined ? counted(count, what) : `${what} ${at} of ${count}`;
  const step = (label: string, sign: string, key: string, by: 1 | -1) =>
    button({ label, sign, key, onClick: () => onStep(by) });
  return h(
    'div',
    { class: 'failures' },
    step(`Previous ${what}`, '⇤', 'Shift+P', -1),
    h('span', { class: 'position' }, words),
    step(`Next ${what}`, '⇥', 'Shift+N', 1),
  );
}
