import * as z from 'zod';

/** Of every model that may judge. */
export const togetherKey = z.boolean().optional().meta({
  description:
    'If true, this judge is asked all questions about a conversation in one request, where neither the case nor the file says otherwise.',
  default: false,
});
