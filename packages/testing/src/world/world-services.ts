// The services of a world: one for each agent that calls one, at an address of its own.
import { AsyncLocalStorage } from "node:async_hooks";
import type { AgentEndpoints, Business } from "@scheduler-agent-supervisor/core/app";
import type { Endpoint, RouteOptions } from "@scheduler-agent-supervisor/core/composition";
import { COMPLETIONS_PATH } from "@scheduler-agent-supervisor/core/scheduling";
import {
  type Handler,
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

/** Whoever reports what can't be taken yet does it again after so long: see functions/completions.ts. */
const REPORT_AGAIN_MS = 30_000;
/** A service gives up then. */
const MOST_REPORTS = 20;

/** Makes the services of a world: they know their own keys, and report by its clock. Those of other names than its agents' are not called. */
export type Simulated = (surroundings: {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Has a report sent, after that time in milliseconds. */
  readonly report: (url: string, afterMs: number, body: object) => void;
}) => { readonly [agent: string]: Handler };

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
    const inWorld = (url: string, afterMs: number, body: object) =>
      report(url, new Date(time.now + afterMs).toISOString(), body, () => undefined);
    const usual = simulated?.({ now: own.now, report: inWorld }) ?? {};
    this.#services = new Map(
      names.map((name) => {
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

  take(origin: string, request: Omit<ServiceRequest, "operation" | "at">): Outcome {
    try {
      const service = [...this.#services.values()].find(({ agent }) => `${origin}/` === endpointOf(agent).url);
      if (!service) {
        throw new Error(`An agent called ${origin}${request.path}, where no service of this world answers.`);
      }
      const { method, path } = request;
      const at = new Date(this.#time.now).toISOString();
      return service.take({ ...request, operation: asking.getStore() ?? `${method} ${path}`, at });
    } catch (cause) {
      this.#surroundings.fail(cause);
      throw cause;
    }
  }

  later(ms: number, run: () => void): void {
    this.#time.at(this.#time.now + ms, run);
  }

  #report(url: string, at: string, body: object, reported: () => void, times = 1): void {
    const again = new Date(Date.parse(at) + REPORT_AGAIN_MS).toISOString();
    this.#time.atAllEvents(Date.parse(at), () =>
      this.#surroundings.begin(async () => {
        const outcome = await this.#surroundings.report(url, body);
        if (outcome === "again" && times < MOST_REPORTS) this.#report(url, again, body, reported, times + 1);
        else reported();
      }),
    );
  }
}

/** RFC 2606: no such host can be. */
function endpointOf(agent: string): Endpoint {
  return { url: `http://${agent.toLowerCase()}.test/`, capacity: CAPACITY };
}

const has = (names: readonly string[]) => `the app has ${names.join(", ")}`;
