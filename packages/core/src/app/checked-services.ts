// What services were seen to do when they were checked (P34), by `npm run services:check`: recorded beside the agents, and demanded at start.
import type { AnyAgent } from "./define-agent.ts";

/**
 * The questions that a check asks about one operation. `repeated`, `concurrent`, `late`: one effect when it is requested twice under one key, one after
 * the other, at once, or again after some time. `afterCompensation`: none when it is requested again after its compensation. `compensatedFirst`: none when
 * its compensation came before it. `found`: the policy's `find` knows whether it was done.
 */
export const SERVICE_CHECKS = [
  "repeated",
  "concurrent",
  "late",
  "afterCompensation",
  "compensatedFirst",
  "found",
] as const;
/** One of them, by its name. */
export type ServiceCheck = (typeof SERVICE_CHECKS)[number];

/** `notSeen`: neither the answers nor the list of effects show it. */
export type CheckVerdict = "holds" | "fails" | "notSeen";

/** The verdicts for one operation; without those that do not concern it. */
export type CheckedOperation = { readonly [check in ServiceCheck]?: CheckVerdict };

/** The verdicts for the service of one agent. */
export interface CheckedService<Operation extends string = string> {
  /** The day of the check, ISO 8601. */
  readonly at: string;
  readonly operations: { readonly [operation in Operation]?: CheckedOperation };
}

/** The verdicts for the services of an app, by the agent's name: written by `npm run services:check -- --agent NAME --write`. */
export type CheckedServices<Agents extends readonly AnyAgent[] = readonly AnyAgent[]> = {
  readonly [Agent in Extract<Agents[number], { readonly kind: "service" }> as Agent["name"]]?: CheckedService<
    keyof Agent["results"] & string
  >;
};

const SEEN: Readonly<Record<ServiceCheck, string>> = {
  repeated: "requested twice under one key, it does not have one effect and one answer",
  concurrent: "requested twice at once under one key, it does not have one effect and one answer",
  late: "requested again some time later under one key, it does not have one effect and one answer",
  afterCompensation: "requested again after its compensation, it is done anew",
  compensatedFirst: "when its compensation comes first, that is not taken, or the request is done all the same",
  found: "its find does not say what was done",
};

/** What the record of checks demands of the agents' policies and they do not have, as text with the way out. */
export function checkedServiceFaults(agents: readonly AnyAgent[], checked: CheckedServices): string[] {
  const services = agents.filter((agent) => agent.kind === "service");
  return Object.entries(checked).flatMap(([name, service]) => {
    const agent = services.find((known) => known.name === name);
    const own = `the record of checked services (npm run services:check -- --agent ${name} --write)`;
    if (!agent) {
      const names = services.map((known) => known.name).join(", ");
      return [`${own} has the agent ${name}, and no agent with a service has that name: remove it; there are ${names}`];
    }
    return Object.entries(service?.operations ?? {}).flatMap(([operation, verdicts = {}]) => {
      if (!Object.hasOwn(agent.operations, operation))
        return [`${own} has the operation ${operation}, which ${name} does not have: check it again`];
      return policyFaults(agent.name, operation, verdicts, agent.policies?.[operation] ?? {});
    });
  });
}

/** The faults of one operation's policy. */
export function policyFaults(
  agent: string,
  operation: string,
  verdicts: CheckedOperation,
  { atMostOnce, find }: { readonly atMostOnce?: boolean; readonly find?: unknown },
): string[] {
  const failed = SERVICE_CHECKS.filter((check) => verdicts[check] === "fails");
  const again = `or have the service corrected, and run npm run services:check -- --agent ${agent} --write`;
  const at = `agent ${agent}, operation ${operation}: its service failed a check`;
  if (find !== undefined && failed.includes("found"))
    return [`${at}: ${SEEN.found}. Correct find, declare atMostOnce in its place, ${again}`];
  const effects = failed.filter((check) => check !== "found");
  if (effects.length === 0 || atMostOnce || find !== undefined) return [];
  const seen = effects.map((check) => SEEN[check]).join("; ");
  return [`${at}: ${seen}. Declare atMostOnce or find in its policy, ${again}`];
}
