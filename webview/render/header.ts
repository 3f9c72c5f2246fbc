import { placeText } from '../../src/core/presentation/failureText.ts';
import { caseScoreText, thresholdText } from '../../src/core/presentation/score.ts';
import { caseTitle, ORIGIN_WORDS, STOP_WORDS } from '../../src/core/presentation/words.ts';
import { CHANGES } from '../../src/core/record/caseHistory.ts';
import { cacheText, costText, counted, durationText } from '../../src/core/text/format.ts';
import { isRunning } from '../../src/protocol/viewPage.ts';
import type { Snapshot } from '../../src/protocol/viewProtocol.ts';
import { h, lineLink, notices } from '../h.ts';
import { button } from '../ui/controls.ts';
import { badge } from './status.ts';

interface HeaderActions {
  /** Judges the conversation again with the current file; absent if that wouldn't change anything. */
  readonly onJudge?: (() => void) | undefined;
  /** Opens the source of an error; absent if no file can be opened. */
  readonly onFault?: (() => void) | undefined;
}

/** The case and its result, which scroll away with the page. */
export function renderHeader(snapshot: Snapshot, { onJudge, onFault }: HeaderActions): HTMLElement {
  const {
    state,
    phase,
    suiteName,
    description,
    status,
    threshold,
    reason,
    fault,
    stopRationale,
    history,
    repeated,
    changed,
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
    h(
      'div',
      { class: isRunning(phase) ? 'muted facts busy' : 'muted facts' },
      phase === 'finished' ? factsOf(snapshot).join(' · ') : phaseWords(snapshot),
    ),
    ...[repeated, history].map(
      (words) => words !== undefined && h('div', { class: 'muted runs' }, words),
    ),
    (changed || onJudge) &&
      h(
        'p',
        { class: 'notice' },
        `⚠ ${CHANGES[changed ?? 'questions']} `,
        onJudge && button({ label: 'Judge again', onClick: onJudge }),
      ),
    ...notices(snapshot.labels?.problems ?? []),
    reason !== undefined &&
      h(
        'p',
        { class: 'notice', 'data-status': status },
        `${reason} `,
        fault && lineLink(placeText(fault), fault.path, fault.range.start.line + 1, onFault),
      ),
    stopRationale !== undefined &&
      h('p', { class: 'muted' }, `The simulated user: “${stopRationale}”`),
  );
}

/** The text for a case that hasn't finished. */
const PHASE_WORDS: Readonly<Record<Exclude<Snapshot['phase'], 'finished'>, string>> = {
  new: 'Not run yet',
  queued: 'queued …',
  running: 'running …',
  cancelled: 'Cancelled before it ended',
};

function phaseWords({ phase, received }: Snapshot): string {
  if (received && phase === 'new') {
    return received === 'complete' ? 'Received; not judged yet' : 'Received';
  }
  return phase === 'finished' ? '' : PHASE_WORDS[phase];
}

function factsOf({ origin, stopReason, usage, duration, finished }: Snapshot): string[] {
  const tokens = (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0);
  return [
    origin && ORIGIN_WORDS[origin],
    stopReason && STOP_WORDS[stopReason],
    ...(usage && usage.calls > 0 ? [counted(usage.calls, 'request'), `${tokens} tokens`] : []),
    usage && cacheText(usage),
    usage && usage.cost !== null ? `cost ${costText(usage.cost)}` : undefined,
    duration === undefined ? undefined : durationText(duration),
    finished === undefined ? undefined : new Date(finished).toLocaleString(),
  ].filter((fact) => fact !== undefined);
}

/** The data that the header depends on, leaving out parts that are slow to compare. */
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
