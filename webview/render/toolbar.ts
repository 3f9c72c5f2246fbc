import { counted } from '../../src/core/text/format.ts';
import { isRunning } from '../../src/protocol/viewPage.ts';
import type { Snapshot } from '../../src/protocol/viewProtocol.ts';
import type { ElementCache } from '../elementCache.ts';
import { h } from '../h.ts';
import { FIND_KEY, type KeyHelp, renderKeys } from '../keyboard.ts';
import { button, keptDropdown } from '../ui/controls.ts';

export type Filter = 'all' | 'failing';

export interface Shown {
  readonly filter: Filter;
  /** False shows the source of what was said. */
  readonly rendered: boolean;
}

export interface ToolbarActions {
  readonly onShow: (shown: Shown) => void;
  /** Absent where nothing can run. */
  readonly onRun?: () => void;
  readonly onCancel?: () => void;
  /** Absent where there is nothing to save. */
  readonly onSave?: () => void;
  readonly onFind: () => void;
  readonly onRepetition: (repetition: number) => void;
  readonly onFailingCase: (step: 1 | -1) => void;
  readonly help: KeyHelp;
}

type Run = Pick<Snapshot, 'phase' | 'repetitions' | 'failing' | 'compared'> &
  Pick<Snapshot['state'], 'repetition'>;

/**
 * What a person can do; it stays in view. Only what looks different is made anew: a menu that a
 * person has open stays open when the run ends.
 *
 * @param failures leads from failure to failure
 */
export function toolbarParts(
  { phase, repetition, repetitions, failing, compared }: Run,
  shown: Shown,
  failures: HTMLElement,
  { onShow, onRun, onCancel, onSave, onFind, onRepetition, onFailingCase, help }: ToolbarActions,
  cache: ElementCache,
): HTMLElement[] {
  const running = isRunning(phase);
  const onClick = running ? onCancel : onRun;
  const run =
    onClick &&
    cache.get('run', running, () =>
      button({ label: running ? 'Cancel' : 'Run', primary: !running, onClick }),
    );
  const save =
    onSave && cache.get('save', phase, () => button({ label: 'Save as case', onClick: onSave }));
  const filter = keptDropdown<Filter>(
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
  const text = keptDropdown(
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
  const options = Array.from({ length: repetitions }, (_, index) => ({
    value: index + 1,
    label: `${index + 1} of ${repetitions}`,
  }));
  const chosen = () =>
    keptDropdown(
      cache,
      { label: 'Repetition', options, value: repetition, onChange: onRepetition },
      repetitions,
    );
  const find = cache.get('find', FIND_KEY, () =>
    button({ label: 'Find', key: FIND_KEY, onClick: onFind }),
  );
  const keys = cache.get('keys', FIND_KEY, () => renderKeys(help));
  const cases =
    failing &&
    cache.get('failing cases', failing, () => otherCases('failing case', failing, onFailingCase));
  const changed =
    compared &&
    cache.get('changed cases', compared.changed, () =>
      otherCases('changed case', compared.changed, onFailingCase),
    );
  const parts = [
    run,
    save,
    failures,
    cases,
    changed,
    filter,
    text,
    repetitions > 1 ? chosen() : undefined,
    find,
    keys,
  ];
  return parts.filter((part) => part !== undefined);
}

export interface FailuresControl {
  readonly element: HTMLElement;
  /** @param at which of them is looked at, from 1 */
  show(found: { readonly count: number; readonly at: number | undefined }): void;
}

/** `↑ 2 of 5 ↓`: leads from failure to failure. */
export function failuresControl(onStep: (step: 1 | -1) => void): FailuresControl {
  const position = h('span', { class: 'position', 'aria-live': 'polite' });
  const steps = [
    button({ label: 'Previous failure', sign: '↑', key: 'p', onClick: () => onStep(-1) }),
    button({ label: 'Next failure', sign: '↓', key: 'n', onClick: () => onStep(1) }),
  ] as const;
  const [previous, next] = steps;
  return {
    element: h('div', { class: 'failures' }, previous, position, next),
    show({ count, at }) {
      const words = count === 0 ? 'No failures' : counted(count, 'failure');
      const text = at === undefined ? words : `${at} of ${count}`;
      if (position.textContent !== text) position.textContent = text;
      for (const step of steps) step.toggleAttribute('disabled', count === 0);
    },
  };
}

/** `⇤ failing case 2 of 5 ⇥`: leads to the other cases of the run that failed, or of two runs that changed. */
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
