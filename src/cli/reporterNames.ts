export const REPORTERS = ['terminal', 'json', 'junit'] as const;

export type ReporterName = (typeof REPORTERS)[number];
