// Calls an agent's operations (P6, P8, P18, P19): routed to an endpoint, retried with backoff, ended at complete-by.
import { ExponentialBackoff, fullJitterGenerator, type IBackoff } from "cockatiel";
import type { Priority } from "../domain/order.ts";
import type { Health } from "../domain/routing.ts";
import type { Agent, AgentReply, AgentRequest, BoundedReply, Endpoint, Operation, RoutedAgent } from "./agent.ts";
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

type Request = Omit<AgentRequest, "signal" | "endpoint" | "traceparent">;

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
    async call(name, request, { completeBy, priority }) {
      const operation = Object.hasOwn(agent.operations, name) ? agent.operations[name] : undefined;
      if (!operation) throw new Error(`the agent ${agent.name} has no operation ${name}`);
      const leftMs = Date.parse(completeBy) - now();
      if (Number.isNaN(leftMs)) throw new Error(`complete-by ${completeBy} is no instant`);
      if (leftMs <= 0) return { kind: "expired", tries: 0 };
      const deadline = new Deadline(leftMs);
      try {
        const seen = observeTry ? observed(operation, agent.name, name, observeTry) : operation;
        return await untilAnswered(seen, request, priority, deadline, router);
      } finally {
        deadline.end();
      }
    },
  };
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
  request: Request,
  priority: Priority,
  deadline: Deadline,
  router: Router,
): Promise<BoundedReply> {
  const { pool, pauses } = router;
  let pause: IBackoff<unknown> | undefined;
  let failed: string | undefined;
  let unsure = false;
  for (let tries = 0; ; ) {
    const lease = pool.take(priority, failed) ?? (await admission(pool, priority, failed, deadline));
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
  request: Request,
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
