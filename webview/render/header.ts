import { costText, counted, durationText } from '../../src/core/presentation/amounts.ts';
import { ORIGIN_WORDS, STOP_WORDS } from '../../src/core/presentation/conversation.ts';
import { caseScoreText, thresholdText } from '../../src/core/presentation/score.ts';
import type { Snapshot } from '../../src/protocol/viewProtocol.ts';
import { h } from '../h.ts';
import { button, dropdown } from '../ui/controls.ts';
import { badge } from './status.ts';

export type Filter = 'all' | 'failing';

export interface HeaderActions {
  readonly filter: Filter;
  readonly rendered: boolean;
  readonly onFilter: (filter: Filter) => void;
  readonly onRendered: (rendered: boolean) => void;
  readonly onRun: () => void;
  readonly onCancel: () => void;
  readonly onNextFailure: () => void;
  readonly onRepetition: (repetition: number) => void;
}

export function renderHeader(snapshot: Snapshot, actions: HeaderActions): HTMLElement {
  const { state, suiteName, description, phase, status, threshold, stale, reason } = snapshot;
  const busy = phase === 'running' || phase === 'queued';
  return h(
    'header',
    { class: 'top' },
    h('div', { class: 'suite muted' }, suiteName),
    h(
      'div',
      { class: 'title' },
      h('h1', {}, state.id),
      status && badge(status, caseScoreText(snapshot)),
      threshold !== undefined &&
        h('span', { class: 'muted' }, `threshold ${thresholdText({ threshold })}`),
      busy && h('span', { class: 'busy' }, phase === 'queued' ? 'queued …' : 'running …'),
    ),
    description !== undefined && h('p', { class: 'description' }, description),
    h('div', { class: 'muted facts' }, factsOf(snapshot).join(' · ')),
    stale && h('p', { class: 'notice' }, '⚠ The case has changed since this run.'),
    reason !== undefined && h('p', { class: 'notice' }, reason),
    toolbar(snapshot, busy, actions),
  );
}

function factsOf({ origin, stopReason, usage, duration, finished }: Snapshot): string[] {
  const tokens = (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0);
  return [
    ...(origin ? [ORIGIN_WORDS[origin]] : []),
    ...(stopReason ? [STOP_WORDS[stopReason]] : []),
    ...(usage && usage.calls > 0 ? [counted(usage.calls, 'request'), `${tokens} tokens`] : []),
    ...(usage && usage.cost !== null ? [`cost ${costText(usage.cost)}`] : []),
    ...(duration === undefined ? [] : [durationText(duration)]),
    ...(finished === undefined ? [] : [new Date(finished).toLocaleString()]),
  ];
}

function toolbar(snapshot: Snapshot, busy: boolean, actions: HeaderActions): HTMLElement {
  const { state, repetitions } = snapshot;
  const numbers = Array.from({ length: repetitions }, (_, index) => String(index + 1));
  return h(
    'div',
    { class: 'toolbar', role: 'toolbar', 'aria-label': 'Conversation' },
    busy
      ? button({ label: 'Cancel', onClick: actions.onCancel })
      : button({ label: 'Run', primary: true, onClick: actions.onRun }),
    button({
      label: 'Next failure',
      title: 'Jump to the next failing turn (n; p for the one before)',
      disabled: !snapshot.verdicts.some(({ turns }) =>
        turns.some((turn) => turn.status === 'fail'),
      ),
      onClick: actions.onNextFailure,
    }),
    dropdown({
      label: 'Turns shown',
      options: [
        { value: 'all', label: 'All turns' },
        { value: 'failing', label: 'Failing turns' },
      ],
      value: actions.filter,
      onChange: (value) => actions.onFilter(value === 'failing' ? 'failing' : 'all'),
    }),
    dropdown({
      label: 'Text',
      options: [
        { value: 'rendered', label: 'Rendered' },
        { value: 'source', label: 'Source' },
      ],
      value: actions.rendered ? 'rendered' : 'source',
      onChange: (value) => actions.onRendered(value === 'rendered'),
    }),
    repetitions > 1 &&
      dropdown({
        label: 'Repetition',
        options: numbers.map((value) => ({ value, label: `${value} of ${repetitions}` })),
        value: String(state.repetition),
        onChange: (value) => actions.onRepetition(Number(value)),
      }),
  );
}
