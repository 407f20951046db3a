// A remote service that a test scripts: it answers an agent's calls over HTTP, without a socket, and keeps what it was asked.
import type { StepResult } from "@scheduler-agent-supervisor/core/agents";
import { after, durationMs } from "@scheduler-agent-supervisor/core/domain";
import { type ServiceFault, ServiceFaults } from "./service-faults.ts";

/** One call to a service. */
export interface ServiceRequest {
  /** The agent's operation. A query has a suffix: `book done?` is the query whether it was done, `book later?` is the poll. */
  readonly operation: string;
  readonly method: string;
  /** Below the service's address, with its query. */
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  /** The JSON that was sent; null without a body. */
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
  /** ISO 8601, by the world's clock. */
  readonly at: string;
}

/** What a service answers to a call. */
export interface ServiceAnswer {
  /** 200 if absent. */
  readonly status?: number;
  /** JSON. */
  readonly body?: unknown;
  readonly headers?: { readonly [name: string]: string };
  /** ISO 8601: how long it takes. */
  readonly takes?: string;
}

/** The outcome of a call: an answer, a lost answer, or none at all. */
export type Outcome = ServiceAnswer | "lost" | "hangs";

/** A call and its outcome. */
export interface ServiceCall extends ServiceRequest {
  readonly outcome: Outcome;
}

/** Computes a service's answer to each call. */
export type Handler = (request: ServiceRequest) => ServiceAnswer;

/** For how many calls a script holds; until it is changed if absent. */
interface Times {
  readonly times?: number;
}

/** A service of a world. Without a script it completes every call. A script applies to all later calls of an operation, or to the next `times`. */
export interface ScriptedService {
  readonly agent: string;
  /** All calls, the first one first. */
  readonly calls: readonly ServiceCall[];
  callsOf(operation: string): readonly ServiceCall[];
  /** Switches a fault on, in the words of the local stack's `POST /$faults`. @returns how to switch it off */
  switchOn(fault: ServiceFault): () => void;
  /** Gives this answer to that operation. */
  answers(operation: string, answer: ServiceAnswer | Handler, times?: Times): void;
  /** The fault `reject` of an operation: with a status that the agent treats as a rejection. */
  rejects(
    operation: string,
    how?: Times & { readonly status?: number; readonly code?: string; readonly message?: string },
  ): void;
  /** The fault `loseReply` of an operation: does the work, and its answer is lost. */
  losesAnswer(operation: string, times?: Times): void;
  /** The fault `hang` of an operation: never answers, and does nothing. */
  hangs(operation: string, times?: Times): void;
  /** Accepts the call (202), and reports after that time (ISO 8601) to the address in it. Without `result` or `rejection` it never reports. */
  reportsLater(operation: string, report: LaterReport): void;
  /** Accepts the call (202) with `Retry-After`; the work is done after that time (ISO 8601). */
  isDoneLater(operation: string, times: { readonly after: string; readonly askAgainAfter: string }): void;
  /** Removes the scripts and faults of that operation, or all. */
  works(operation?: string): void;
}

/** The report of a call that a service does later, and its delay. */
export interface LaterReport {
  readonly after?: string;
  readonly result?: StepResult;
  /** Why it was rejected. */
  readonly rejection?: string;
}

interface Surroundings {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Has the service report, at that instant, what came of what it accepted; `reported` once it is taken, or nobody waits for it. */
  readonly report: (url: string, at: string, body: object, reported: () => void) => void;
  /** Where the app takes reports: what every such address begins with. */
  readonly completionsUrl: string;
}

type Script = (request: ServiceRequest) => Outcome;

export class Service implements ScriptedService {
  readonly agent: string;
  readonly calls: ServiceCall[] = [];
  readonly #scripts = new Map<string, { readonly script: Script; left: number }>();
  /** A service knows a call again by its key, and answers it as the first time. */
  readonly #done = new Map<string, ServiceAnswer>();
  /** What it has still to report, by key: it reports once, however often it is asked. */
  readonly #reporting = new Set<string>();
  readonly faults: ServiceFaults;
  /** The keys that were answered: only what is new can be rejected. */
  readonly #known = new Set<string>();
  readonly #usual: Handler;
  /** The service itself knows its keys, if it has any. */
  readonly #isSimulated: boolean;
  readonly #surroundings: Surroundings;
  #made = 0;
  /** The last one that it was asked. */
  #taking: ServiceRequest | undefined;

  constructor(agent: string, usual: Handler | undefined, surroundings: Surroundings, isSimulated = false) {
    this.agent = agent;
    this.#isSimulated = isSimulated;
    this.#usual = usual ?? ((request) => this.#usually(request));
    this.#surroundings = surroundings;
    this.faults = new ServiceFaults(surroundings.now);
  }

  switchOn(fault: ServiceFault): () => void {
    return this.faults.add(fault);
  }

  /** The fault `slow`: for so many milliseconds nothing is done with a request, and then it is, whoever still waits. */
  slowness(request: ServiceRequest): number {
    return this.faults.take("slow", request)?.delayMs ?? 0;
  }

  take(request: ServiceRequest): Outcome {
    this.#taking = request;
    const outcome = this.#outcomeOf(request);
    this.calls.push({ ...request, outcome });
    return outcome;
  }

  /** The fault `late` of what it reports later. */
  late(): ServiceFault | undefined {
    const request = this.#taking;
    return request && this.faults.take("late", request);
  }

  callsOf(operation: string): readonly ServiceCall[] {
    return this.calls.filter((call) => call.operation === operation);
  }

  answers(operation: string, answer: ServiceAnswer | Handler, times: Times = {}): void {
    this.#script(operation, typeof answer === "function" ? answer : () => answer, times);
  }

  rejects(operation: string, how: Parameters<ScriptedService["rejects"]>[1] = {}): void {
    const { message = `${this.agent} does not do that`, times, ...answer } = how;
    this.#befall(operation, { kind: "reject", message, ...answer }, { ...(times !== undefined && { times }) });
  }

  losesAnswer(operation: string, times: Times = {}): void {
    this.#befall(operation, { kind: "loseReply" }, times);
  }

  hangs(operation: string, times: Times = {}): void {
    this.#befall(operation, { kind: "hang" }, times);
  }

  reportsLater(operation: string, { after: wait, result, rejection }: LaterReport): void {
    const body = rejection === undefined ? { kind: "done", result } : { kind: "rejected", message: rejection };
    const isReported = result !== undefined || rejection !== undefined;
    this.#script(operation, (request) => {
      const { idempotencyKey: key = "" } = request;
      const url = this.#reportTo(request);
      const at = after(request.at, wait === undefined ? 0 : milliseconds(wait));
      if (isReported && !this.#reporting.has(key)) {
        this.#reporting.add(key);
        this.#surroundings.report(url, at, body, () => this.#reporting.delete(key));
      }
      // Without `Retry-After`, by which a service says that it is polled.
      const { headers: _, ...answer } = this.#doUnreported(request);
      return { ...answer, status: 202 };
    });
  }

  isDoneLater(operation: string, times: { readonly after: string; readonly askAgainAfter: string }): void {
    const doneAt = new Map<string, number>();
    const headers = { "retry-after": String(milliseconds(times.askAgainAfter) / 1000) };
    this.#script(operation, (request) => {
      const answer = this.#doUnreported(request);
      const { id } = answer.body as { readonly id: string };
      if (!doneAt.has(id)) doneAt.set(id, this.#surroundings.now() + milliseconds(times.after));
      return { ...answer, status: 202, headers };
    });
    this.#script(`${operation} later?`, ({ path }) => {
      const [id, at] = [...doneAt].find(([made]) => path.includes(encodeURIComponent(made))) ?? [];
      if (at === undefined) return { status: 404, body: { message: "it knows nothing of that" } };
      return this.#surroundings.now() < at ? { status: 202, body: {}, headers } : { body: { id } };
    });
  }

  works(operation?: string): void {
    this.faults.remove(operation);
    if (operation === undefined) this.#scripts.clear();
    else for (const name of [operation, `${operation} later?`]) this.#scripts.delete(name);
  }

  #script(operation: string, script: Script, { times: left = Number.POSITIVE_INFINITY }: Times = {}): void {
    this.faults.remove(operation);
    this.#scripts.set(operation, { script, left });
  }

  /** In the place of what was said of the operation before. */
  #befall(operation: string, fault: ServiceFault, { times }: Times): void {
    this.#scripts.delete(operation);
    this.faults.remove(operation);
    this.faults.add({ ...fault, operation, ...(times !== undefined && { calls: times }) });
  }

  /** As the local stack's services: what is down does nothing, what is known is not rejected, and what is done may be accepted, or lost. */
  #outcomeOf(request: ServiceRequest): Outcome {
    const { idempotencyKey: key } = request;
    if (this.faults.take("hang", request)) return "hangs";
    const down = this.faults.take("down", request);
    if (down) return failing(down, 503, "service-down", `${this.agent} is down`);
    const reject = key !== undefined && this.#known.has(key) ? undefined : this.faults.take("reject", request);
    if (reject) return failing(reject, 422, "rejected", `${this.agent} rejects it`);
    const outcome = this.#scripted(request);
    if (typeof outcome === "string" || (outcome.status ?? 200) >= 300) return outcome;
    if (key !== undefined) this.#known.add(key);
    const accept = this.faults.take("accept", request);
    const gateway = this.faults.take("gateway", request);
    if (gateway) return { status: gateway.status ?? 503, body: "<h1>a gateway</h1>", headers: HTML };
    if (this.faults.take("loseReply", request)) return "lost";
    return accept ? { ...outcome, status: 202, headers: { ...outcome.headers, ...retryAfter(accept) } } : outcome;
  }

  #scripted(request: ServiceRequest): Outcome {
    const own = this.#scripts.get(request.operation);
    if (!own || own.left === 0) return this.#do(request);
    own.left -= 1;
    return own.script(request);
  }

  #do(request: ServiceRequest): ServiceAnswer {
    const key = this.#isSimulated ? undefined : request.idempotencyKey;
    const answer = (key !== undefined && this.#done.get(key)) || this.#usual(request);
    if (key !== undefined) this.#done.set(key, answer);
    return answer;
  }

  /** A simulated service that knows no address reports nothing itself: the script says what is reported, and when. */
  #doUnreported(request: ServiceRequest): ServiceAnswer {
    const { completionsUrl } = this.#surroundings;
    return this.#do(this.#isSimulated ? { ...request, body: withoutAddress(request.body, completionsUrl) } : request);
  }

  /** It makes something and says what it is called, which is what most services do. */
  #usually({ method, operation, path }: ServiceRequest): ServiceAnswer {
    if (method === "GET") {
      const way = `services: { ${this.agent}: (request) => ... } or service.answers("${operation}", ...)`;
      throw new Error(`The service of ${this.agent} was asked ${path} and has no answer: give it one by ${way}.`);
    }
    this.#made += 1;
    return { body: { id: `${this.agent}-${this.#made}`, status: "done" } };
  }

  #reportTo({ body, headers, operation }: ServiceRequest): string {
    const { completionsUrl } = this.#surroundings;
    const found = textsIn([body, headers]).find((text) => text.startsWith(completionsUrl));
    if (found !== undefined) return found;
    throw new Error(
      `The service of ${this.agent} can't report ${operation} later: its request does not say where to (call.completion), or its step has no awaitWithin.`,
    );
  }
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return value !== null && typeof value === "object" ? Object.values(value).flatMap(textsIn) : [];
}

/** @param address what each such text begins with */
function withoutAddress(value: unknown, address: string): unknown {
  if (typeof value === "string") return value.startsWith(address) ? null : value;
  if (Array.isArray(value)) return value.map((one) => withoutAddress(one, address));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutAddress(one, address)]));
}

const HTML = { "content-type": "text/html" };

const retryAfter = ({ retryAfterS }: ServiceFault) =>
  retryAfterS === undefined ? {} : { "retry-after": String(retryAfterS) };

function failing(fault: ServiceFault, status: number, code: string, message: string): ServiceAnswer {
  return {
    status: fault.status ?? status,
    body: { code: fault.code ?? code, message: fault.message ?? message },
    headers: retryAfter(fault),
  };
}

export function milliseconds(duration: string): number {
  const ms = durationMs(duration);
  if (ms === undefined) throw new Error(`${duration} is no ISO 8601 duration such as PT10M`);
  return ms;
}
