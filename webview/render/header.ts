import { unreachable } from '../../src/core/errors.ts';
import { placeText } from '../../src/core/presentation/failureText.ts';
import { caseScoreText, thresholdText } from '../../src/core/presentation/score.ts';
import { caseTitle, ORIGIN_WORDS, STOP_WORDS } from '../../src/core/presentation/words.ts';
import { CHANGES } from '../../src/core/record/caseHistory.ts';
import { cacheText, costText, counted, durationText } from '../../src/core/text/format.ts';
import type { Snapshot } from '../../src/protocol/viewProtocol.ts';
import { h, lineLink, notices } from '../h.ts';
import { button } from '../ui/controls.ts';
import { badge } from './status.ts';

export interface HeaderActions {
  /** Judges the conversation again by the current file; absent if that would change nothing. */
  readonly onJudge?: (() => void) | undefined;
  /** Opens the source of an error; absent if no file can be opened. */
  readonly onFault?: (() => void) | undefined;
}

/** The case and its result; scrolls away with the page. */
export function renderHeader(snapshot: Snapshot, { onJudge, onFault }: HeaderActions): HTMLElement {
  const {
    state,
    suiteName,
    description,
    status,
    threshold,
    reason,
    fault,
    stopRationale,
    history,
    repeated,
  } = snapshot;
  return h(
    'header',
    { class: 'top' },
    h('div', { class: 'suite muted' }, suiteName),
    h(
      'div',
      { class: 'title' },
      h('h1', caseTitle(state)),
      status && badge(status, caseScoreText(snapshot)),
      threshold !== undefined &&
        h('span', { class: 'muted' }, `threshold ${thresholdText({ threshold })}`),
    ),
    description !== undefined && h('p', { class: 'description' }, description),
    facts(snapshot),
    ...[repeated, history].map(
      (words) => words !== undefined && h('div', { class: 'muted runs' }, words),
    ),
    changeOf(snapshot, onJudge),
    ...notices(snapshot.labels?.problems ?? []),
    reason !== undefined &&
      h(
        'p',
        { class: 'notice' },
        `${reason} `,
        fault && lineLink(placeText(fault), fault.path, fault.range.start.line + 1, onFault),
      ),
    stopRationale !== undefined &&
      h('p', { class: 'muted' }, `The simulated user: “${stopRationale}”`),
  );
}

function changeOf(
  { changed }: Snapshot,
  onJudge: (() => void) | undefined,
): HTMLElement | undefined {
  if (!changed && !onJudge) return undefined;
  const again = onJudge && button({ label: 'Judge again', onClick: onJudge });
  return h('p', { class: 'notice' }, `⚠ ${CHANGES[changed ?? 'questions']} `, again);
}

function facts(snapshot: Snapshot): HTMLElement {
  switch (snapshot.phase) {
    case 'new':
      return h('div', { class: 'muted facts' }, 'Not run yet');
    case 'queued':
      return h('div', { class: 'muted facts busy' }, 'queued …');
    case 'running':
      return h('div', { class: 'muted facts busy' }, 'running …');
    case 'cancelled':
      return h('div', { class: 'muted facts' }, 'Cancelled before it ended');
    case 'finished':
      return h('div', { class: 'muted facts' }, factsOf(snapshot).join(' · '));
    default:
      return unreachable(snapshot.phase);
  }
}

function factsOf({ origin, stopReason, usage, duration, finished }: Snapshot): string[] {
  const tokens = (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0);
  const cached = usage && cacheText(usage);
  return [
    ...(origin ? [ORIGIN_WORDS[origin]] : []),
    ...(stopReason ? [STOP_WORDS[stopReason]] : []),
    ...(usage && usage.calls > 0 ? [counted(usage.calls, 'request'), `${tokens} tokens`] : []),
    ...(cached === undefined ? [] : [cached]),
    ...(usage && usage.cost !== null ? [`cost ${costText(usage.cost)}`] : []),
    ...(duration === undefined ? [] : [durationText(duration)]),
    ...(finished === undefined ? [] : [new Date(finished).toLocaleString()]),
  ];
}

/** The data that the header depends on, without parts that are slow to compare. */
export function headerOf(snapshot: Snapshot) {
  const {
    labels,
    conversation: _,
    assertions: __,
    failing: ___,
    compared: ____,
    verdicts,
    ...rest
  } = snapshot;
  return [rest, labels?.problems, caseScoreText({ ...rest, verdicts })];
}
