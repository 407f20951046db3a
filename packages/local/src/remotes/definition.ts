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

const resourceSchema = z.strictObject({
  path: z.string().regex(PATH, "a path such as /reservations"),
  idPrefix: z.string().regex(NAME),
  /** `release` answers the status `released`; write `{name, status}` where English or the service differs. */
  actions: z.array(actionSchema).default([]),
  /** Top-level fields of the creating request that the answer repeats. */
  echo: z.array(z.string().min(1)).default([]),
  /** What each answer to a creating request has too, and the report of what is done later: a score, a rate, a decision. */
  returns: z.record(z.string().min(1), z.json()).default({}),
  /** It is done later where the creating request names an address: a 202, and after that time a report there. */
  later: z
    .strictObject({
      /** The top-level field of the request that has the address. */
      reportTo: z.string().min(1),
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
});

const definitionSchema = z.strictObject({ services: z.array(serviceSchema).min(1) });

/** A service as its author writes it. */
export type RemoteService = z.input<typeof serviceSchema>;
export type ParsedService = z.output<typeof serviceSchema>;
export type ParsedResource = z.output<typeof resourceSchema>;

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
    ...services.flatMap((service) => resourceFaults(service)),
  ];
  if (faults.length > 0) throw new Error(faultList(faults));
  return services;
}

/** The name of an action and the status it leaves behind. */
export function actionsOf(resource: ParsedResource): { name: string; status: string }[] {
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
        ...["id", "status"].flatMap((member) =>
          member in resource.returns ? [`${name}${resource.path}: "${member}" is not free in returns`] : [],
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
