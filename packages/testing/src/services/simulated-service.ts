// A simulated service in a world: by the definition that the local stack takes too, so that both answer a request alike.
import { canonicalJson } from "@scheduler-agent-supervisor/core/domain";
import type { Handler, ServiceAnswer, ServiceRequest } from "./scripted-service.ts";

type Values = Readonly<Record<string, unknown>>;

/** What a function of a definition is given. It is pure: the same request and the same effects have the same answer. */
export interface SimulatedRequest {
  /** Of the creating request. */
  readonly body: Values;
  /** What was made under this path before, oldest first, with its status of now. */
  readonly made: () => readonly { readonly id: string; readonly status: string; readonly body: unknown }[];
}

/** One kind of thing that a service makes. */
export interface SimulatedResource {
  /** Such as `/reservations`: a POST there makes one. */
  readonly path: string;
  readonly idPrefix: string;
  /** `POST /reservations/ID/release`: a name, whose status is its past tense, or both. */
  readonly actions?: readonly (string | { readonly name: string; readonly status: string })[];
  /** Members of the request that the answer repeats. */
  readonly echo?: readonly string[];
  /** Members that each answer has; of what is done later the report, or the last answer. */
  readonly returns?: Values | ((request: SimulatedRequest) => Values);
  /** Which requests the service rejects, by what they say. */
  readonly rejects?: (
    request: SimulatedRequest,
  ) => { readonly status?: number; readonly code?: string; readonly message: string } | undefined;
  /** A 202, and after that time a report to the address in the member `reportTo`, or an answer to who asks again. */
  readonly later?: {
    readonly reportTo?: string;
    readonly askAgainAfterS?: number;
    readonly afterMs: number;
    readonly result?: string;
  };
}

/** A simulated service, as samples/remotes.json or a module has it. */
export interface SimulatedService {
  readonly name: string;
  readonly port?: number;
  /** `false`: it knows no idempotency keys. */
  readonly keys?: boolean;
  readonly resources: readonly SimulatedResource[];
}

export interface SimulationSurroundings {
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

const OPEN_END = "key:";

/** Answers as packages/local/src/remotes/service.ts does: tests/kit/simulation.test.ts compares both. */
export function simulatedHandler(service: SimulatedService, surroundings: SimulationSurroundings): Handler {
  const made: Made[] = [];
  const buried = new Set<string>();
  const requestFor = ({ path }: SimulatedResource, body: Values): SimulatedRequest => ({
    body,
    made: () => made.filter((one) => one.path === path).map(({ id, status, body: own }) => ({ id, status, body: own })),
  });
  const valuesOf = (resource: SimulatedResource, body: Values): Values => {
    const { returns = {} } = resource;
    return typeof returns === "function" ? returns(requestFor(resource, body)) : returns;
  };

  function create(resource: SimulatedResource, key: string, body: Values): ServiceAnswer {
    if (buried.has(key)) return fault(409, "already-undone", `what ${key} would create was compensated before`);
    const rejected = resource.rejects?.(requestFor(resource, body));
    if (rejected) return fault(rejected.status ?? 422, rejected.code ?? "rejected", rejected.message);
    const { later, echo = [] } = resource;
    const values = valuesOf(resource, body);
    const url = later?.reportTo === undefined ? undefined : body[later.reportTo];
    const isReported = typeof url === "string" && URL.canParse(url);
    const isLater = isReported || later?.askAgainAfterS !== undefined;
    const id = `${resource.idPrefix}-${made.length + 1}`;
    const repeated = Object.fromEntries(
      echo.filter((member) => member in body).map((member) => [member, body[member]]),
    );
    const answer = { ...repeated, ...(!isLater && values), id, status: isLater ? "accepted" : "created" };
    made.push({ id, path: resource.path, key, body, answer, at: surroundings.now(), status: "created" });
    if (later && isReported) {
      const result = { ...values, [later.result ?? "id"]: id };
      surroundings.report(url, later.afterMs, { kind: "done", result });
    }
    return { status: isLater ? 202 : 201, body: answer, ...asking(later?.askAgainAfterS) };
  }

  function act(resource: SimulatedResource, given: string, status: string): ServiceAnswer {
    const isOpen = given.startsWith(OPEN_END);
    const key = given.slice(OPEN_END.length);
    const found = made.find(
      ({ path, ...one }) => path === resource.path && (isOpen ? one.key === key : one.id === given),
    );
    if (!found && isOpen) {
      buried.add(key);
      return { body: { status: "nothing-to-compensate" } };
    }
    if (!found) return fault(404, "not-found", `${service.name} has no ${resource.path}/${given}`);
    found.status = status;
    return { body: { id: found.id, status } };
  }

  function one(resource: SimulatedResource, id: string): ServiceAnswer {
    const found = made.find((other) => other.path === resource.path && other.id === id);
    if (!found) return fault(404, "not-found", `${service.name} has no ${resource.path}/${id}`);
    const { askAgainAfterS, afterMs = 0 } = resource.later ?? {};
    if (askAgainAfterS !== undefined && surroundings.now() < found.at + afterMs)
      return { status: 202, body: {}, ...asking(askAgainAfterS) };
    return { body: { ...valuesOf(resource, found.body), id } };
  }

  function lookUp({ path }: SimulatedResource, fields: URLSearchParams): ServiceAnswer {
    const items = made.filter(
      (other) => other.path === path && [...fields].every(([name, value]) => String(other.body[name]) === value),
    );
    return { body: { items: items.map(({ answer, status }) => ({ ...answer, status })) } };
  }

  const answerTo = ({ method, path: asked, body, idempotencyKey = "" }: ServiceRequest): ServiceAnswer => {
    const url = new URL(asked, "http://service.test");
    for (const resource of service.resources) {
      if (url.pathname === resource.path) {
        return method === "GET" ? lookUp(resource, url.searchParams) : create(resource, idempotencyKey, valuesIn(body));
      }
      if (!url.pathname.startsWith(`${resource.path}/`)) continue;
      const [id = "", action, ...more] = url.pathname.slice(resource.path.length + 1).split("/");
      if (method === "GET" && action === undefined) return one(resource, decodeURIComponent(id));
      const known = actionsOf(resource).find(({ name }) => name === action);
      if (method === "POST" && known && more.length === 0) return act(resource, decodeURIComponent(id), known.status);
    }
    return fault(404, "no-such-path", `${service.name} has no ${method} ${asked}`);
  };

  /** What had an effect is answered again, and what was rejected is asked again. */
  const answered = new Map<string, { readonly request: string; readonly answer: ServiceAnswer }>();
  return (request) => {
    const { method, idempotencyKey: key, path, body } = request;
    if (method === "GET" || service.keys === false) return answerTo(request);
    if (key === undefined) return fault(400, "bad-request", "the header Idempotency-Key is missing");
    const text = canonicalJson([path, body]);
    const known = answered.get(key);
    if (known && known.request !== text) return fault(422, "key-reused", `${key} was used for another request`);
    if (known) return known.answer;
    const answer = answerTo(request);
    if ((answer.status ?? 200) < 300) answered.set(key, { request: text, answer });
    return answer;
  };
}

const valuesIn = (body: unknown): Values => (body !== null && typeof body === "object" ? (body as Values) : {});

const fault = (status: number, code: string, message: string): ServiceAnswer => ({ status, body: { code, message } });

const asking = (afterS: number | undefined) =>
  afterS === undefined ? {} : { headers: { "retry-after": String(afterS) } };

function actionsOf({ actions = [] }: SimulatedResource): { readonly name: string; readonly status: string }[] {
  return actions.map((action) =>
    typeof action === "string" ? { name: action, status: action.endsWith("e") ? `${action}d` : `${action}ed` } : action,
  );
}
