import pLimit from 'p-limit';
import { asksJudge, type Outcome, type Toolbox } from '../assertions/contract.ts';
import { temperatureOf } from '../assertions/questionHash.ts';
import { typeOf } from '../assertions/registry.ts';
import { NestedError } from '../assertions/shared/kinds.ts';
import { frozenCopy, groupBy } from '../core/data/data.ts';
import { errorText } from '../core/errors.ts';
import type { Scrubber } from '../core/scrubber.ts';
import { type Assertion, type ModelSpec, NO_JUDGE } from '../core/suite.ts';
import type { UserCode } from '../core/userCode.ts';
import { NO_USAGE, type Verdict } from '../core/verdict.ts';
import { type Model, ModelError } from '../models/model.ts';
import { canonicalJson, digestOf } from '../node/hashes.ts';
import { answersTo, JudgeError, reportFailure } from './ask.ts';
import { conversationBlock } from './conversationBlock.ts';
import { type JudgedConversation, pickFacts } from './inputs.ts';
import { Inquirer, inMemoryAnswers, NULL_STORE, type SharedAnswers } from './inquirer.ts';
import {
  type Inquiry,
  isForJudge,
  type JointInquiry,
  joinInquiries,
  prepareInquiries,
  type QuestionInquiry,
  type SingleInquiry,
} from './inquiries.ts';
import { contextWindowText, readingOptionsOf } from './parts.ts';
import { PROTOCOL } from './protocol.ts';
import { type CombinedSamples, combineSamples } from './samples.ts';
import {
  type Cost,
  errorVerdict,
  gated,
  groupVerdict,
  isGate,
  verdictOfOutcome,
} from './verdicts.ts';

export interface JudgeOptions extends JudgedConversation {
  readonly assertions: readonly Assertion[];
  /** Returns the model for a spec; undefined if none is configured. */
  readonly modelFor: (spec: ModelSpec | undefined) => Promise<Model | undefined>;
  /** Runs user code in its own process; absent if no code may run. */
  readonly script?: (code: UserCode, input: unknown) => Promise<unknown>;
  /** Default: none. */
  readonly sharedAnswers?: SharedAnswers;
  readonly signal: AbortSignal;
  readonly onVerdict?: (verdict: Verdict) => void;
}

const MAX_CONCURRENT = 4;

/**
 * Checks a conversation. Returns the verdicts in the order of the assertions, and reports each to `onVerdict` as soon
 * as it is known. A failure in one assertion becomes that assertion's `error` and doesn't affect the others.
 *
 * @throws the signal's reason when aborted
 */
export function judgeAssertions(options: JudgeOptions): Promise<Verdict[]> {
  const { unscrubbed } = options;
  const conversation = frozenCopy(options.conversation);
  const facts = frozenCopy(pickFacts(options.facts));
  return new Judging({
    sharedAnswers: inMemoryAnswers(),
    ...options,
    assertions: options.assertions.map((one) => hideInQuestion(one, options.scrubber)),
    conversation,
    unscrubbed: unscrubbed === options.conversation ? conversation : frozenCopy(unscrubbed),
    facts,
  }).verdicts();
}

/** Hides secrets in an assertion's own text if a model reads it. Other assertions may be about secrets. */
function hideInQuestion(assertion: Assertion, scrubber: Scrubber | undefined): Assertion {
  if (!scrubber) return assertion;
  const { nested, params, prompt, model } = assertion;
  const isSent = asksJudge(typeOf(assertion)) || model !== undefined;
  const inner = nested?.map((one) => ({
    ...one,
    assertion: hideInQuestion(one.assertion, scrubber),
  }));
  return {
    ...assertion,
    ...(inner && { nested: inner }),
    ...(isSent && scrubber.data({ params, ...(prompt && { prompt }) })),
  };
}

class Judging {
  readonly #options: JudgeOptions & { readonly sharedAnswers: SharedAnswers };
  readonly #verdicts = new Map<Assertion, Verdict>();
  readonly #block: string;

  constructor(options: JudgeOptions & { readonly sharedAnswers: SharedAnswers }) {
    this.#options = options;
    this.#block = conversationBlock(options.conversation);
  }

  async verdicts(): Promise<Verdict[]> {
    const { assertions, signal, onVerdict } = this.#options;
    const settle = (assertion: Assertion, verdict: Verdict) => this.#settle(assertion, verdict);
    const inquiries = await prepareInquiries(assertions, this.#options, settle, signal);
    await this.#inquireAll(joinInquiries(inquiries, this.#options.scrubber));
    return assertions.map((assertion) => {
      const verdict = this.#verdictOf(assertion);
      if (typeOf(assertion).kind === 'group') onVerdict?.(verdict);
      return verdict;
    });
  }

  /**
   * All requests to a judge start with the same conversation, but a provider's prompt cache serves it only after one of
   * them has been answered. So one request goes first, and the others follow in parallel. If the cache can't serve the
   * conversation, all requests are sent at once.
   */
  async #inquireAll(inquiries: readonly Inquiry[], details: Details = {}): Promise<void> {
    const limit = pLimit(MAX_CONCURRENT);
    const askAll = async (ofJudge: readonly Inquiry[]) => {
      const shared = ofJudge.length > 1 && isCacheable(this.#block);
      const ask = (inquiry: Inquiry) => limit(() => this.#inquire(inquiry, shared, details));
      const ahead = shared ? 1 : 0;
      await Promise.all(ofJudge.slice(0, ahead).map(ask));
      await Promise.all(ofJudge.slice(ahead).map(ask));
    };
    await Promise.all(groupByJudge(inquiries).map(askAll));
  }

  #verdictOf(assertion: Assertion): Verdict {
    const type = typeOf(assertion);
    if (type.kind === 'group') {
      const nested = (assertion.nested ?? []).map((one) => this.#verdictOf(one.assertion));
      return groupVerdict(assertion, type, nested);
    }
    const verdict = this.#verdicts.get(assertion);
    if (!verdict) throw new Error(`Internal error: "${assertion.name}" has no verdict.`);
    return verdict;
  }

  #settle(assertion: Assertion, verdict: Verdict): void {
    this.#verdicts.set(assertion, verdict);
    if (this.#options.assertions.includes(assertion)) this.#options.onVerdict?.(verdict);
  }

  /** The outcomes of the samples, for each of the inquiry's assertions. */
  async #outcomes(inquiry: SingleInquiry, inquirer: Inquirer): Promise<Outcome[][]> {
    const { assertion } = inquiry.inputs[0];
    const { samples = 1 } = assertion;
    if (inquiry.kind === 'question') {
      const { question, questionAbout } = inquiry;
      return outcomesOf(inquiry, await inquirer.answers(questionAbout, question, samples));
    }
    const toolbox = this.#toolboxFor(assertion, inquirer);
    const outcomes: Outcome[] = [];
    while (outcomes.length < samples) {
      outcomes.push(await inquiry.type.run(inquiry.inputs[0], toolbox));
    }
    return [outcomes];
  }

  #toolboxFor(assertion: Assertion, inquirer: Inquirer): Toolbox {
    const { modelFor, script, signal } = this.#options;
    return {
      ask: (turns, about, options) => inquirer.ask(turns, about, options),
      askOnce: (asked) => inquirer.askOnce(asked),
      verdict: async (nested) => {
        const { onVerdict: _, ...options } = this.#options;
        const [verdict] = await judgeAssertions({ ...options, assertions: [nested] });
        if (!verdict) throw new Error('Internal error: a nested assertion has no verdict.');
        inquirer.meter.onReply({ usage: verdict.usage });
        return verdict;
      },
      embed: async (texts) => {
        const model = assertion.model && (await modelFor(assertion.model));
        if (!model?.embed) {
          const message = `${assertion.model?.id ?? 'The model'} provides no embeddings. Set \`model\` to an embedding model, such as openai:text-embedding-3-small.`;
          throw new ModelError('bad-request', message);
        }
        const { onReply } = inquirer.meter;
        const embeddings = await reportFailure(onReply, model.embed(texts, signal));
        onReply(embeddings);
        return embeddings.vectors;
      },
      script: (code, input) => {
        if (!script) throw new Error('Scripts cannot run here.');
        return script(code, input);
      },
    };
  }

  async #inquire(inquiry: Inquiry, shared: boolean, details: Details): Promise<void> {
    if (inquiry.kind === 'together') return this.#inquireTogether(inquiry, shared);
    const inquirer = this.#inquirerFor(inquiry, shared);
    const { examples } = inquiry.kind === 'question' ? inquiry : {};
    const more = { ...details, ...(examples && { examples }) };
    await this.#conclude(inquiry, inquirer, (one) => this.#outcomes(inquiry, one), more);
  }

  /** Sends one request, or one per question if the questions don't fit together. */
  async #inquireTogether({ inquiries, questions }: JointInquiry, shared: boolean): Promise<void> {
    const [first] = inquiries;
    const { samples = 1 } = first.inputs[0].assertion;
    const inquirer = this.#inquirerFor(first, shared);
    const asked = inquirer.then((one) => one?.together(questions, samples));
    const isAsked = await asked.then(
      (given) => given !== undefined,
      () => true,
    );
    if (!isAsked) return this.#inquireAll(inquiries, askedAlone(await inquirer));
    for (const [index, inquiry] of inquiries.entries()) {
      const outcomes = async () => outcomesOf(inquiry, answersTo(index, (await asked) ?? []));
      const details = askedWith(inquiry, inquiries);
      await this.#conclude(inquiry, inquirer, outcomes, details, index === 0);
    }
  }

  /** @param hasUsage whether the first verdict gets the request's usage, so that sums are correct */
  async #conclude(
    inquiry: SingleInquiry,
    asking: Promise<Inquirer | undefined>,
    outcomes: (inquirer: Inquirer) => Promise<Outcome[][]>,
    details: Details,
    hasUsage = true,
  ): Promise<void> {
    const { signal } = this.#options;
    const { inputs } = inquiry;
    const { assertion } = inputs[0];
    const samples = { samples: assertion.samples ?? 1, spread: null, unstable: false };
    let inquirer: Inquirer | undefined;
    const costOf = (index: number, sampled: Omit<CombinedSamples, 'outcome'>) =>
      judgingCost(inquirer, sampled, hasUsage && index === 0);
    const settle = (one: Assertion, verdict: Verdict) =>
      this.#settle(one, addRequestDetails(verdict, inquirer, details));
    const fail = (reason: string, message: string, answers?: readonly string[]) => {
      for (const [index, { assertion: one }] of inputs.entries()) {
        settle(one, errorVerdict(one, reason, message, costOf(index, samples), answers));
      }
    };
    try {
      inquirer = await asking;
      if (!inquirer) return fail('no-judge', NO_JUDGE);
      const found = await outcomes(inquirer);
      for (const [index, { assertion: one }] of inputs.entries()) {
        const sampled = combineSamples(found[index] ?? [], one.threshold);
        settle(one, verdictOfOutcome(one, sampled.outcome, costOf(index, sampled)));
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof JudgeError || error instanceof ModelError) {
        fail(error.reason, error.message, 'answers' in error ? error.answers : []);
      } else if (error instanceof NestedError) {
        this.#settle(assertion, nestedErrorVerdict(assertion, error, costOf(0, samples)));
      } else {
        const message = errorText(error);
        fail(isForJudge(inquiry) ? 'judge-failed' : 'check-failed', message);
      }
    }
  }

  /** Undefined if a judge is needed but none is configured. */
  async #inquirerFor(inquiry: SingleInquiry, shared: boolean): Promise<Inquirer | undefined> {
    const { modelFor, conversation, sharedAnswers, signal } = this.#options;
    const { assertion } = inquiry.inputs[0];
    const model = isForJudge(inquiry) ? await modelFor(assertion.judge) : NO_MODEL;
    if (!model) return undefined;
    return new Inquirer({
      model,
      conversation,
      block: this.#block,
      temperature: temperatureOf(assertion),
      shared,
      ...readingOptionsOf(assertion),
      sharedAnswers:
        assertion.judge?.provider === 'replay'
          ? { ...sharedAnswers, ...NULL_STORE }
          : sharedAnswers,
      signal,
    });
  }
}

function outcomesOf(
  { question, inputs }: QuestionInquiry,
  answers: readonly unknown[],
): Outcome[][] {
  const concluded = answers.map((answer) => question.conclude(answer));
  return inputs.map((_input, index) => concluded.flatMap((one) => one[index] ?? []));
}

/**
 * Groups inquiries by judge. Each inquiry without a judge is its own group. Procedures come last, because they may take
 * several requests.
 */
function groupByJudge(inquiries: readonly Inquiry[]): Inquiry[][] {
  const asking = [
    ...inquiries.filter(({ kind }) => kind !== 'procedure'),
    ...inquiries.filter((one) => one.kind === 'procedure' && isForJudge(one)),
  ];
  const together = groupBy(asking, (one) => canonicalJson(judgeOf(one)));
  const alone = inquiries.filter((one) => !isForJudge(one)).map((one) => [one]);
  return [...together.values(), ...alone];
}

function judgeOf(inquiry: Inquiry): ModelSpec | undefined {
  const { inputs } = inquiry.kind === 'together' ? inquiry.inquiries[0] : inquiry;
  return inputs[0].assertion.judge;
}

/**
 * The verdict on a group with an error. As in any group, a `required` assertion that couldn't be judged gates the case.
 */
function nestedErrorVerdict(
  assertion: Assertion,
  { verdict, message }: NestedError,
  cost: Cost,
): Verdict {
  const error = { ...errorVerdict(assertion, verdict.reason, message, cost), nested: [verdict] };
  return isGate(verdict) ? gated(error) : error;
}

const NO_MODEL: Model = {
  id: 'nobody',
  complete: () => Promise.reject(new ModelError('bad-request', NO_JUDGE)),
};

type Details = Readonly<Record<string, unknown>>;

function addRequestDetails(
  verdict: Verdict,
  inquirer: Inquirer | undefined,
  more: Details,
): Verdict {
  const { parts, meter } = inquirer ?? {};
  const judgedParts = parts?.map(({ turns, shown }) => ({
    turns: turns.map(({ number }) => number),
    shown: [shown.from, shown.to],
  }));
  const details = {
    ...verdict.details,
    ...(judgedParts && verdict.score !== null && { parts: judgedParts }),
    ...(meter?.answerFormat && { answer_format: meter.answerFormat }),
    ...more,
  };
  return { ...verdict, details };
}

function judgingCost(
  inquirer: Inquirer | undefined,
  { samples, spread, unstable }: Omit<CombinedSamples, 'outcome'>,
  hasUsage: boolean,
): Cost {
  if (!inquirer) return { usage: NO_USAGE };
  const { first, meter, setup } = inquirer;
  const usage = hasUsage ? meter.usage : NO_USAGE;
  if (!first) return { usage };
  return {
    usage,
    judge: {
      model: setup.model.id,
      ...(meter.version !== undefined && { version: meter.version }),
      prompt_hash: digestOf(first.messages),
      samples,
      spread,
      ...(unstable && { unstable: true }),
    },
  };
}

function askedWith(inquiry: QuestionInquiry, all: readonly QuestionInquiry[]): Details {
  const others = all.filter((one) => one !== inquiry);
  return {
    asked_with: others.flatMap(({ inputs }) => inputs.map(({ assertion }) => assertion.key)),
  };
}

function askedAlone(inquirer: Inquirer | undefined): Details {
  if (!inquirer) return {};
  const window = contextWindowText(inquirer.setup);
  return { asked_alone: `All questions together do not fit in ${window}.` };
}

/** Minimum number of tokens that OpenAI's prompt cache serves. Other caches have a higher minimum. */
const CACHE_BLOCK = 1024;

/** Accurate to within 25% for most texts and languages. Counting tokens would take longer than it saves. */
const BYTES_PER_TOKEN = 4;

function isCacheable(block: string): boolean {
  return Buffer.byteLength(PROTOCOL + block) >= CACHE_BLOCK * BYTES_PER_TOKEN;
}
