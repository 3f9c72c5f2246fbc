/** What a page of ours shows; one script serves all, so that what they share ships once. */
export type ViewPage = 'conversation' | 'results' | 'agreement' | 'labelling' | 'trends';

/** On the page's root: which it is. */
export const PAGE_ATTRIBUTE = 'data-page';
