import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { type FakeTrace, savedSpans, storedSpans } from './traces.ts';

/** An error response in MLflow's format. */
class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export interface FakeAssessment {
  readonly assessment_name: string;
  readonly source: { readonly source_type: string; readonly source_id: string };
  readonly feedback?: { readonly value?: unknown; readonly error?: unknown };
  readonly expectation?: unknown;
  readonly rationale?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface FakeRun {
  readonly id: string;
  readonly name: string;
  readonly tags: readonly { readonly key: string; readonly value: string }[];
  readonly metrics: Record<string, number>;
  readonly traces: Set<string>;
  status: string;
}

export interface FakeOptions {
  /** Assessments by trace id. */
  readonly assessments?: Readonly<Record<string, readonly FakeAssessment[]>>;
  /** The `authorization` header that every request must have; none by default. */
  readonly authorization?: string;
  /** Returns a response to send instead; undefined to handle the request normally. */
  readonly instead?: (
    path: string,
  ) => { status: number; body: string; location?: string } | undefined;
}

/** A tracking server with one experiment, named "shop", with id 7. */
export interface FakeServer {
  readonly url: string;
  /** Requests as `METHOD path`, in order. */
  readonly requests: readonly string[];
  readonly runs: readonly FakeRun[];
  assessmentsOn(trace: string): readonly FakeAssessment[];
}

type Body = Readonly<Record<string, unknown>>;

const EXPERIMENT = { experiment_id: '7', name: 'shop', lifecycle_stage: 'active' };

export async function startMlflow(
  t: Pick<TestContext, 'after'>,
  traces: readonly FakeTrace[],
  options: FakeOptions = {},
): Promise<FakeServer> {
  const fake = new Fake(traces, options);
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    requests.push(`${request.method} ${url.pathname}`);
    const instead = options.instead?.(url.pathname);
    const answer = instead ?? (await fake.answer(request, url));
    const location = instead?.location;
    response.writeHead(answer.status, {
      'content-type': 'application/json',
      ...(location !== undefined && { location }),
    });
    response.end(answer.body);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    runs: fake.runs,
    assessmentsOn: (trace) => fake.assessmentsOn(trace),
  };
}

class Fake {
  readonly runs: FakeRun[] = [];
  readonly #traces: readonly FakeTrace[];
  readonly #assessments: Map<string, FakeAssessment[]>;
  readonly #options: FakeOptions;

  constructor(traces: readonly FakeTrace[], options: FakeOptions) {
    this.#traces = traces;
    this.#options = options;
    this.#assessments = new Map(
      Object.entries(options.assessments ?? {}).map(([id, list]) => [id, [...list]]),
    );
  }

  assessmentsOn(trace: string): FakeAssessment[] {
    const own = this.#assessments.get(trace) ?? [];
    this.#assessments.set(trace, own);
    return own;
  }

  async answer(request: IncomingMessage, url: URL): Promise<{ status: number; body: string }> {
    try {
      const { authorization } = this.#options;
      if (authorization !== undefined && request.headers.authorization !== authorization) {
        return { status: 401, body: 'You are not authenticated.' };
      }
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      const body = text === '' ? {} : (JSON.parse(text) as Body);
      const answer = this.#route(`${request.method} ${url.pathname}`, url.searchParams, body);
      return { status: 200, body: JSON.stringify(answer) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, code, message } = error;
      return { status, body: JSON.stringify({ error_code: code, message }) };
    }
  }

  #route(path: string, query: URLSearchParams, body: Body): unknown {
    const trace = /^(\w+) \/api\/3\.0\/mlflow\/traces\/([^/]+?)(\/assessments)?$/.exec(path);
    switch (path) {
      case 'GET /api/2.0/mlflow/experiments/get-by-name':
        return this.#experiment(query.get('experiment_name') === EXPERIMENT.name, 'name', query);
      case 'GET /api/2.0/mlflow/experiments/get':
        return this.#experiment(
          query.get('experiment_id') === EXPERIMENT.experiment_id,
          'id',
          query,
        );
      case 'POST /api/2.0/mlflow/experiments/search':
        return { experiments: [EXPERIMENT] };
      case 'POST /api/3.0/mlflow/traces/search':
        return this.#search(body);
      case 'GET /api/3.0/mlflow/traces/batchGet':
        return { traces: query.getAll('trace_ids').map((id) => this.#whole(this.#trace(id))) };
      case 'GET /ajax-api/2.0/mlflow/get-trace-artifact':
        return { spans: savedSpans(this.#trace(query.get('request_id') ?? '')) };
      case 'POST /api/2.0/mlflow/runs/search':
        return this.#findRuns(String(body.filter));
      case 'POST /api/2.0/mlflow/runs/create':
        return this.#createRun(body);
      case 'POST /api/2.0/mlflow/traces/link-to-run':
        for (const id of body.trace_ids as string[]) this.#run(body).traces.add(id);
        return {};
      case 'POST /api/2.0/mlflow/runs/log-batch':
        for (const { key, value } of body.metrics as { key: string; value: number }[]) {
          this.#run(body).metrics[key] = value;
        }
        return {};
      case 'POST /api/2.0/mlflow/runs/update':
        this.#run(body).status = String(body.status);
        return { run_info: {} };
      default:
        if (trace?.[1] === 'GET') {
          return {
            trace: { trace_info: this.#info(this.#trace(decodeURIComponent(trace[2] ?? ''))) },
          };
        }
        if (trace?.[1] === 'POST' && trace[3])
          return this.#assess(decodeURIComponent(trace[2] ?? ''), body);
        throw new Refusal(404, 'ENDPOINT_NOT_FOUND', `There is no ${path}.`);
    }
  }

  #experiment(isKnown: boolean, by: string, query: URLSearchParams): unknown {
    if (isKnown) return { experiment: EXPERIMENT };
    const message = `Could not find experiment with ${by} '${[...query.values()][0]}'`;
    throw new Refusal(404, 'RESOURCE_DOES_NOT_EXIST', message);
  }

  #search({ filter = '', max_results: most = 100, page_token: token = '0' }: Body): unknown {
    if (Number(most) > 500) {
      const message = `Invalid value ${most} for parameter 'max_results' supplied`;
      throw new Refusal(400, 'INVALID_PARAMETER_VALUE', message);
    }
    const session = /^metadata\.`mlflow\.trace\.session` = (['"])(.*)\1$/.exec(String(filter))?.[2];
    const fitting = this.#traces.filter((one) => session === undefined || one.session === session);
    const from = Number(token);
    const end = from + Number(most);
    return {
      traces: fitting.slice(from, end).map((one) => this.#info(one)),
      ...(end < fitting.length && { next_page_token: String(end) }),
    };
  }

  #trace(id: string): FakeTrace {
    const found = this.#traces.find((one) => one.id === id);
    if (found) return found;
    throw new Refusal(404, 'RESOURCE_DOES_NOT_EXIST', `Trace with ID '${id}' not found.`);
  }

  #whole(trace: FakeTrace): unknown {
    return { trace_info: this.#info(trace), spans: trace.inArtifacts ? [] : storedSpans(trace) };
  }

  #info(trace: FakeTrace): unknown {
    const { id, session, inArtifacts } = trace;
    const assessments = this.assessmentsOn(id).map((one, index) => ({
      assessment_id: `${id}-${index}`,
      trace_id: id,
      create_time: '2026-01-02T00:00:00Z',
      valid: true,
      ...one,
    }));
    return {
      trace_id: id,
      trace_location: {
        type: 'MLFLOW_EXPERIMENT',
        mlflow_experiment: { experiment_id: EXPERIMENT.experiment_id },
      },
      request_time: new Date(
        Date.UTC(2026, 0, 1) + 1000 * this.#traces.indexOf(trace),
      ).toISOString(),
      state: 'OK',
      trace_metadata: session === undefined ? {} : { 'mlflow.trace.session': session },
      tags: { 'mlflow.trace.spansLocation': inArtifacts ? 'ARTIFACT_REPO' : 'TRACKING_STORE' },
      ...(assessments.length > 0 && { assessments }),
    };
  }

  #assess(id: string, { assessment }: Body): unknown {
    this.#trace(id);
    this.assessmentsOn(id).push(assessment as FakeAssessment);
    return { assessment };
  }

  #createRun({ run_name: name, tags }: Body): unknown {
    const id = `run-${this.runs.length + 1}`;
    const own = tags as FakeRun['tags'];
    this.runs.push({
      id,
      name: String(name),
      tags: own,
      metrics: {},
      traces: new Set(),
      status: 'RUNNING',
    });
    return { run: { info: { run_id: id, run_name: name, status: 'RUNNING' } } };
  }

  #findRuns(filter: string): unknown {
    const [, key, value] = /^tags\.`(.*)` = '(.*)'$/.exec(filter) ?? [];
    const found = this.runs.filter(({ tags }) =>
      tags.some((tag) => tag.key === key && tag.value === value),
    );
    return found.length === 0 ? {} : { runs: found.map(({ id }) => ({ info: { run_id: id } })) };
  }

  #run({ run_id: id }: Body): FakeRun {
    const run = this.runs.find((one) => one.id === id);
    if (run) return run;
    throw new Refusal(404, 'RESOURCE_DOES_NOT_EXIST', `Run with id=${id} not found`);
  }
}
