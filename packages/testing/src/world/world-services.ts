// The services of a world: one for each agent that calls one, at an address of its own.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Endpoint, RouteOptions } from "@scheduler-agent-supervisor/core/agents";
import type { AgentEndpoints, Business } from "@scheduler-agent-supervisor/core/app";
import type { AgentRequestMessage } from "@scheduler-agent-supervisor/core/messaging";
import { COMPLETIONS_PATH } from "@scheduler-agent-supervisor/core/scheduling";
import {
  type Handler,
  milliseconds,
  type Outcome,
  type ScriptedService,
  Service,
  type ServiceRequest,
} from "../services/scripted-service.ts";
import type { Network } from "../services/service-network.ts";
import type { VirtualTime } from "./virtual-time.ts";
import { APP_URL } from "./world-ports.ts";

/** What the app allows to be under way at once at an endpoint that says nothing. */
const CAPACITY = 64;

/** Whoever reports what can't be taken yet does it again after so long (functions/completions.ts), then after twice as long each time. */
const REPORT_AGAIN_MS = 30_000;
/** A service gives up then, after more than a day. */
const MOST_REPORTS = 13;

type Values = { readonly [member: string]: unknown };

/** What a simulated service's worker makes of the messages of a queue, as the local stack's does. */
interface SimulatedQueue {
  readonly name: string;
  readonly asks: (message: Values) => { readonly path: string; readonly key: string; readonly body: Values };
  readonly replies: (message: Values, answer: { readonly status: number; readonly body: Values }) => Values | undefined;
}

/** A service that takes requests, also by a worker from a queue: then that takes its agent's, and no function of the app does. */
type SimulatedService = Handler & { readonly queue?: SimulatedQueue };

/** Makes the services of a world: they know their own keys, and report by its clock. Those of other names than its agents' are not called. */
export type Simulated = (surroundings: {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Has a report sent, after that time in milliseconds. */
  readonly report: (url: string, afterMs: number, body: object) => void;
}) => { readonly [agent: string]: SimulatedService };

export interface ServicesOptions {
  readonly business: Business;
  readonly services?: { readonly [agent: string]: Handler };
  readonly simulated?: Simulated;
  readonly without?: readonly string[];
}

interface Surroundings {
  readonly begin: (work: () => Promise<void>) => void;
  /** Ends the world's run with that error. */
  readonly fail: (cause: unknown) => void;
  readonly report: (url: string, body: object) => Promise<"taken" | "again" | "nobody waits">;
}

/** Which operation of which agent a call belongs to. */
const asking = new AsyncLocalStorage<string>();

export class ServiceNetwork implements Network {
  readonly endpoints: AgentEndpoints;
  readonly routing: Omit<RouteOptions, "now"> = {
    observeTry: ({ operation }, call) => asking.run(operation, () => call(undefined)),
  };
  readonly #services: ReadonlyMap<string, Service>;
  readonly #queues: ReadonlyMap<string, SimulatedQueue>;
  /** The one that is asked: what it reports later is its own. */
  #asked: Service | undefined;
  readonly #time: VirtualTime;
  readonly #surroundings: Surroundings;

  constructor(
    { business, services = {}, simulated, without = [] }: ServicesOptions,
    time: VirtualTime,
    surroundings: Surroundings,
  ) {
    this.#time = time;
    this.#surroundings = surroundings;
    const names = business.serviceAgents.map(({ name }) => name);
    const strange = [...Object.keys(services), ...without].filter((name) => !names.includes(name));
    if (strange.length > 0) throw new Error(`No agent with a service is called ${strange.join(" or ")}: ${has(names)}`);
    const own = { now: () => time.now, completionsUrl: `${APP_URL}/${COMPLETIONS_PATH}/` };
    const report = this.#report.bind(this);
    const inWorld = (url: string, afterMs: number, body: object) => {
      const late = this.#asked?.late()?.delayMs;
      report(url, new Date(time.now + (late ?? afterMs)).toISOString(), body, () => undefined);
    };
    const usual = simulated?.({ now: own.now, report: inWorld }) ?? {};
    const queued = Object.entries(usual).flatMap(([name, { queue }]): [string, SimulatedQueue][] =>
      queue && business.knownAgents.has(name) ? [[name, queue]] : [],
    );
    this.#queues = new Map(queued);
    this.#services = new Map(
      [...new Set([...names, ...this.#queues.keys()])].map((name) => {
        const isSimulated = services[name] === undefined && usual[name] !== undefined;
        return [name, new Service(name, services[name] ?? usual[name], { ...own, report }, isSimulated)];
      }),
    );
    this.endpoints = Object.fromEntries(
      names.map((name) => [name, without.includes(name) ? undefined : [endpointOf(name)]]),
    );
  }

  of(agent: string): ScriptedService {
    const service = this.#services.get(agent);
    if (!service) throw new Error(`No agent with a service is called ${agent}: ${has([...this.#services.keys()])}`);
    return service;
  }

  take(origin: string, request: Omit<ServiceRequest, "operation" | "at">, answer: (outcome: Outcome) => void): void {
    const service = [...this.#services.values()].find(({ agent }) => `${origin}/` === endpointOf(agent).url);
    const { method, path } = request;
    const asked = { ...request, operation: asking.getStore() ?? `${method} ${path}` };
    const answerNow = () => {
      try {
        if (!service) throw new Error(`An agent called ${origin}${path}, where no service of this world answers.`);
        answer(this.#ask(service, asked));
      } catch (cause) {
        this.#surroundings.fail(cause);
        throw cause;
      }
    };
    const slowMs = service?.slowness(this.#now(asked)) ?? 0;
    if (slowMs === 0) answerNow();
    else this.later(slowMs, answerNow);
  }

  #ask(service: Service, request: Omit<ServiceRequest, "at">): Outcome {
    this.#asked = service;
    try {
      return service.take(this.#now(request));
    } finally {
      this.#asked = undefined;
    }
  }

  #now(request: Omit<ServiceRequest, "at">): ServiceRequest {
    return { ...request, at: new Date(this.#time.now).toISOString() };
  }

  /** Whether a simulated worker takes the requests of that agent from their queue. */
  hasWorker(agent: string): boolean {
    return this.#queues.has(agent);
  }

  /** The replies of a simulated worker to a request. */
  async work(agent: string, request: AgentRequestMessage): Promise<readonly Values[]> {
    const [queue, service] = [this.#queues.get(agent), this.#services.get(agent)];
    if (!queue || !service) throw new Error(`No simulated service takes the requests of ${agent} from a queue`);
    const message = request as unknown as Values;
    const downUntil = service.faults.downAtUntil(queue.name);
    // What nobody takes expires in its queue.
    if (downUntil !== undefined && !(downUntil < Date.parse(request.startBy))) return [];
    if (downUntil !== undefined) await this.#pause(downUntil - this.#time.now);
    if (service.faults.takeAt(queue.name, "hang", message)) return [];
    await this.#pause(service.faults.takeAt(queue.name, "slow", message)?.delayMs ?? 0);
    const { path, key, body } = queue.asks(message);
    const asked = { operation: request.operation, method: "POST", path, headers: {}, body, idempotencyKey: key };
    await this.#pause(service.slowness(this.#now(asked)));
    const outcome = this.#ask(service, asked);
    if (outcome === "lost" || outcome === "hangs") return [];
    await this.#pause(outcome.takes === undefined ? 0 : milliseconds(outcome.takes));
    const reply = queue.replies(message, { status: outcome.status ?? 200, body: (outcome.body ?? {}) as Values });
    if (!reply) return [];
    return service.faults.takeAt(queue.name, "double", message) ? [reply, reply] : [reply];
  }

  async #pause(ms: number): Promise<void> {
    if (ms > 0) await new Promise<void>((resolve) => void this.#time.at(this.#time.now + ms, resolve));
  }

  later(ms: number, run: () => void): void {
    this.#time.at(this.#time.now + ms, run);
  }

  #report(url: string, at: string, body: object, reported: () => void, times = 1): void {
    this.#time.atAllEvents(Date.parse(at), () =>
      this.#surroundings.begin(async () => {
        const outcome = await this.#surroundings.report(url, body);
        if (outcome !== "again" || times === MOST_REPORTS) return reported();
        const again = new Date(this.#time.now + REPORT_AGAIN_MS * 2 ** (times - 1)).toISOString();
        this.#report(url, again, body, reported, times + 1);
      }),
    );
  }
}

/** RFC 2606: no such host can be. */
function endpointOf(agent: string): Endpoint {
  return { url: `http://${agent.toLowerCase()}.test/`, capacity: CAPACITY };
}

const has = (names: readonly string[]) => `the app has ${names.join(", ")}`;
