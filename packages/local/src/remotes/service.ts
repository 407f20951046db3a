// One simulated service: decides what a request under an idempotency key does, given the list of effects and the faults.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Database } from "../database/database.ts";
import { askAgainIn, makingOf, OPEN_END, returnedBy } from "./answers.ts";
import {
  actionsOf,
  CREATE,
  type ParsedQueue,
  type ParsedResource,
  type ParsedService,
  type SimulatedRequest,
} from "./definition.ts";
import { type Effect, EffectLog, type Entry } from "./effect-log.ts";
import type { FaultRequest } from "./fault-request.ts";
import { Faults, type FaultTarget } from "./faults.ts";
import { Reports } from "./reports.ts";

/** Where a POST goes. `pattern` is what faults name it by. */
type ResourceRoute =
  | { readonly kind: "create"; readonly pattern: string; readonly resource: ParsedResource }
  | {
      readonly kind: "act";
      readonly pattern: string;
      readonly resource: ParsedResource;
      readonly action: string;
      readonly status: string;
    };

/** A request whose syntax is right. */
export interface ServiceCall {
  readonly route: ResourceRoute;
  readonly key: string;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The id in the path of an action, or `key:<creating idempotency key>`. */
  readonly id?: string;
}

export interface ServiceReply {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The effect stays, the answer never arrives. */
  readonly lost?: boolean;
  /** There is no effect, and no answer as long as the caller waits. */
  readonly hangs?: boolean;
}

type Count =
  | "requests"
  | "effects"
  | "replays"
  | "conflicts"
  | "down"
  | "slowed"
  | "hung"
  | "rejected"
  | "repliesLost"
  | "tombstones";

export class Service {
  readonly name: string;
  readonly knowsKeys: boolean;
  readonly queue: ParsedQueue | undefined;
  readonly faults: Faults;
  readonly effects: EffectLog;
  readonly #reports: Reports;
  /** Since the start of the process. */
  readonly counts: Record<Count, number> = {
    requests: 0,
    effects: 0,
    replays: 0,
    conflicts: 0,
    down: 0,
    slowed: 0,
    hung: 0,
    rejected: 0,
    repliesLost: 0,
    tombstones: 0,
  };
  readonly #database: Database;
  readonly #resources: readonly ParsedResource[];
  readonly #routes = new Map<string, ResourceRoute>();

  constructor(
    database: Database,
    { name, keys, resources, queue }: ParsedService,
    log: (line: string) => void = () => undefined,
  ) {
    this.name = name;
    this.knowsKeys = keys;
    this.queue = queue;
    this.#database = database;
    this.#resources = resources;
    this.faults = new Faults(database, name);
    this.effects = new EffectLog(database, name);
    this.#reports = new Reports({ database, service: name, log });
    for (const resource of resources) {
      this.#routes.set(resource.path, { kind: "create", pattern: resource.path, resource });
      for (const { name: action, status } of actionsOf(resource)) {
        const pattern = `${resource.path}/*/${action}`;
        this.#routes.set(pattern, { kind: "act", pattern, resource, action, status });
      }
    }
  }

  /** Every path there is, `*` standing for an id. */
  get paths(): string[] {
    return [...this.#routes.keys()];
  }

  /** Where `path` leads, with the id in it; undefined where nothing is. */
  route(path: string): { route: ResourceRoute; id?: string } | undefined {
    const create = this.#routes.get(path);
    if (create?.kind === "create") return { route: create };
    for (const { path: base } of this.#resources) {
      if (!path.startsWith(`${base}/`)) continue;
      const [id, action, ...more] = path.slice(base.length + 1).split("/");
      const route = this.#routes.get(`${base}/*/${action}`);
      if (id && route && more.length === 0) return { route, id: decoded(id) };
    }
    return undefined;
  }

  isResource(path: string): boolean {
    return this.#routes.get(path)?.kind === "create";
  }

  /** What has this path; undefined where the path has no such form. It answers as long as it is not down. */
  async one(path: string): Promise<ServiceReply | undefined> {
    const resource = this.#resources.find((known) => path.startsWith(`${known.path}/`));
    const id = resource && decoded(path.slice(resource.path.length + 1));
    if (!resource || !id || id.includes("/")) return undefined;
    const down = await this.#database.write(() => this.faults.take("down", { path: resource.path, body: {} }));
    if (down) return faultReply(down, 503, "service-down", `${this.name} is down`);
    const created = this.effects.created(resource.path, id);
    if (created) {
      const retryAfterS = askAgainIn(resource, Date.parse(created.at), Date.now());
      if (retryAfterS !== undefined) return { status: 202, body: "{}", headers: retryAfter({ retryAfterS }) };
      const request = this.#requestOf(resource, JSON.parse(created.body) as ServiceCall["body"]);
      return { status: 200, body: JSON.stringify({ ...returnedBy(resource, request), id }) };
    }
    const message = `${this.name} has no ${path}`;
    return { status: 404, body: JSON.stringify({ code: "not-found", message }) };
  }

  /** What was made under `path` by requests that had these fields. Only being down keeps it from answering, no other fault. */
  async lookUp(path: string, fields: URLSearchParams): Promise<ServiceReply> {
    const target = { path, body: Object.fromEntries(fields) };
    const down = await this.#database.write(() => this.faults.take("down", target));
    if (down) return faultReply(down, 503, "service-down", `${this.name} is down`);
    return { status: 200, body: JSON.stringify({ items: this.effects.made(path, fields) }) };
  }

  /** Resolves after the commit of everything that the call changed. A slow one is not held back once `hurry` is aborted. */
  async handle(call: ServiceCall, hurry: AbortSignal): Promise<ServiceReply> {
    this.counts.requests += 1;
    const target = { path: call.route.pattern, body: call.body };
    if (this.faults.has("slow")) {
      const slow = await this.#database.write(() => this.faults.take("slow", target));
      if (slow?.delayMs !== undefined) {
        this.counts.slowed += 1;
        await sleep(slow.delayMs, undefined, { signal: hurry }).catch(() => undefined);
      }
    }
    if (this.faults.has("hang")) {
      const hang = await this.#database.write(() => this.faults.take("hang", target));
      if (hang) {
        this.counts.hung += 1;
        return { status: 0, body: "", hangs: true };
      }
    }
    return this.#database.write(() => {
      const before = { ...this.counts };
      this.#database.onRollback(() => Object.assign(this.counts, before));
      const reply = this.#acceptedOr(this.#decide(call, target), target);
      if (reply.status >= 300) return reply;
      const gateway = this.faults.take("gateway", target);
      if (gateway) return this.#inPlaceOf(reply, gateway, call.route.resource);
      if (!this.faults.take("loseReply", target)) return reply;
      this.counts.repliesLost += 1;
      return { ...reply, lost: true };
    });
  }

  /** A gateway that took it for too slow, or leads to what was made. */
  #inPlaceOf({ body }: ServiceReply, { status = 503 }: FaultRequest, { path }: ParsedResource): ServiceReply {
    this.counts.repliesLost += 1;
    const { id } = JSON.parse(body) as { readonly id?: string };
    const location = status === 303 && id !== undefined && { Location: `${path}/${id}` };
    const page = `<h1>${status} from a gateway</h1>`;
    return { status, body: page, headers: { "Content-Type": "text/html", ...location } };
  }

  #acceptedOr(reply: ServiceReply, target: FaultTarget): ServiceReply {
    const accept = reply.status < 300 ? this.faults.take("accept", target) : undefined;
    if (!accept) return reply;
    return { ...reply, status: 202, headers: { ...reply.headers, ...retryAfter(accept) } };
  }

  #decide(call: ServiceCall, target: { path: string; body: ServiceCall["body"] }): ServiceReply {
    const { key, route } = call;
    const down = this.faults.take("down", target);
    if (down) {
      this.effects.call(key);
      this.counts.down += 1;
      return faultReply(down, 503, "service-down", `${this.name} is down`);
    }
    const entry = this.effects.find(key);
    if (entry?.answer != null) return this.#repeat(call, entry, entry.answer);
    if (entry?.compensated)
      return this.#turnAway(key, 409, "already-undone", `what ${key} would create was compensated before`);
    // A key that took effect is answered from the list of effects, so only a new effect can be refused.
    const reject = this.faults.take("reject", target);
    if (reject) {
      this.effects.call(key);
      this.counts.rejected += 1;
      return faultReply(reject, 422, "rejected", `${this.name} refuses`);
    }
    if (route.kind === "act") return this.#act(call, route);
    const own = route.resource.rejects?.(this.#requestOf(route.resource, call.body));
    if (!own) return this.#create(call, route);
    this.effects.call(key);
    this.counts.rejected += 1;
    return faultReply(own, 422, "rejected", `${this.name} rejects it`);
  }

  #requestOf({ path, actions }: ParsedResource, body: ServiceCall["body"]): SimulatedRequest {
    return { body, made: () => madeIn(this.effects.list([]), path, actionsOf({ actions })) };
  }

  #repeat(call: ServiceCall, entry: Entry, answer: string): ServiceReply {
    const { route, key } = call;
    const action = route.kind === "create" ? CREATE : route.action;
    const same =
      entry.path === route.resource.path &&
      entry.action === action &&
      (route.kind === "create" || entry.id === this.#resolve(call.id ?? "")) &&
      (entry.body === call.text || isDeepStrictEqual(JSON.parse(entry.body ?? "{}"), call.body));
    if (!same) return this.#turnAway(key, 422, "key-reused", `${key} was used for another request`);
    this.effects.call(key);
    this.counts.replays += 1;
    const again = entry.status === 202 ? { retryAfterS: route.resource.later?.askAgainAfterS } : {};
    return {
      status: entry.status ?? 200,
      body: answer,
      headers: { "Idempotent-Replay": "true", ...retryAfter(again) },
    };
  }

  #create({ key, text, body }: ServiceCall, { resource, pattern }: ResourceRoute): ServiceReply {
    const id = `${resource.idPrefix}-${randomUUID().slice(-12)}`;
    const returned = returnedBy(resource, this.#requestOf(resource, body));
    const { status, answer: made, report, askAgainAfterS } = makingOf(resource, id, body, returned);
    const answer = JSON.stringify(made);
    this.effects.record(key, { path: resource.path, id, action: CREATE, body: text, status, answer, effect: true });
    if (report) {
      const afterMs = this.faults.take("late", { path: pattern, body })?.delayMs ?? report.afterMs;
      this.#reports.add(id, report.url, report.body, afterMs);
    }
    this.counts.effects += 1;
    return { status, body: answer, headers: retryAfter({ retryAfterS: askAgainAfterS }) };
  }

  /** What is to be reported yet, is by the next process. */
  close(): void {
    this.#reports.close();
  }

  #act(
    { key, text, id: given = "" }: ServiceCall,
    { resource, action, status }: ResourceRoute & { kind: "act" },
  ): ServiceReply {
    const id = this.#resolve(given);
    const path = resource.path;
    if (id.startsWith(OPEN_END)) {
      this.effects.bury(id.slice(OPEN_END.length));
      this.counts.tombstones += 1;
      const answer = JSON.stringify({ status: "nothing-to-compensate" });
      this.effects.record(key, { path, id, action, body: text, status: 200, answer, effect: false });
      return { status: 200, body: answer };
    }
    if (!this.effects.created(path, id)) {
      return this.#turnAway(key, 404, "not-found", `${this.name} has no ${path}/${id}`);
    }
    const answer = JSON.stringify({ id, status });
    this.#reports.drop(id);
    // Without keys nobody can see that it was asked twice: it is cancelled once. With keys a second cancellation is somebody's mistake, and shows.
    const effect = this.knowsKeys || this.effects.lastAction(path, id) !== action;
    this.effects.record(key, { path, id, action, body: text, status: 200, answer, effect });
    if (effect) this.counts.effects += 1;
    return { status: 200, body: answer };
  }

  /** The id of what `key:…` created or acted on; itself where that had no effect, and for any other id. */
  #resolve(id: string): string {
    if (!id.startsWith(OPEN_END)) return id;
    const entry = this.effects.find(id.slice(OPEN_END.length));
    return entry?.effect && entry.id !== null ? entry.id : id;
  }

  #turnAway(key: string, status: number, code: string, message: string): ServiceReply {
    this.effects.call(key);
    this.counts.conflicts += 1;
    return { status, body: JSON.stringify({ code, message }) };
  }
}

/** What was made under `path`, with the status that the last action left. */
function madeIn(
  effects: readonly Effect[],
  path: string,
  actions: readonly { readonly name: string; readonly status: string }[],
): { readonly id: string; readonly status: string; readonly body: unknown }[] {
  const own = effects.filter((effect) => effect.path === path);
  return own
    .filter(({ action }) => action === CREATE)
    .map(({ id, body }) => {
      const last = own.findLast((effect) => effect.id === id)?.action;
      return { id, status: actions.find(({ name }) => name === last)?.status ?? "created", body };
    });
}

type Stated = Partial<Pick<FaultRequest, "status" | "code" | "message" | "retryAfterS">>;

function faultReply(fault: Stated, status: number, code: string, message: string): ServiceReply {
  return {
    status: fault.status ?? status,
    body: JSON.stringify({ code: fault.code ?? code, message: fault.message ?? message }),
    ...(fault.retryAfterS === undefined ? {} : { headers: retryAfter(fault) }),
  };
}

function retryAfter({ retryAfterS }: { readonly retryAfterS?: number | undefined }): Record<string, string> {
  return retryAfterS === undefined ? {} : { "Retry-After": String(retryAfterS) };
}

/** A segment that is no valid percent-encoding stands for itself. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
