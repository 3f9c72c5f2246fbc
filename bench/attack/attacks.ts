import type { Attack } from './attack.ts';

/** Attacks by name. Each runs in its own process, which loads only that attack. */
export const attacks: Readonly<Record<string, () => Promise<Attack>>> = {
  faults: async () => (await import('./faults.ts')).faults,
  answers: async () => (await import('./answers.ts')).answers,
  kills: async () => (await import('./kills.ts')).kills,
  documents: async () => (await import('./documents.ts')).documents,
  records: async () => (await import('./records.ts')).records,
  paths: async () => (await import('./paths.ts')).paths,
  inputs: async () => (await import('./inputs.ts')).inputs,
  traces: async () => (await import('./traces.ts')).traces,
  programs: async () => (await import('./programs.ts')).programs,
};
