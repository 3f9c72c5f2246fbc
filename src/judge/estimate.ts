import type { Divisible, JudgeRequest, Outcome } from '../assertions/contract.ts';
import { typeOf } from '../assertions/registry.ts';
import {
  type Conversation,
  imagesIn,
  liveTurnsOf,
  type SourcedMessage,
  systemMessages,
  type Turn,
  textOf,
  toConversation,
  turnsOf,
} from '../core/conversation.ts';
import { deepFreeze } from '../core/data/data.ts';
import { addEstimates, type Estimate, NO_ESTIMATE } from '../core/estimate.ts';
import { IMAGE_TOKENS } from '../core/image.ts';
import type { ExamplesFor } from '../core/record/label.ts';
import type {
  Assertion,
  LiveTurnsOrigin,
  ModelSpec,
  ScriptedTurn,
  SimulatedUser,
  SuiteCase,
} from '../core/suite.ts';
import { costOf, priceOf } from '../models/price.ts';
import { countTokens } from '../models/tokens.ts';
import { canonicalJson } from '../node/hashes.ts';
import { simulatorMessages } from '../simulate/prompt.ts';
import { type AskedQuestion, jointQuestion, judgeRequest } from './ask.ts';
import { conversationBlock, type ShownTurns, shownImages } from './conversationBlock.ts';
import { type JudgedConversation, replyTurnsOf } from './inputs.ts';
import { type Inquiry, type JointInquiry, joinInquiries, prepareInquiries } from './inquiries.ts';
import { type Part, partition, readingOptionsOf, usableTokens } from './parts.ts';

/**
 * Tokens in a judge's answer, as measured in the examples' recordings: per judged turn, and for the rest of the answer.
 */
const ANSWER_PER_TURN = 60;
const ANSWER_BASE = 120;

/** Tokens in one answer from the model that plays the user. */
const LIKELY_USER_ANSWER = 60;

/**
 * Estimates all repetitions of a case from its requests.
 *
 * @param once questions that have already been counted; new ones are added
 */
export async function estimateCase(
  suiteCase: SuiteCase,
  once = new Set<string>(),
  examples?: ExamplesFor,
): Promise<Estimate> {
  if (suiteCase.skip) return NO_ESTIMATE;
  let sum = await estimateRepetition(suiteCase, once, examples);
  if (suiteCase.repeat.times === 1) return sum;
  const next = await estimateRepetition(suiteCase, once, examples);
  for (let times = 1; times < suiteCase.repeat.times; times += 1) sum = addEstimates(sum, next);
  return sum;
}

async function estimateRepetition(
  suiteCase: SuiteCase,
  once: Set<string>,
  examples: ExamplesFor | undefined,
): Promise<Estimate> {
  const { origin } = suiteCase;
  const conversation = deepFreeze(
    toConversation(origin.kind === 'transcript' ? origin.messages : estimateConversation(origin)),
  );
  const about = {
    conversation,
    facts: suiteCase,
    replyTurns: replyTurnsOf(conversation),
    ...(examples && { examples }),
  };
  const counter = new RequestCounter(about, once);
  const { assertions } = suiteCase;
  await counter.judge(origin.kind === 'transcript' ? assertions : assertions.map(atAnyAgent));
  if (origin.kind !== 'transcript') counter.talk(origin, suiteCase);
  if (origin.kind === 'simulate') counter.play(origin.user);
  return { ...counter.total, live: origin.kind !== 'transcript' };
}

/** The assertion with `at` extended to all turns: before a conversation, any turn may be the agent's. */
function atAnyAgent(assertion: Assertion): Assertion {
  const { at, nested = [] } = assertion;
  const inner = nested.map((one) => ({ ...one, assertion: atAnyAgent(one.assertion) }));
  return {
    ...assertion,
    ...(at.kind === 'agent' && { at: { kind: 'live' } }),
    ...(inner.length > 0 && { nested: inner }),
  };
}

/** Estimates judging a conversation. @param once as in `estimateCase` */
export async function estimateJudging(
  about: JudgedConversation,
  assertions: readonly Assertion[],
  once = new Set<string>(),
): Promise<Estimate> {
  const counter = new RequestCounter(about, once);
  await counter.judge(assertions);
  return counter.total;
}

class RequestCounter {
  readonly #about: JudgedConversation;
  readonly #conversation: Conversation;
  readonly #once: Set<string>;
  readonly #known = new Map<string, number>();
  total = NO_ESTIMATE;

  constructor(about: JudgedConversation, once: Set<string>) {
    this.#about = about;
    this.#conversation = about.conversation;
    this.#once = once;
  }

  async judge(assertions: readonly Assertion[]): Promise<void> {
    const asking = assertions.filter((one) => typeOf(one).kind !== 'deterministic');
    const inquiries = await prepareInquiries(asking, this.#about, () => {});
    for (const inquiry of joinInquiries(inquiries)) {
      const [{ inputs }] = inquiry.kind === 'together' ? inquiry.inquiries : [inquiry];
      const { samples = 1 } = inputs[0].assertion;
      for (let sample = 0; sample < samples; sample += 1) await this.#inquire(inquiry);
    }
  }

  async #inquire(inquiry: Inquiry): Promise<void> {
    if (inquiry.kind === 'together') return this.#inquireTogether(inquiry);
    const [{ assertion, turns }] = inquiry.inputs;
    if (inquiry.kind === 'question') {
      this.#divide(assertion, inquiry.question, inquiry.questionAbout);
      return;
    }
    for (const planned of inquiry.type.plan(inquiry.inputs[0])) {
      if (planned.kind === 'asked') this.#divide(assertion, planned.about(turns), planned.about);
      else if (planned.kind === 'assertion') await this.judge([planned.assertion]);
      else if (planned.kind === 'embedding')
        this.#count(assertion.model, this.#sumTokens(planned.texts), 0);
      else this.#askOnce(assertion.judge, planned.asked);
    }
  }

  /** Counts one request, or one per question if they don't fit together. */
  async #inquireTogether({ inquiries, questions }: JointInquiry): Promise<void> {
    const { assertion } = inquiries[0].inputs[0];
    const { maxInputTokens = Number.POSITIVE_INFINITY } = readingOptionsOf(assertion);
    const asked = jointQuestion(questions);
    const input = this.#blockTokens() + this.#around(asked, questions.length);
    if (input > usableTokens(maxInputTokens)) {
      for (const inquiry of inquiries) await this.#inquire(inquiry);
      return;
    }
    const output = questions.reduce((sum, { question }) => sum + answerTokensOf(question), 0);
    this.#count(assertion.judge, input, output);
  }

  #askOnce(judge: ModelSpec | undefined, asked: JudgeRequest<unknown>): void {
    const key = canonicalJson([judge?.id, asked.name, asked.instructions]) ?? '';
    if (this.#once.has(key)) return;
    this.#once.add(key);
    this.#ask(judge, 0, asked);
  }

  /** Counts one request, or one per part and possibly another one about the whole conversation. */
  #divide(
    assertion: Assertion,
    question: Divisible<unknown>,
    about: (turns: readonly Turn[]) => Divisible<unknown> | Outcome,
  ): void {
    const { judge } = assertion;
    const parts = this.#partsOf(assertion, question);
    if (!parts) this.#ask(judge, this.#blockTokens(), question);
    for (const part of parts ?? []) {
      const asked = about(part.turns);
      if ('kind' in asked) continue;
      this.#ask(judge, this.#blockTokens(part.shown), asked);
    }
    if (parts && question.parts.whole) {
      const { turns: _, ...whole } = question;
      const findings = parts.reduce((sum, part) => sum + answerTokensOf(part), 0);
      this.#ask(judge, findings, { ...whole, answer: question.parts.whole });
    }
  }

  #partsOf(assertion: Assertion, question: Divisible<unknown>): readonly Part[] | undefined {
    const { maxInputTokens, ...reading } = readingOptionsOf(assertion);
    const countTokens = (text: string) => this.#tokens(text);
    const found = partition(
      this.#conversation,
      question.turns ?? [],
      reading,
      maxInputTokens === undefined ? undefined : { maxInputTokens, countTokens },
      () => ({
        block: this.#blockTokens(),
        around: this.#around(question),
      }),
    );
    return found && 'parts' in found ? found.parts : undefined;
  }

  /** @param evidence number of tokens before the question */
  #ask(judge: ModelSpec | undefined, evidence: number, asked: AskedQuestion): void {
    this.#count(judge, evidence + this.#around(asked), answerTokensOf(asked));
  }

  #blockTokens(shown?: ShownTurns): number {
    const images = shownImages(this.#conversation, shown).length * IMAGE_TOKENS;
    return this.#tokens(conversationBlock(this.#conversation, shown)) + images;
  }

  #around(asked: AskedQuestion, questions?: number): number {
    const options = { temperature: 0, ...(questions !== undefined && { questions }) };
    const { messages, answer } = judgeRequest(undefined, asked, options);
    return this.#sumTokens([...messages.map(({ content }) => content), JSON.stringify(answer)]);
  }

  /** Counts one call to the target per turn; a `chat` target's model receives all earlier turns. */
  talk({ target }: LiveTurnsOrigin, { tools }: SuiteCase): void {
    if (!target.model) {
      this.#add({ calls: this.#about.replyTurns.length });
      return;
    }
    const { system = '', tools: offered = tools } = target;
    let history = this.#tokens(system) + this.#tokens(JSON.stringify(offered));
    for (const turn of turnsOf(this.#conversation)) {
      if (turn.side === 'assistant' && !turn.history) {
        this.#count(target.model, history, LIKELY_REPLY);
      }
      history += this.#tokens(textOf(turn)) + imagesIn([turn]).length * IMAGE_TOKENS;
    }
  }

  /** For each turn after the opening, counts one request to the model that plays the user. */
  play(user: SimulatedUser): void {
    const turns = liveTurnsOf(this.#conversation).filter(({ side }) => side === 'user');
    for (const { number } of turns.slice(user.opening.length)) {
      const { entries } = this.#conversation;
      const said = entries.filter((one) => one.kind === 'turn' && one.number < number);
      const messages = simulatorMessages(user, { entries: said, notes: [] });
      const texts = messages.map(({ content }) => content);
      this.#count(user.model, this.#sumTokens(texts), LIKELY_USER_ANSWER);
    }
  }

  #count(model: ModelSpec | undefined, input: number, output: number): void {
    const price = model && priceOf(model.params);
    const isFree = model?.provider === 'replay';
    this.#add({
      requests: 1,
      inputTokens: input,
      outputTokens: output,
      noJudge: !model,
      ...(!isFree && { cost: price ? costOf({ input, output }, price) : null }),
      ...(model && !isFree && !price && { unpriced: [model.id] }),
    });
  }

  #add(more: Partial<Estimate>): void {
    this.total = addEstimates(this.total, { ...NO_ESTIMATE, ...more });
  }

  #sumTokens(texts: readonly string[]): number {
    return texts.reduce((sum, text) => sum + this.#tokens(text), 0);
  }

  #tokens(text: string): number {
    const known = this.#known.get(text) ?? countTokens(text);
    this.#known.set(text, known);
    return known;
  }
}

function answerTokensOf({ turns = [] }: Pick<AskedQuestion, 'turns'>): number {
  return ANSWER_BASE + turns.length * ANSWER_PER_TURN;
}

/** Typical number of tokens in a reply. */
const LIKELY_REPLY = 80;

/** Typical number of tokens in a simulated user's message. */
const LIKELY_REQUEST = 30;

/** The user's turns, with replies of a typical length. For a simulated user, assumes the maximum number of turns. */
function estimateConversation(origin: LiveTurnsOrigin): SourcedMessage[] {
  const { target, history } = origin;
  const content = 'word '.repeat(LIKELY_REPLY).trim();
  return [
    ...systemMessages(target.system).map((message) => ({ message })),
    ...(history?.messages ?? []),
    ...estimateTurns(origin).flatMap(({ user, images, expected }): SourcedMessage[] => [
      { message: { role: 'user', content: user, ...(images && { images: [...images] }) } },
      { message: { role: 'assistant', content }, ...(expected !== undefined && { expected }) },
    ]),
  ];
}

function estimateTurns(origin: LiveTurnsOrigin): readonly Omit<ScriptedTurn, 'source'>[] {
  if (origin.kind === 'turns') return origin.turns;
  const { opening, maxUserTurns } = origin.user;
  const user = 'word '.repeat(LIKELY_REQUEST).trim();
  const left = Math.max(0, maxUserTurns - opening.length);
  return [...opening, ...Array.from({ length: left }, () => ({ user }))].slice(0, maxUserTurns);
}
