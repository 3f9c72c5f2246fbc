import pLimit from 'p-limit';
import type { Outcome, Toolbox } from '../assertions/contract.ts';
import { temperatureOf } from '../assertions/questionHash.ts';
import { typeOf } from '../assertions/registry.ts';
import { NestedError } from '../assertions/shared/nested.ts';
import { deepFreeze, groupBy } from '../core/data/data.ts';
import { canonicalJson, digestOf } from '../core/data/digest.ts';
import { errorText } from '../core/errors.ts';
import { type Assertion, type ModelSpec, NO_JUDGE } from '../core/suite.ts';
import type { UserCode } from '../core/userCode.ts';
import { NO_USAGE, type Usage, type Verdict } from '../core/verdict.ts';
import { type Model, ModelError } from '../models/model.ts';
import { JudgeError } from './ask.ts';
import { conversationBlock } from './conversationBlock.ts';
import { groupVerdict } from './groups.ts';
import { type About, factsOf } from './inputs.ts';
import { Inquirer, type Kept } from './inquirer.ts';
import { type Inquiry, isForJudge, prepareInquiries } from './inquiries.ts';
import { readingOf } from './parts.ts';
import { isCacheable } from './promptCache.ts';
import { combineSamples, type Sampled } from './samples.ts';
import { type Cost, concludedVerdict, errorVerdict, gated, isGate } from './verdicts.ts';

export interface JudgeOptions extends About {
  readonly assertions: readonly Assertion[];
  /** The model of a spec; undefined if none is configured. */
  readonly modelFor: (spec: ModelSpec | undefined) => Promise<Model | undefined>;
  /** Calls code of the user's in a process of its own; absent if nothing may be run. */
  readonly script?: (code: UserCode, input: unknown) => Promise<unknown>;
  /** What was asked once before; nothing is kept by default. */
  readonly kept?: Kept;
  readonly signal: AbortSignal;
  readonly onVerdict?: (verdict: Verdict) => void;
}

/** Assertions of one conversation that are judged side by side. */
const SIDE_BY_SIDE = 4;

/**
 * Checks a conversation. Verdicts come in the order of the assertions; `onVerdict` hears of each as
 * it is known. What goes wrong with one assertion is that one's `error`; the others go on.
 *
 * @throws the signal's reason when aborted
 */
export function judgeAssertions(options: JudgeOptions): Promise<Verdict[]> {
  const conversation = deepFreeze(structuredClone(options.conversation));
  const facts = deepFreeze(structuredClone(factsOf(options.facts)));
  return new Judging({ kept: keepNothing(), ...options, conversation, facts }).verdicts();
}

class Judging {
  readonly #options: JudgeOptions & { readonly kept: Kept };
  readonly #verdicts = new Map<Assertion, Verdict>();
  readonly #block: string;

  constructor(options: JudgeOptions & { readonly kept: Kept }) {
    this.#options = options;
    this.#block = conversationBlock(options.conversation);
  }

  async verdicts(): Promise<Verdict[]> {
    const { assertions, signal, onVerdict } = this.#options;
    const settle = (assertion: Assertion, verdict: Verdict) => this.#settle(assertion, verdict);
    const inquiries = await prepareInquiries(assertions, this.#options, settle, signal);
    await this.#inquireAll(inquiries);
    return assertions.map((assertion) => {
      const verdict = this.#verdictOf(assertion);
      if (typeOf(assertion).kind === 'group') onVerdict?.(verdict);
      return verdict;
    });
  }

  /**
   * All inquiries of a judge begin with the same conversation, but a provider's prompt cache serves it
   * only once a request that holds it was answered: eight sent at once would pay for it eight times.
   * So one goes first, the others side by side after it; all at once where no cache would hold it.
   */
  async #inquireAll(inquiries: readonly Inquiry[]): Promise<void> {
    const limit = pLimit(SIDE_BY_SIDE);
    const askAll = async (ofJudge: readonly Inquiry[]) => {
      const shared = ofJudge.length > 1 && isCacheable(this.#block);
      const ask = (inquiry: Inquiry) => limit(() => this.#inquire(inquiry, shared));
      const ahead = shared ? 1 : 0;
      await Promise.all(ofJudge.slice(0, ahead).map(ask));
      await Promise.all(ofJudge.slice(ahead).map(ask));
    };
    await Promise.all(byJudge(inquiries).map(askAll));
  }

  #verdictOf(assertion: Assertion): Verdict {
    const type = typeOf(assertion);
    if (type.kind === 'group') {
      const nested = (assertion.nested ?? []).map((one) => this.#verdictOf(one.assertion));
      return groupVerdict(assertion, type, nested);
    }
    const verdict = this.#verdicts.get(assertion);
    if (!verdict) throw new Error(`“${assertion.name}” was left out.`);
    return verdict;
  }

  #settle(assertion: Assertion, verdict: Verdict): void {
    this.#verdicts.set(assertion, verdict);
    if (this.#options.assertions.includes(assertion)) this.#options.onVerdict?.(verdict);
  }

  /** For each assertion of the inquiry the outcomes of its samples. */
  async #outcomes(inquiry: Inquiry, inquirer: Inquirer): Promise<Outcome[][]> {
    const { assertion } = inquiry.inputs[0];
    const { samples = 1 } = assertion;
    if (inquiry.kind === 'question') {
      const { question, questioning, inputs } = inquiry;
      const answers = await inquirer.answers(questioning, question, samples);
      const concluded = answers.map((answer) => question.conclude(answer));
      return inputs.map((_input, index) => concluded.flatMap((one) => one[index] ?? []));
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
        if (!verdict) throw new Error('A nested assertion was left out.');
        inquirer.meter.add(verdict.usage);
        return verdict;
      },
      embed: async (texts) => {
        const model = assertion.model && (await modelFor(assertion.model));
        if (!model?.embed) {
          const message = `${assertion.model?.id ?? 'No model'} gives no embeddings. Name one that does in \`model\`, such as openai:text-embedding-3-small.`;
          throw new ModelError('bad-request', message);
        }
        const { vectors, usage } = await inquirer.meter.failing(model.embed(texts, signal));
        inquirer.meter.add(usage);
        return vectors;
      },
      script: (code, input) => {
        if (!script) throw new Error('Scripts are not run here.');
        return script(code, input);
      },
    };
  }

  /** @param shared as of `InquirerSetup` */
  async #inquire(inquiry: Inquiry, shared: boolean): Promise<void> {
    const { signal } = this.#options;
    const { inputs } = inquiry;
    const { assertion } = inputs[0];
    const samples = { samples: assertion.samples ?? 1, spread: null, unstable: false };
    let inquirer: Inquirer | undefined;
    const fail = (reason: string, message: string) => {
      for (const [index, { assertion: one }] of inputs.entries()) {
        const cost = judgingCost(inquirer, index, samples);
        this.#settle(one, told(errorVerdict(one, reason, message, cost), inquirer));
      }
    };
    try {
      inquirer = await this.#inquirerFor(inquiry, shared);
      if (!inquirer) return fail('no-judge', NO_JUDGE);
      const found = await this.#outcomes(inquiry, inquirer);
      for (const [index, { assertion: one }] of inputs.entries()) {
        const sampled = combineSamples(found[index] ?? [], one.threshold);
        const cost = judgingCost(inquirer, index, sampled);
        this.#settle(one, told(concludedVerdict(one, sampled.outcome, cost), inquirer));
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof JudgeError || error instanceof ModelError) {
        fail(error.reason, error.message);
      } else if (error instanceof NestedError) {
        this.#settle(assertion, nestedError(assertion, error, judgingCost(inquirer, 0, samples)));
      } else {
        const message = errorText(error);
        fail(isForJudge(inquiry) ? 'judge-failed' : 'check-failed', message);
      }
    }
  }

  /** Undefined if a judge is needed and none is configured. */
  async #inquirerFor(inquiry: Inquiry, shared: boolean): Promise<Inquirer | undefined> {
    const { modelFor, conversation, kept, signal } = this.#options;
    const { assertion } = inquiry.inputs[0];
    const model = isForJudge(inquiry) ? await modelFor(assertion.judge) : NOBODY;
    if (!model) return undefined;
    return new Inquirer({
      model,
      conversation,
      block: this.#block,
      temperature: temperatureOf(assertion),
      shared,
      ...readingOf(assertion),
      kept: assertion.judge?.provider === 'replay' ? { ...kept, ...FORGETFUL } : kept,
      signal,
    });
  }
}

/**
 * Those that ask the same judge together, each that asks none by itself. Questions stand before
 * procedures, which may ask one thing after the other and would keep the rest waiting.
 */
function byJudge(inquiries: readonly Inquiry[]): Inquiry[][] {
  const asking = [
    ...inquiries.filter(({ kind }) => kind === 'question'),
    ...inquiries.filter((one) => one.kind !== 'question' && isForJudge(one)),
  ];
  const together = groupBy(asking, ({ inputs }) => canonicalJson(inputs[0].assertion.judge));
  const alone = inquiries.filter((one) => !isForJudge(one)).map((one) => [one]);
  return [...together.values(), ...alone];
}

/** As in a group, what could not be judged and is `required` gates the case. */
function nestedError(assertion: Assertion, { verdict, message }: NestedError, cost: Cost): Verdict {
  const error = { ...errorVerdict(assertion, verdict.reason, message, cost), nested: [verdict] };
  return isGate(verdict) ? gated(error) : error;
}

/** Says in the details that the conversation was not shown at once, and what `answer_format: auto` chose. */
function told(verdict: Verdict, inquirer: Inquirer | undefined): Verdict {
  const { parts, meter } = inquirer ?? {};
  const judgedParts = parts?.map(({ turns, shown }) => ({
    turns: turns.map(({ number }) => number),
    shown: [shown.from, shown.to],
  }));
  const details = {
    ...verdict.details,
    ...(judgedParts && verdict.score !== null && { parts: judgedParts }),
    ...(meter?.answerFormat && { answer_format: meter.answerFormat }),
  };
  return { ...verdict, details };
}

/** The whole usage of a shared request stands in its first verdict, so that sums stay right. */
function judgingCost(
  inquirer: Inquirer | undefined,
  index: number,
  sampled: Omit<Sampled, 'outcome'>,
): Cost {
  if (!inquirer) return { usage: NO_USAGE };
  const usage: Usage = index === 0 ? inquirer.meter.usage : NO_USAGE;
  const { first, meter, model } = inquirer;
  if (!first) return { usage };
  return {
    usage,
    judge: {
      model: model.id,
      ...(meter.version !== undefined && { version: meter.version }),
      prompt_hash: digestOf(first.messages),
      samples: sampled.samples,
      spread: sampled.spread,
      ...(sampled.unstable && { unstable: true }),
    },
  };
}

/** Stands in where an assertion asks no judge. */
const NOBODY: Model = {
  id: 'nobody',
  complete: () => Promise.reject(new ModelError('bad-request', NO_JUDGE)),
};

/** A replayed judge answers what was recorded, not what was kept since. */
const FORGETFUL = {
  load: async () => undefined,
  save: async () => {},
};

function keepNothing(): Kept {
  return { answers: new Map(), ...FORGETFUL };
}
