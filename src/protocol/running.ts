import type { Snapshot } from './viewProtocol.ts';

/** Stands apart from the schemas of the view, which the extension loads only once a view is opened. */
export function isRunning(phase: Snapshot['phase'] | undefined): boolean {
  return phase === 'queued' || phase === 'running';
}
