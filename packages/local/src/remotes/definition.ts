// What the simulated services are: their names, ports and resources, parsed from data.
import { z } from "zod";

/** The path of a resource: one or more plain segments, so that `/$…` stays free for the controls. */
const PATH = /^(\/[A-Za-z0-9_.~-]+)+$/;
const NAME = /^[A-Za-z0-9_.~-]+$/;

/** What the list of effects calls the effect that made a resource; no action can have its name. */
export const CREATE = "create";

const actionSchema = z.union([
  z.string().regex(NAME),
  z.strictObject({ name: z.string().regex(NAME), status: z.string().min(1) }),
]);

/** What a function of a definition is given. It is pure: the same request and the same effects have the same answer. */
export interface SimulatedRequest {
  /** Of the creating request. */
  readonly body: Readonly<Record<string, unknown>>;
  /** What was made under this path before, oldest first, with its status of now. */
  readonly made: () => readonly { readonly id: string; readonly status: string; readonly body: unknown }[];
}

type Values = Readonly<Record<string, unknown>>;
type Returns = (request: SimulatedRequest) => Values;
/** A status of 422 if there is none. */
type Rejects = (
  request: SimulatedRequest,
) => { readonly status?: number; readonly code?: string; readonly message: string } | undefined;

const isFunction = (value: unknown) => typeof value === "function";

/** The service's own request that a message asks for: a POST. */
type Asks = (message: Values) => { readonly path: string; readonly key: string; readonly body: Values };
/** The reply to a message, by what the service answered; undefined: it does not reply. */
type Replies = (message: Values, answer: { readonly status: number; readonly body: Values }) => Values | undefined;

/** A worker takes the service's requests from a queue, as well as the port. */
const queueSchema = z.strictObject({
  name: z.string().min(1),
  /** How many messages it works on at once. */
  atOnce: z.int().min(1).max(1000).default(8),
  asks: z.custom<Asks>(isFunction, "a function"),
  replies: z.custom<Replies>(isFunction, "a function"),
});

const resourceSchema = z.strictObject({
  path: z.string().regex(PATH, "a path such as /reservations"),
  idPrefix: z.string().regex(NAME),
  /** `release` answers the status `released`; write `{name, status}` where English or the service differs. */
  actions: z.array(actionSchema).default([]),
  /** Top-level fields of the creating request that the answer repeats. */
  echo: z.array(z.string().min(1)).default([]),
  /** What each answer to a creating request has too, and the report of what is done later: a score, a rate, a decision. */
  returns: z.union([z.record(z.string().min(1), z.json()), z.custom<Returns>(isFunction)]).default({}),
  /** Which requests it rejects, by what they say: the service's decision. Only a new effect is asked for. */
  rejects: z.custom<Rejects>(isFunction, "a function").optional(),
  /** It is done later: a 202, and after that time a report to the address that the request names, or an answer to who asks again. */
  later: z
    .strictObject({
      /** The top-level field of the request that has the address; without an address it is done at once. */
      reportTo: z.string().min(1).optional(),
      /** In place of reports: the 202 says by `Retry-After` when to ask, as does each answer to a GET of the id before that time. */
      askAgainAfterS: z.int().min(1).optional(),
      afterMs: z.int().min(0),
      /** The member of the report's result that has the id. */
      result: z.string().min(1).default("id"),
    })
    .optional(),
});

const serviceSchema = z.strictObject({
  name: z.string().regex(NAME),
  /** 0 or absent: any free port. */
  port: z.int().min(0).max(65_535).default(0),
  /** false: knows no idempotency keys, and does what it is asked as often as it is asked. */
  keys: z.boolean().default(true),
  resources: z.array(resourceSchema).min(1),
  queue: queueSchema.optional(),
});

const definitionSchema = z.strictObject({ services: z.array(serviceSchema).min(1) });

/** A service as its author writes it. */
export type RemoteService = z.input<typeof serviceSchema>;
export type ParsedService = z.output<typeof serviceSchema>;
export type ParsedResource = z.output<typeof resourceSchema>;
export type ParsedQueue = z.output<typeof queueSchema>;

/** Parses `{services: […]}`; throws one error that names every fault. */
export function parseRemotes(definition: unknown): ParsedService[] {
  const parsed = definitionSchema.safeParse(definition);
  if (!parsed.success) {
    throw new Error(
      faultList(parsed.error.issues.map(({ path, message }) => `${path.join(".") || "the whole"}: ${message}`)),
    );
  }
  const { services } = parsed.data;
  const faults = [
    ...repeated(services.map(({ name }) => name)).map((name) => `two services are called ${name}`),
    ...repeated(services.map(({ port }) => port).filter((port) => port !== 0)).map(
      (p) => `two services want port ${p}`,
    ),
    ...repeated(services.flatMap(({ queue }) => queue?.name ?? [])).map((name) => `two services take from ${name}`),
    ...services.flatMap((service) => resourceFaults(service)),
  ];
  if (faults.length > 0) throw new Error(faultList(faults));
  return services;
}

/** The name of an action and the status it leaves behind. */
export function actionsOf(resource: Pick<ParsedResource, "actions">): { name: string; status: string }[] {
  return resource.actions.map((action) =>
    typeof action === "string" ? { name: action, status: past(action) } : action,
  );
}

function resourceFaults({ name, resources }: ParsedService): string[] {
  return [
    ...repeated(resources.map(({ path }) => path)).map((path) => `${name}: two resources have the path ${path}`),
    ...resources.flatMap((resource) => {
      const names = actionsOf(resource).map((action) => action.name);
      return [
        ...repeated(names).map((action) => `${name}${resource.path}: two actions are called ${action}`),
        ...(resource.later && (resource.later.reportTo === undefined) === (resource.later.askAgainAfterS === undefined)
          ? [`${name}${resource.path}: later has either reportTo or askAgainAfterS`]
          : []),
        ...["id", "status"].flatMap((member) =>
          typeof resource.returns !== "function" && member in resource.returns
            ? [`${name}${resource.path}: "${member}" is not free in returns`]
            : [],
        ),
        ...(names.includes(CREATE) ? [`${name}${resource.path}: "${CREATE}" is not free as an action's name`] : []),
      ];
    }),
  ];
}

function repeated<T>(values: readonly T[]): T[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
}

function past(verb: string): string {
  return verb.endsWith("e") ? `${verb}d` : `${verb}ed`;
}

function faultList(faults: readonly string[]): string {
  return `The definition of the remote services is faulty: ${faults.join("; ")}`;
}
