import * as z from 'zod';

/** What a client says as it starts the server. */
export const clientOptionsSchema = z.object({
  /** It is the extension, which knows more than LSP. */
  extension: z.boolean().catch(false),
});

export type ClientOptions = z.infer<typeof clientOptionsSchema>;

/** The request for the editor's models, to the extension alone → `editorModelsSchema`. */
export const EDITOR_MODELS = 'turnlight/editorModels';

/** As `provider:model`. */
export const editorModelsSchema = z.array(z.string());
