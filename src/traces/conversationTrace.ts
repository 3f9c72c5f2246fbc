import { randomBytes } from 'node:crypto';
import { LIMITS, readable } from '../core/limits.ts';
import { millisOf, type Span, sizeOfSpan } from './spans.ts';
import { quoted, reportOf, type TurnReport } from './turnReport.ts';

/** Milliseconds without a new span after which a turn is complete if there is no span around it. */
const QUIET = 200;

/** Milliseconds between exports in programs that Turnlight starts. */
const EXPORT_DELAY = 100;

/** Maximum number of attributes of a span. Some instrumentations write several per message; the default is 128. */
const MAX_ATTRIBUTES = 10_000;

/** Milliseconds by which the clocks of two processes may differ. */
const CLOCK_SKEW = 50;

/** Maximum milliseconds between a reply and the end of the span around it. */
const MAX_LAG = 250;

export const TOKEN_HEADER = 'x-turnlight-token';

/** Environment variables that make OpenTelemetry's exporters send spans to a receiver without much delay. */
export function exportVariables(url: string, token: string): Record<string, string> {
  const headers = `${TOKEN_HEADER}=${token}`;
  const protocol = 'http/protobuf';
  return {
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/v1/traces`,
    OTEL_EXPORTER_OTLP_HEADERS: headers,
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: headers,
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol,
    OTEL_BSP_SCHEDULE_DELAY: String(EXPORT_DELAY),
    OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: String(MAX_ATTRIBUTES),
  };
}

/** Collected spans, up to a limit. Duplicates, which exporters send when they retry, are ignored. */
class SpanStore {
  readonly #spans = new Map<string, Span>();
  #size = 0;
  /** Whether any spans were refused. */
  isFull = false;

  add(span: Span): void {
    const key = `${span.trace} ${span.id}`;
    if (this.#spans.has(key)) return;
    this.#size += sizeOfSpan(span);
    this.isFull ||= this.#spans.size >= LIMITS.turnSpans || this.#size > LIMITS.turnTrace;
    if (!this.isFull) this.#spans.set(key, span);
  }

  all(): Span[] {
    return [...this.#spans.values()];
  }

  clear(): void {
    this.#spans.clear();
    this.#size = 0;
    this.isFull = false;
  }
}

/** Determines where a receiver puts spans. */
export interface TraceRoutes {
  /** Sends a trace's spans to `add`. @returns a function that undoes this */
  route(trace: string, add: (span: Span) => void): () => void;
  /**
   * Sends spans that arrive with a token to `add`, unless their trace has another route.
   *
   * @returns a function that undoes this
   */
  routeToken(token: string, add: (span: Span) => void): () => void;
}

interface TraceSetup {
  /** Maximum time to wait after a reply for the turn's spans, in milliseconds. */
  readonly wait: number;
  /** Whether all of its program's spans belong to this conversation, even spans that don't continue its traces. */
  readonly isAlone: boolean;
  /** The receiver's address. */
  readonly url: string;
  /** The token for programs that serve several conversations. */
  readonly token: string;
}

/** The spans of one conversation, turn by turn. */
export class ConversationTrace {
  readonly #routes: TraceRoutes;
  readonly #setup: TraceSetup;
  readonly #undo: (() => void)[] = [];
  /** Spans of the current turn's trace. */
  readonly #linked = new SpanStore();
  /** Spans from other traces. The time at which they start determines their turn. */
  readonly #others = new SpanStore();
  #trace = randomBytes(16).toString('hex');
  /** The parent of the current turn's spans. */
  #parent = randomBytes(8).toString('hex');
  #endTurn: (() => void) | undefined;
  /** Milliseconds since the epoch. */
  #began = 0;
  #replied = 0;
  #arrived = 0;
  #wake: () => void = () => {};
  /** Environment variables for programs that serve only this conversation, and for programs that serve several. */
  readonly variables: Readonly<Record<string, string>>;

  constructor(routes: TraceRoutes, setup: TraceSetup) {
    this.#routes = routes;
    this.#setup = setup;
    if (!setup.isAlone) {
      this.variables = exportVariables(setup.url, setup.token);
      return;
    }
    const token = randomBytes(16).toString('hex');
    const own = { trace: this.#trace, parent: this.#parent };
    const add = (span: Span) => {
      // A program may continue the trace that its environment specifies.
      const isOwn = span.trace === own.trace && span.parent === own.parent;
      this.#add(this.#others, isOwn ? { ...span, parent: '' } : span);
    };
    this.#undo.push(routes.routeToken(token, add), routes.route(own.trace, add));
    const traceparent = traceparentOf(own.trace, own.parent);
    this.variables = { ...exportVariables(setup.url, token), TRACEPARENT: traceparent };
  }

  /** The W3C trace header for requests in the current turn. */
  get traceparent(): string {
    return traceparentOf(this.#trace, this.#parent);
  }

  /** Starts a turn. From then on, spans of earlier turns are ignored. */
  begin(): void {
    this.#endTurn?.();
    this.#linked.clear();
    this.#others.clear();
    this.#trace = randomBytes(16).toString('hex');
    this.#parent = randomBytes(8).toString('hex');
    this.#endTurn = this.#routes.route(this.#trace, (span) => this.#add(this.#linked, span));
    const now = Date.now();
    this.#began = now - Math.min(CLOCK_SKEW, (now - this.#replied) / 2);
  }

  /**
   * Waits until the turn's spans seem complete after its reply, and reports on them.
   *
   * @throws the signal's reason when aborted
   */
  async collect(signal: AbortSignal): Promise<TurnReport> {
    const { wait } = this.#setup;
    this.#replied = Date.now();
    const until = performance.now() + wait;
    try {
      for (;;) {
        signal.throwIfAborted();
        const spans = this.#spans();
        const missing = this.#missing(spans);
        const now = performance.now();
        const quietAt = Math.max(this.#arrived, until - wait) + QUIET;
        const isSettled = this.#isCovered(spans) || now >= quietAt;
        if ((missing === undefined && isSettled) || now >= until) {
          const report = reportOf(spans);
          const fault = missing ?? this.#excess() ?? report.fault;
          return { ...report, ...(fault !== undefined && { fault }) };
        }
        await this.#changed(Math.min(until, missing === undefined ? quietAt : until) - now, signal);
      }
    } finally {
      this.#linked.clear();
      this.#others.clear();
    }
  }

  close(): void {
    this.#endTurn?.();
    for (const undo of this.#undo) undo();
  }

  #add(store: SpanStore, span: Span): void {
    store.add(span);
    this.#arrived = performance.now();
    this.#wake();
  }

  #spans(): Span[] {
    const since = this.#began;
    const own = this.#others.all().filter(({ start }) => millisOf(start) >= since);
    return [...this.#linked.all(), ...own];
  }

  #isRoot({ parent }: Span): boolean {
    return parent === '' || parent === this.#parent;
  }

  #missing(spans: readonly Span[]): string | undefined {
    const within = `within ${readable(this.#setup.wait)} ms of the reply`;
    if (spans.length === 0) return `No spans arrived ${within}. ${ADVICE}`;
    const ids = new Set(spans.map(({ id }) => id));
    const orphan = spans.find((span) => !this.#isRoot(span) && !ids.has(span.parent));
    return orphan && `The span around ${quoted(orphan.name)} didn't arrive ${within}. ${ADVICE}`;
  }

  /** Whether a span around all others shows that there are no more spans. */
  #isCovered(spans: readonly Span[]): boolean {
    const end = spans.reduce((last, one) => Math.max(last, millisOf(one.end)), 0);
    return spans.some(
      (span) =>
        span.isServer &&
        this.#isRoot(span) &&
        millisOf(span.end) >= end &&
        Math.abs(this.#replied - end) <= MAX_LAG,
    );
  }

  #excess(): string | undefined {
    if (!this.#linked.isFull && !this.#others.isFull) return undefined;
    return `It has more than ${readable(LIMITS.turnSpans)} spans, or ${readable(LIMITS.turnTrace)} characters.`;
  }

  #changed(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((done) => {
      const finish = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', finish);
        done();
      };
      const timer = setTimeout(finish, Math.max(1, milliseconds));
      signal.addEventListener('abort', finish, { once: true });
      this.#wake = finish;
    });
  }
}

const ADVICE =
  'Check that the agent continues the trace of its request, exports every span, and does so at least every second (OTEL_BSP_SCHEDULE_DELAY), or raise `trace_wait`.';

function traceparentOf(trace: string, parent: string): string {
  return `00-${trace}-${parent}-01`;
}
