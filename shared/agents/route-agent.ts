// Calls an agent's operations (P6, P8, P18, P19, P26): taken up when there is a place, routed to an endpoint, retried with backoff,
// ended at complete-by.
import { ExponentialBackoff, fullJitterGenerator, type IBackoff } from "cockatiel";
import type { Priority } from "../domain/order.ts";
import type { Health } from "../domain/routing.ts";
import type {
  Agent,
  AgentReply,
  BoundedReply,
  Bounds,
  Endpoint,
  Operation,
  RoutedAgent,
  RoutedRequest,
} from "./agent.ts";
import { Deadline } from "./deadline.ts";
import { BREAKER, type BreakerOptions } from "./endpoint-health.ts";
import { EndpointPool, type Lease } from "./endpoint-pool.ts";

export interface RouteOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A try without an answer is given up after so long. */
  readonly tryTimeoutMs?: number;
  /** An answer that takes longer counts against the endpoint's health. */
  readonly slowAfterMs?: number;
  /** The first pause is below this, each further one below twice the last limit, up to the longest. */
  readonly firstPauseMs?: number;
  readonly longestPauseMs?: number;
  readonly breaker?: Partial<BreakerOptions>;
  /** How many calls may wait for capacity in each lane. */
  readonly waitingRoom?: number;
  /** Hears of every change of an endpoint's health and every probe; must not throw. */
  readonly onHealth?: OnHealth | undefined;
  /** Stands round each try of an operation; must pass its answer on. */
  readonly observeTry?: ObserveTry | undefined;
}

export type OnHealth = (agent: string, endpoint: string, state: Health, why: string) => void;

export interface Try {
  readonly agent: string;
  readonly operation: string;
  readonly endpoint: string;
  /** 1 for the first. */
  readonly tries: number;
}

export type ObserveTry = (
  about: Try,
  call: (traceparent: string | undefined) => Promise<AgentReply>,
) => Promise<AgentReply>;

const DEFAULTS = {
  tryTimeoutMs: 5000,
  slowAfterMs: 3000,
  firstPauseMs: 100,
  longestPauseMs: 5000,
  waitingRoom: 1000,
} as const;

/** A call that takes longer than this, or half of its time, says that it is at work. */
const SAY_AFTER_MS = 2000;

interface Router {
  readonly pool: EndpointPool;
  readonly pauses: ExponentialBackoff<number>;
  readonly now: () => number;
  readonly tryTimeoutMs: number;
  readonly slowAfterMs: number;
}

/** @throws without endpoints. */
export function routeAgent(agent: Agent, endpoints: readonly Endpoint[], options: RouteOptions): RoutedAgent {
  if (endpoints.length === 0) throw new Error(`the agent ${agent.name} has no endpoint`);
  const { now, breaker, onHealth, observeTry } = options;
  const settings = { ...DEFAULTS, ...options };
  const router: Router = {
    pool: new EndpointPool(endpoints, {
      breaker: { ...BREAKER, ...breaker },
      waitingRoom: settings.waitingRoom,
      now,
      onHealth: (endpoint, state, why) => onHealth?.(agent.name, endpoint, state, why),
    }),
    pauses: new ExponentialBackoff({
      generator: fullJitterGenerator,
      initialDelay: settings.firstPauseMs,
      maxDelay: settings.longestPauseMs,
    }),
    now,
    tryTimeoutMs: settings.tryTimeoutMs,
    slowAfterMs: settings.slowAfterMs,
  };
  return {
    name: agent.name,
    operationNames: Object.keys(agent.operations),
    async call(name, request, bounds) {
      const operation = Object.hasOwn(agent.operations, name) ? agent.operations[name] : undefined;
      if (!operation) throw new Error(`the agent ${agent.name} has no operation ${name}`);
      const seen = observeTry ? observed(operation, agent.name, name, observeTry) : operation;
      const place = await firstPlace(bounds, router);
      if (place === "none in time") return { kind: "notTakenUp" };
      const completeBy = await takeUp(bounds, place, router.pool);
      if (completeBy === undefined) return { kind: "notTakenUp" };
      const leftMs = Date.parse(completeBy) - now();
      if (Number.isNaN(leftMs)) throw new Error(`complete-by ${completeBy} is no instant`);
      if (leftMs <= 0) {
        if (place) router.pool.release(place, "unclear", "complete-by had passed");
        await bounds.stillAtWork();
        return { kind: "expired", tries: 0 };
      }
      return within(leftMs, bounds, (deadline) =>
        untilAnswered(seen, request, bounds.priority, deadline, router, place),
      );
    },
  };
}

/** Waiting for capacity is no failure of the call's; undefined where every endpoint is down, which may become one. */
async function firstPlace(
  { startBy, priority }: Bounds,
  { pool, pauses, now }: Router,
): Promise<Lease | undefined | "none in time"> {
  const lease = pool.take(priority);
  if (lease || pool.isDown()) return lease;
  const leftMs = Date.parse(startBy) - now();
  if (Number.isNaN(leftMs)) throw new Error(`start-by ${startBy} is no instant`);
  if (leftMs <= 0) return "none in time";
  const patience = new Deadline(leftMs);
  let pause: IBackoff<unknown> | undefined;
  try {
    while (!patience.passed) {
      const place = await patience.within<Lease | "down" | "full">((settle) => {
        const leave = pool.wait(priority, undefined, settle, () => settle("down"));
        if (!leave) settle("full");
        return leave ?? (() => undefined);
      });
      if (place === "down") return undefined;
      if (place !== undefined && place !== "full") return place;
      // In a full lane, asking again at random is bounded, and keeps nobody's place.
      pause = pause ? pause.next(undefined) : pauses.next();
      await patience.pause(pause.duration);
    }
    return "none in time";
  } finally {
    patience.end();
  }
}

async function takeUp(bounds: Bounds, place: Lease | undefined, pool: EndpointPool): Promise<string | undefined> {
  let completeBy: string | undefined;
  try {
    completeBy = await bounds.takeUp();
    return completeBy;
  } finally {
    if (completeBy === undefined && place) pool.release(place, "unclear", "the step was not taken up");
  }
}

/** Bounds the work by complete-by, and says in time that it is still under way. */
async function within(
  leftMs: number,
  bounds: Bounds,
  work: (deadline: Deadline) => Promise<BoundedReply>,
): Promise<BoundedReply> {
  let said: Promise<void> | undefined;
  const stillAtWork = () => {
    said ??= bounds.stillAtWork();
    return said;
  };
  const deadline = new Deadline(leftMs);
  const timer = setTimeout(() => void stillAtWork(), Math.min(SAY_AFTER_MS, leftMs / 2));
  try {
    const reply = await work(deadline);
    // Whoever counts failures has to know that this was one.
    if (reply.kind === "expired") await stillAtWork();
    return reply;
  } finally {
    clearTimeout(timer);
    deadline.end();
    await said;
  }
}

function observed(call: Operation, agent: string, operation: string, observe: ObserveTry): Operation {
  let tries = 0;
  return (request) => {
    tries += 1;
    const about = { agent, operation, endpoint: request.endpoint, tries };
    return observe(about, (traceparent) => call({ ...request, traceparent }));
  };
}

async function untilAnswered(
  operation: Operation,
  request: RoutedRequest,
  priority: Priority,
  deadline: Deadline,
  router: Router,
  place: Lease | undefined,
): Promise<BoundedReply> {
  const { pool, pauses } = router;
  let first = place;
  let pause: IBackoff<unknown> | undefined;
  let failed: string | undefined;
  let unsure = false;
  for (let tries = 0; ; ) {
    const lease = first ?? pool.take(priority, failed) ?? (await admission(pool, priority, failed, deadline));
    first = undefined;
    if (lease) {
      tries += 1;
      const reply = await tryOnce(operation, request, lease, deadline, router);
      if (!reply) return { kind: "expired", tries };
      const route = { endpoint: lease.url, because: lease.because };
      if (reply.kind === "done") return { ...reply, ...route };
      if (reply.kind === "rejected") return { ...reply, ...route, ...(unsure && { unsure }) };
      unsure ||= reply.unanswered === true;
      failed = lease.url;
    }
    // Also without a place in a full waiting room: asking again at random is bounded, and keeps nobody's place.
    pause = pause ? pause.next(undefined) : pauses.next();
    await deadline.pause(pause.duration);
    if (deadline.passed) return { kind: "expired", tries };
  }
}

/** Undefined when the lane is full or the deadline has passed. */
function admission(
  pool: EndpointPool,
  priority: Priority,
  failed: string | undefined,
  deadline: Deadline,
): Promise<Lease | undefined> {
  return deadline.within<Lease | undefined>((settle) => {
    const leave = pool.wait(priority, failed, settle);
    if (!leave) settle(undefined);
    return leave ?? (() => undefined);
  });
}

/** One try, which gives its place back with what it told of the endpoint; undefined when the deadline passed. */
async function tryOnce(
  operation: Operation,
  request: RoutedRequest,
  lease: Lease,
  deadline: Deadline,
  { pool, now, tryTimeoutMs, slowAfterMs }: Router,
): Promise<AgentReply | undefined> {
  let reply: AgentReply | undefined;
  try {
    reply = await deadline.within((settle, fail) => {
      const cancel = new AbortController();
      const timer = setTimeout(() => {
        cancel.abort(new Error("the try took too long"));
        settle({ kind: "unavailable", message: `no answer within ${tryTimeoutMs} ms`, unanswered: true });
      }, tryTimeoutMs);
      const { order, results, idempotencyKey, undoes } = request;
      const run = async () => {
        try {
          settle(
            await operation({ order, results, idempotencyKey, undoes, endpoint: lease.url, signal: cancel.signal }),
          );
        } catch (cause) {
          fail(cause);
        } finally {
          clearTimeout(timer);
        }
      };
      void run();
      return () => {
        clearTimeout(timer);
        cancel.abort(new Error("complete-by has passed"));
      };
    });
  } catch (cause) {
    pool.release(lease, "unclear", `the operation failed: ${String(cause)}`);
    throw cause;
  }
  const isSlow = now() - lease.startedAt >= slowAfterMs;
  if (!reply) {
    // Cut off by complete-by: that tells something of the endpoint only if it had its time.
    pool.release(lease, isSlow ? "failed" : "unclear", "no answer before complete-by");
  } else if (reply.kind === "unavailable") {
    pool.release(lease, "failed", reply.message, reply.retryAfterMs);
  } else {
    pool.release(lease, isSlow ? "failed" : "answered", isSlow ? `took longer than ${slowAfterMs} ms` : reply.kind);
  }
  return reply;
}
