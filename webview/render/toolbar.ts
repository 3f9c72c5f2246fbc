import { isRunning } from '../../src/protocol/running.ts';
import type { Snapshot } from '../../src/protocol/viewProtocol.ts';
import type { Kept } from '../kept.ts';
import { button, dropdown } from '../ui/controls.ts';
import { otherCases } from './failures.ts';
import { FIND_KEY, renderKeys } from './keys.ts';

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
  { onShow, onRun, onCancel, onSave, onFind, onRepetition, onFailingCase }: ToolbarActions,
  kept: Kept,
): HTMLElement[] {
  const running = isRunning(phase);
  const onClick = running ? onCancel : onRun;
  const run =
    onClick &&
    kept.get('run', running, () =>
      button({ label: running ? 'Cancel' : 'Run', primary: !running, onClick }),
    );
  const save =
    onSave && kept.get('save', phase, () => button({ label: 'Save as case', onClick: onSave }));
  const filter = kept.get('turns shown', [shown, compared === undefined], () =>
    dropdown({
      label: 'Turns shown',
      options: [
        { value: 'all', label: 'All turns' },
        { value: 'failing', label: compared ? 'Changed or failing turns' : 'Failing turns' },
      ],
      value: shown.filter,
      onChange: (value) => onShow({ ...shown, filter: value === 'failing' ? 'failing' : 'all' }),
    }),
  );
  const text = kept.get('text', shown, () =>
    dropdown({
      label: 'Text',
      options: [
        { value: 'rendered', label: 'Rendered' },
        { value: 'source', label: 'Source' },
      ],
      value: shown.rendered ? 'rendered' : 'source',
      onChange: (value) => onShow({ ...shown, rendered: value === 'rendered' }),
    }),
  );
  const numbers = Array.from({ length: repetitions }, (_, index) => String(index + 1));
  const chosen = kept.get('repetition', [repetition, repetitions], () =>
    dropdown({
      label: 'Repetition',
      options: numbers.map((value) => ({ value, label: `${value} of ${repetitions}` })),
      value: String(repetition),
      onChange: (value) => onRepetition(Number(value)),
    }),
  );
  const find = kept.get('find', FIND_KEY, () =>
    button({ label: 'Find', key: FIND_KEY, onClick: onFind }),
  );
  const keys = kept.get('keys', FIND_KEY, () => renderKeys());
  const cases =
    failing &&
    kept.get('failing cases', failing, () => otherCases('failing case', failing, onFailingCase));
  const changed =
    compared &&
    kept.get('changed cases', compared.changed, () =>
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
    repetitions > 1 ? chosen : undefined,
    find,
    keys,
  ];
  return parts.filter((part) => part !== undefined);
}
