// Simulated services without a server: a test's world calls them as functions, and they answer as the servers do.
import { isDeepStrictEqual } from "node:util";
import { askAgainIn, makingOf, OPEN_END, returnedBy, type Values } from "./answers.ts";
import {
  actionsOf,
  type ParsedQueue,
  type ParsedResource,
  type ParsedService,
  parseRemotes,
  type RemoteService,
  type SimulatedRequest,
} from "./definition.ts";

/** A request of an agent; `path` has its query. */
export interface InMemoryRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly idempotencyKey?: string | undefined;
}

/** The answer of a service: its HTTP status, its body as JSON has it, and its headers in lower case. */
export interface InMemoryAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** A service: it answers a request; and what its worker makes of a message, if it takes from a queue. */
export type InMemoryService = ((request: InMemoryRequest) => InMemoryAnswer) & {
  readonly queue?: Pick<ParsedQueue, "name" | "asks" | "replies">;
};

/** What surrounds the services. */
interface Surroundings {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Has a report sent, after that time. */
  readonly report: (url: string, afterMs: number, body: object) => void;
}

interface Made {
  readonly id: string;
  readonly path: string;
  readonly key: string;
  readonly body: Values;
  readonly answer: Values;
  readonly at: number;
  status: string;
}

/** The services by their names, each with nothing made yet. Throws one error with every fault of the definitions. */
export function inMemoryServices(
  services: readonly RemoteService[],
  surroundings: Surroundings,
): Record<string, InMemoryService> {
  return Object.fromEntries(
    parseRemotes({ services }).map((one) => {
      const { name, queue } = one;
      return [name, Object.assign(inMemory(one, surroundings), queue && { queue })];
    }),
  );
}

function inMemory({ name, keys, resources }: ParsedService, { now, report }: Surroundings) {
  const made: Made[] = [];
  const buried = new Set<string>();
  const requestFor = ({ path }: ParsedResource, body: Values): SimulatedRequest => ({
    body,
    made: () => made.filter((one) => one.path === path).map(({ id, status, body: own }) => ({ id, status, body: own })),
  });

  function create(resource: ParsedResource, key: string, body: Values): InMemoryAnswer {
    if (buried.has(key)) return fault(409, "already-undone", `what ${key} would create was compensated before`);
    const request = requestFor(resource, body);
    const rejected = resource.rejects?.(request);
    if (rejected) return fault(rejected.status ?? 422, rejected.code ?? "rejected", rejected.message);
    const id = `${resource.idPrefix}-${made.length + 1}`;
    const {
      status,
      answer,
      report: owed,
      askAgainAfterS,
    } = makingOf(resource, id, body, returnedBy(resource, request));
    made.push({ id, path: resource.path, key, body, answer, at: now(), status: "created" });
    if (owed) report(owed.url, owed.afterMs, owed.body);
    return said(status, answer, askAgainAfterS);
  }

  function act({ path }: ParsedResource, given: string, status: string): InMemoryAnswer {
    const isOpen = given.startsWith(OPEN_END);
    const key = given.slice(OPEN_END.length);
    const found = made.find((one) => one.path === path && (isOpen ? one.key === key : one.id === given));
    if (!found && isOpen) {
      buried.add(key);
      return said(200, { status: "nothing-to-compensate" });
    }
    if (!found) return fault(404, "not-found", `${name} has no ${path}/${given}`);
    found.status = status;
    return said(200, { id: found.id, status });
  }

  function one(resource: ParsedResource, id: string): InMemoryAnswer {
    const found = made.find(({ path, id: own }) => path === resource.path && own === id);
    if (!found) return fault(404, "not-found", `${name} has no ${resource.path}/${id}`);
    const againIn = askAgainIn(resource, found.at, now());
    if (againIn !== undefined) return said(202, {}, againIn);
    return said(200, { ...returnedBy(resource, requestFor(resource, found.body)), id });
  }

  function lookUp({ path }: ParsedResource, fields: URLSearchParams): InMemoryAnswer {
    const items = made.filter(
      (other) => other.path === path && [...fields].every(([member, value]) => String(other.body[member]) === value),
    );
    return said(200, { items: items.map(({ answer, status }) => ({ ...answer, status })) });
  }

  function answerTo({ method, path: asked, body, idempotencyKey = "" }: InMemoryRequest): InMemoryAnswer {
    const { pathname, searchParams } = new URL(asked, "http://service.test");
    for (const resource of resources) {
      if (pathname === resource.path)
        return method === "GET" ? lookUp(resource, searchParams) : create(resource, idempotencyKey, valuesIn(body));
      if (!pathname.startsWith(`${resource.path}/`)) continue;
      const [id = "", action, ...more] = pathname.slice(resource.path.length + 1).split("/");
      if (method === "GET" && action === undefined) return one(resource, decodeURIComponent(id));
      const known = actionsOf(resource).find((other) => other.name === action);
      if (method === "POST" && known && more.length === 0) return act(resource, decodeURIComponent(id), known.status);
    }
    return fault(404, "no-such-path", `${name} has no ${method} ${asked}`);
  }

  /** What had an effect is answered again, and what was rejected is asked again. */
  const answered = new Map<
    string,
    { readonly path: string; readonly body: unknown; readonly answer: InMemoryAnswer }
  >();
  return (request: InMemoryRequest): InMemoryAnswer => {
    const { method, idempotencyKey: key, path, body } = request;
    if (method === "GET" || !keys) return answerTo(request);
    if (key === undefined) return fault(400, "bad-request", "the header Idempotency-Key is missing");
    const known = answered.get(key);
    if (known && !isDeepStrictEqual([known.path, known.body], [path, body]))
      return fault(422, "key-reused", `${key} was used for another request`);
    if (known) return known.answer;
    const answer = answerTo(request);
    if (answer.status < 300) answered.set(key, { path, body, answer });
    return answer;
  };
}

const valuesIn = (body: unknown): Values => (body !== null && typeof body === "object" ? (body as Values) : {});

const said = (status: number, body: object, retryAfterS?: number): InMemoryAnswer => ({
  status,
  body,
  headers: retryAfterS === undefined ? {} : { "retry-after": String(retryAfterS) },
});

const fault = (status: number, code: string, message: string) => said(status, { code, message });
