import { basename } from 'node:path';
import type { Model } from '../models/model.ts';
import { draftCases, type Wanted } from './draftCases.ts';
import { withIds } from './evalFileText.ts';
import { type DraftCase, type Entry, Ledger } from './importer.ts';
import { readDraft } from './importFile.ts';
import { type Place, settle } from './settle.ts';

/** A file to draft cases from: its path says how it is read. */
export interface GivenFile {
  readonly path: string;
  readonly text: string;
}

export interface Sources {
  /** The system prompt of what is tested. */
  readonly system?: GivenFile | undefined;
  /** Files that `importFile` reads. */
  readonly conversations: readonly GivenFile[];
}

export interface Generated {
  /** Empty where there was nothing to draft from; else it passes `turnlight check`. */
  readonly text: string;
  readonly cases: number;
  /** What of the files or of the draft was left out. */
  readonly entries: readonly Entry[];
}

/**
 * An eval file of drafted cases, for a person to edit. Asks the model and nobody else.
 *
 * @throws DraftError, ModelError; the signal's reason when aborted
 */
export async function generateFile(
  { system, conversations }: Sources,
  model: Model,
  wanted: Wanted,
  place: Place,
  signal: AbortSignal,
): Promise<Generated> {
  const ledger = new Ledger();
  const recorded = conversations.flatMap(({ path, text }): readonly DraftCase[] => {
    const { draft } = readDraft(path, text, ledger) ?? {};
    return (draft?.cases ?? []).filter(({ keys }) => keys.transcript !== undefined);
  });
  const prompt = system?.text.trim() ?? '';
  if (prompt === '' && recorded.length === 0) {
    ledger.broken(
      1,
      system ? 'The system prompt is empty.' : 'There is no conversation to draft from.',
    );
    return { text: '', cases: 0, entries: ledger.entries };
  }
  const material = { ...(prompt !== '' && { system: prompt }), conversations: recorded };
  const { cases, head = {}, comments = [] } = await draftCases(model, material, wanted, signal);
  const from = [system, ...conversations].flatMap((one) => (one ? [basename(one.path)] : []));
  const about = {
    head: { ...head, defaults: { tags: ['draft'] } },
    comments: [`From ${from.join(', ')}.`, ...comments],
  };
  const settled = await settle(about, withIds(cases, 'draft'), place, ledger);
  return { text: settled.text, cases: settled.cases.length, entries: ledger.entries };
}
