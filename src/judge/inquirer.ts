import pLimit from 'p-limit';
import type {
  Divisible,
  JudgeAnswer,
  JudgeRequest,
  Outcome,
  Question,
} from '../assertions/contract.ts';
import { numbersOf } from '../assertions/shared/entries.ts';
import type { Conversation, Turn } from '../core/conversation.ts';
import { IMAGE_TOKENS, type Image } from '../core/image.ts';
import { imagesOf } from '../core/message.ts';
import { fence } from '../core/text/visibleText.ts';
import type { Model, ModelRequest } from '../models/model.ts';
import { canonicalJson } from '../node/hashes.ts';
import { mistakesOf } from './answer.ts';
import {
  type AnswerOrError,
  askJudge,
  askTogether,
  JudgeError,
  jointQuestion,
  judgeRequest,
  type NamedQuestion,
  UsageMeter,
} from './ask.ts';
import { conversationBlock, type ShownTurns, shownImages } from './conversationBlock.ts';
import type { QuestionAboutTurns } from './inquiries.ts';
import {
  type Capacity,
  earliestNeeded,
  type Part,
  partition,
  type ReadingOptions,
  tooLongError,
  usableTokens,
} from './parts.ts';

interface InquirerSetup extends ReadingOptions {
  readonly model: Model;
  readonly conversation: Conversation;
  readonly block: string;
  readonly temperature: number;
  /** Whether a prompt cache can serve the conversation to other requests. */
  readonly shared: boolean;
  readonly sharedAnswers: SharedAnswers;
  readonly signal: AbortSignal;
}

const MAX_CONCURRENT_PARTS = 4;

/** Asks one judge about one conversation, and measures the judge's usage. */
export class Inquirer {
  readonly meter = new UsageMeter();
  #firstAboutConversation: ModelRequest | undefined;
  #firstSent: ModelRequest | undefined;
  parts: readonly Part[] | undefined;
  readonly setup: InquirerSetup;

  constructor(setup: InquirerSetup) {
    this.setup = setup;
  }

  /**
   * The request to hash for the verdict. Questions that cases share don't count, because an earlier case may already
   * have sent them.
   */
  get first(): ModelRequest | undefined {
    return this.#firstAboutConversation ?? this.#firstSent;
  }

  /**
   * Asks about the conversation, in parts if it doesn't fit into the judge's window.
   *
   * @throws as `askJudge`; JudgeError `too-long`
   */
  async ask<Answer>(
    turns: readonly Turn[],
    about: (turns: readonly Turn[]) => Divisible<Answer>,
    { logprobs = false }: { readonly logprobs?: boolean } = {},
  ): Promise<JudgeAnswer<Answer>> {
    const asked = about(turns);
    const request = this.#request(this.setup.block, asked, logprobs, this.#images());
    this.#firstAboutConversation ??= request;
    const parts = await this.#partition(asked, request);
    if (!parts) return this.#send(request, asked);
    return { answer: await this.#inParts(about, asked, parts), text: '' };
  }

  /** Asks a question without the conversation, or returns a stored answer to the same question. */
  async askOnce<Answer>(asked: JudgeRequest<Answer>): Promise<Answer> {
    const { sharedAnswers, model } = this.setup;
    const key = canonicalJson([model.id, asked.name, asked.instructions]) ?? '';
    const known = sharedAnswers.answers.get(key) ?? this.#keep(key, asked);
    sharedAnswers.answers.set(key, known);
    try {
      return asked.answer.parse(await known);
    } catch (error) {
      // A question may be asked again if it failed.
      sharedAnswers.answers.delete(key);
      throw error;
    }
  }

  async #keep(key: string, asked: JudgeRequest<unknown>): Promise<unknown> {
    const { sharedAnswers } = this.setup;
    const stored = asked.answer.safeParse(await sharedAnswers.load(key));
    if (stored.success && mistakesOf(asked, stored.data).length === 0) return stored.data;
    const { answer } = await this.#send(this.#request(undefined, asked), asked);
    await sharedAnswers.save(key, answer);
    return answer;
  }

  /** Answers to a question, one per sample. @throws as `ask` */
  async answers<Answer, Concluded>(
    questioning: QuestionAboutTurns<Answer, Concluded>,
    question: Question<Answer, Concluded>,
    count: number,
  ): Promise<Answer[]> {
    const request = this.#request(this.setup.block, question, false, this.#images());
    const parts = await this.#partition(question, request);
    if (!parts) {
      const { model, signal } = this.setup;
      this.#firstAboutConversation ??= request;
      const all = await askJudge(model, request, question, signal, this.meter.onReply, count);
      return all.map(({ answer }) => answer);
    }
    const answers: Answer[] = [];
    while (answers.length < count) answers.push(await this.#inParts(questioning, question, parts));
    return answers;
  }

  /** Asks several questions about the whole conversation in one request. Undefined if they don't fit. @throws as `askTogether` */
  async together(
    questions: readonly NamedQuestion[],
    count: number,
  ): Promise<AnswerOrError[][] | undefined> {
    const { block, temperature, shared, model, signal } = this.setup;
    const images = this.#images();
    const options = { temperature, shared, questions: questions.length, images };
    const request = judgeRequest(block, jointQuestion(questions), options);
    if (!(await this.#fits(request))) return undefined;
    this.#firstAboutConversation ??= request;
    return askTogether(model, request, questions, signal, this.meter.onReply, count);
  }

  async #partition(
    { turns = [] }: JudgeRequest<unknown>,
    request: ModelRequest,
  ): Promise<readonly Part[] | undefined> {
    const capacity = await this.#capacity();
    const size = ({ countTokens }: Capacity) => {
      const block = countTokens(this.setup.block) + this.#images().length * IMAGE_TOKENS;
      return { block, around: tokensOf(request, countTokens) - block };
    };
    const found = partition(this.setup.conversation, turns, this.setup, capacity, size);
    if (found && 'tooLong' in found) throw tooLongError(this.setup, found.tooLong);
    return found?.parts;
  }

  async #fits(request: ModelRequest): Promise<boolean> {
    const capacity = await this.#capacity();
    if (!capacity) return true;
    const { maxInputTokens, countTokens } = capacity;
    return tokensOf(request, countTokens) <= usableTokens(maxInputTokens);
  }

  /** Loads the tokenizer's tables only if needed, because they are large. */
  async #capacity(): Promise<Capacity | undefined> {
    const { maxInputTokens } = this.setup;
    if (maxInputTokens === undefined) return undefined;
    const { countTokens } = await import('../models/tokens.ts');
    return { maxInputTokens, countTokens };
  }

  async #inParts<Answer>(
    questioning: (turns: readonly Turn[]) => Divisible<Answer> | Outcome,
    question: Divisible<Answer>,
    parts: readonly Part[],
  ): Promise<Answer> {
    const { granularity } = this.setup;
    let answers: JudgedPart<Answer>[] = [];
    const askPart = async (part: Part, before: readonly JudgedPart<Answer>[]) => {
      const about = questioning(part.turns);
      if ('kind' in about) return undefined;
      const { request, shown } = await this.#fittingRequest(part, before, about);
      const { answer } = await this.#send(request, about);
      return { part: { ...part, shown }, answer };
    };
    if (granularity === 'turn') {
      const limit = pLimit(MAX_CONCURRENT_PARTS);
      const all = await Promise.all(parts.map((part) => limit(() => askPart(part, []))));
      answers = all.filter((one) => one !== undefined);
    } else {
      for (const part of parts) {
        const given = await askPart(part, answers);
        if (given) answers.push(given);
      }
    }
    this.parts = answers.map(({ part }) => part);
    // A turn without a question needs no entry.
    const asked = questioning(this.parts.flatMap(({ turns }) => turns));
    return this.#join('kind' in asked ? question : asked, answers);
  }

  /** A request with all the earlier turns, and all the findings about earlier parts, that fit. */
  async #fittingRequest(
    { turns, shown: { from, to } }: Part,
    before: readonly JudgedPart<unknown>[],
    about: JudgeRequest<unknown>,
  ): Promise<{ readonly request: ModelRequest; readonly shown: ShownTurns }> {
    const { conversation, window } = this.setup;
    const [first] = turns;
    const last = first ? Math.max(from, earliestNeeded(first, window)) : from;
    for (let start = from; start <= last; start += 1) {
      const shown = { from: start, to };
      const block = conversationBlock(conversation, shown);
      const evidence =
        before.length === 0
          ? [block]
          : findingsOfLatest(before).map((found) => `${block}\n\n${found}`);
      for (const one of evidence) {
        const request = this.#request(one, about, false, this.#images(shown));
        if (await this.#fits(request)) return { request, shown };
      }
    }
    throw tooLongError(this.setup, first && [first]);
  }

  /** Joins the answers about the parts, and checks the result as a whole. */
  async #join<Answer>(
    question: Divisible<Answer>,
    answers: readonly JudgedPart<Answer>[],
  ): Promise<Answer> {
    const given = answers.map(({ answer }) => answer);
    const { whole } = question.parts;
    const check = (answered: unknown) => mistakesOf(question, question.parts.join(given, answered));
    if (!whole) {
      const [mistake] = check(undefined);
      if (mistake) throw new JudgeError(mistake.reason, mistake.text);
      return question.parts.join(given, undefined);
    }
    const { turns: _, ...rest } = question;
    const asked: JudgeRequest<unknown> = {
      ...rest,
      name: `${question.name}_whole`,
      instructions: `${question.instructions}\n\n${WHOLE}`,
      answer: whole,
      mistakes: check,
    };
    for (const found of findingsOfAll(answers)) {
      const request = this.#request(found, asked);
      if (!(await this.#fits(request))) continue;
      const { answer } = await this.#send(request, asked);
      return question.parts.join(given, answer);
    }
    throw tooLongError(this.setup);
  }

  #images(shown?: ShownTurns): Image[] {
    return shownImages(this.setup.conversation, shown);
  }

  #request(
    evidence: string | undefined,
    asked: JudgeRequest<unknown>,
    logprobs = false,
    images: readonly Image[] = [],
  ): ModelRequest {
    const { temperature, shared } = this.setup;
    const options = { temperature, logprobs, shared: shared && evidence !== undefined, images };
    return judgeRequest(evidence, asked, options);
  }

  async #send<Answer>(
    request: ModelRequest,
    asked: JudgeRequest<Answer>,
  ): Promise<JudgeAnswer<Answer>> {
    const { model, signal } = this.setup;
    this.#firstSent ??= request;
    const [answered] = await askJudge(model, request, asked, signal, this.meter.onReply);
    return answered;
  }
}

const WHOLE =
  'The conversation was judged in parts. Above stand the findings about its parts, each an answer to this same question. Answer for the conversation as a whole; the entries of the turns are given already.';

function tokensOf(request: ModelRequest, countTokens: (text: string) => number): number {
  const schema = JSON.stringify(request.answer?.schema ?? '');
  const texts = [...request.messages.map(({ content }) => content), schema];
  const images = request.messages.flatMap(imagesOf).length * IMAGE_TOKENS;
  return texts.reduce((sum, text) => sum + countTokens(text), images);
}

interface JudgedPart<Answer> {
  readonly part: Part;
  readonly answer: Answer;
}

/** Keys to omit from turn entries if the findings don't fit, and a note about that for the judge. */
interface OmittedKeys {
  readonly keys: readonly string[];
  readonly note?: string;
}

const WITHOUT_RATIONALES: OmittedKeys = {
  keys: ['evidence', 'rationale'],
  note: '[quotes and reasons of turns are not shown]',
};

const OMISSIONS: readonly OmittedKeys[] = [
  { keys: [] },
  { keys: ['evidence'], note: '[quotes of turns are not shown]' },
  WITHOUT_RATIONALES,
];

/** Findings about all parts, in progressively shorter versions. The first version that fits is sent. */
function findingsOfAll(judged: readonly JudgedPart<unknown>[]): string[] {
  return OMISSIONS.map((omitted) => findings(judged, omitted));
}

/** Like `findingsOfAll`, with further versions that only name the earliest parts. */
function findingsOfLatest(judged: readonly JudgedPart<unknown>[]): string[] {
  return [
    ...findingsOfAll(judged),
    ...judged.map((_one, index) => findings(judged, WITHOUT_RATIONALES, index + 1)),
  ];
}

/** @param from index of the first part to show */
function findings(
  judged: readonly JudgedPart<unknown>[],
  { keys, note }: OmittedKeys,
  from = 0,
): string {
  const missing = judged.slice(0, from).flatMap(({ part }) => part.turns);
  const about = judged
    .slice(from)
    .map(
      ({ part, answer }) =>
        `[findings about turns ${numbersOf(part.turns)}]\n${fence(JSON.stringify(answer, withoutKeys(keys)))}`,
    );
  return [
    '=== FINDINGS ABOUT EARLIER PARTS ===',
    ...(missing.length === 0 ? [] : [`[findings about turns ${numbersOf(missing)} are not shown]`]),
    ...(note === undefined ? [] : [note]),
    ...about,
    '=== END OF FINDINGS ===',
  ].join('\n');
}

/** Returns a replacer for `JSON.stringify` that omits these keys from turn entries. */
function withoutKeys(keys: readonly string[]) {
  return (key: string, value: unknown): unknown => {
    if (key !== 'turns' || !Array.isArray(value)) return value;
    return value.map((entry: object) =>
      Object.fromEntries(Object.entries(entry).filter(([name]) => !keys.includes(name))),
    );
  };
}

/** Answers that all cases in a run share, and the store that keeps them for later runs. */
export interface SharedAnswers {
  readonly answers: Map<string, Promise<unknown>>;
  load(key: string): Promise<unknown>;
  save(key: string, answer: unknown): Promise<void>;
}

/** A store that keeps nothing, for judges that answer from a recording. */
export const NULL_STORE = {
  load: async () => undefined,
  save: async () => {},
};

export function inMemoryAnswers(): SharedAnswers {
  return { answers: new Map(), ...NULL_STORE };
}
