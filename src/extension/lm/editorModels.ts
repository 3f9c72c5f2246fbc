import * as vscode from 'vscode';
import {
  type EditorModel,
  EditorModelError,
  type EditorModels,
  type EditorReply,
  type EditorRequest,
} from '../../core/editorModels.ts';
import type { Message } from '../../core/message.ts';
import { collectReply, type Part } from './collectReply.ts';

const JUSTIFICATION = 'Your eval file uses this model as a judge or as the agent under test.';

/** The models of VS Code's language model API. */
export const editorModels: EditorModels = {
  async find(name) {
    const models = await vscode.lm.selectChatModels();
    const model = models.find(({ vendor, family, id }) =>
      [`${vendor}/${family}`, `${vendor}/${id}`, family, id].includes(name),
    );
    return model && toEditorModel(model);
  },
};

/** Names as `vendor/family`, without duplicates. */
export async function listEditorModels(): Promise<{ name: string; label: string }[]> {
  const models = await vscode.lm.selectChatModels();
  const labels = new Map(models.map((one) => [`${one.vendor}/${one.family}`, one.name]));
  return [...labels].map(([name, label]) => ({ name, label }));
}

function toEditorModel(model: vscode.LanguageModelChat): EditorModel {
  return {
    version: `${model.vendor}/${model.id}`,
    countTokens: async (text) => model.countTokens(text),
    async send(request, signal) {
      signal.throwIfAborted();
      const source = new vscode.CancellationTokenSource();
      const cancel = () => source.cancel();
      signal.addEventListener('abort', cancel, { once: true });
      try {
        return await reply(model, request, source.token);
      } catch (error) {
        signal.throwIfAborted();
        throw toEditorModelError(error);
      } finally {
        signal.removeEventListener('abort', cancel);
        // Cancels the rest of the stream.
        cancel();
        source.dispose();
      }
    },
  };
}

async function reply(
  model: vscode.LanguageModelChat,
  { messages, tools, mustCall, options }: EditorRequest,
  token: vscode.CancellationToken,
): Promise<EditorReply> {
  const offered = tools.map(({ name, description = '', parameters }) => ({
    name,
    description,
    ...(parameters && { inputSchema: parameters }),
  }));
  const response = await model.sendRequest(
    messages.map(toChatMessage),
    {
      justification: JUSTIFICATION,
      modelOptions: { ...options },
      ...(offered.length > 0 && { tools: offered }),
      ...(mustCall && { toolMode: vscode.LanguageModelChatToolMode.Required }),
    },
    token,
  );
  return collectReply(partsOf(response));
}

async function* partsOf({ stream }: vscode.LanguageModelChatResponse): AsyncGenerator<Part> {
  for await (const part of stream) {
    if (part instanceof vscode.LanguageModelTextPart) yield { text: part.value };
    if (part instanceof vscode.LanguageModelToolCallPart) {
      yield { call: { id: part.callId, name: part.name, arguments: part.input } };
    }
  }
}

/** The API has neither system nor tool messages, so both become user messages. */
function toChatMessage(message: Message): vscode.LanguageModelChatMessage {
  const { User, Assistant } = vscode.LanguageModelChatMessage;
  const text = new vscode.LanguageModelTextPart(message.content);
  if (message.role === 'tool') {
    return User([new vscode.LanguageModelToolResultPart(message.callId, [text])]);
  }
  if (message.role !== 'assistant') return User(message.content);
  const calls = (message.toolCalls ?? []).map(
    ({ id, name, arguments: input }) =>
      new vscode.LanguageModelToolCallPart(id, name, Object(input)),
  );
  return Assistant(message.content === '' ? calls : [text, ...calls]);
}

/** VS Code also uses `Blocked` for exceeded quotas; only the message shows the difference. */
function toEditorModelError(error: unknown): EditorModelError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
  const words = error instanceof Error ? error.message || (cause?.message ?? '') : String(error);
  const code = error instanceof vscode.LanguageModelError ? error.code : '';
  if (code === 'NoPermissions') return new EditorModelError('no-consent', words);
  if (code === 'NotFound') return new EditorModelError('not-found', words);
  if (/quota|rate.?limit|too many requests|exceeded/i.test(words)) {
    return new EditorModelError('quota-exceeded', words);
  }
  return new EditorModelError(code === 'Blocked' ? 'blocked' : 'other', words);
}
