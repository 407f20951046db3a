// What agents, their services and their workers were seen to do when they were checked (P34), by `npm run services:check`: recorded beside the agents,
// and demanded at start.
import type { AnyAgent } from "./define-agent.ts";

/**
 * The questions that a check asks about one operation. `repeated`, `concurrent`, `late`: one effect when it is requested twice under one key, one after
 * the other, at once, or again after some time. `afterCompensation`: none when it is requested again after its compensation. `compensatedFirst`: none when
 * its compensation came before it. `found`: the policy's `find` knows whether it was done.
 */
const SERVICE_CHECKS = ["repeated", "concurrent", "late", "afterCompensation", "compensatedFirst", "found"] as const;
/** One of them, by its name. */
export type ServiceCheck = (typeof SERVICE_CHECKS)[number];

/** `notSeen`: neither the answers nor the list of effects show it. */
export type CheckVerdict = "holds" | "fails" | "notSeen";

/** The verdicts for one operation; without those that do not concern it. */
export type CheckedOperation = { readonly [check in ServiceCheck]?: CheckVerdict };

/** The verdicts for one agent: for its service, its worker, or its own code. */
export interface CheckedService<Operation extends string = string> {
  /** The day of the check, ISO 8601. */
  readonly at: string;
  readonly operations: { readonly [operation in Operation]?: CheckedOperation };
}

/** The verdicts for the agents of an app, by the agent's name: written by `npm run services:check -- --agent NAME --write`. */
export type CheckedServices<Agents extends readonly AnyAgent[] = readonly AnyAgent[]> = {
  readonly [Agent in Agents[number] as Agent["name"]]?: CheckedService<keyof Agent["results"] & string>;
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
  return Object.entries(checked).flatMap(([name, service]) => {
    const agent = agents.find((known) => known.name === name);
    const own = `the record of checked services (npm run services:check -- --agent ${name} --write)`;
    if (!agent) {
      const names = agents.map((known) => known.name).join(", ");
      return [`${own} has the agent ${name}, and no agent has that name: remove it; there are ${names}`];
    }
    return Object.entries(service?.operations ?? {}).flatMap(([operation, verdicts = {}]) => {
      if (!Object.hasOwn(agent.results, operation))
        return [`${own} has the operation ${operation}, which ${name} does not have: check it again`];
      return verdictFaults(agent, operation, verdicts);
    });
  });
}

/** What follows from the verdicts for one operation of an agent and is not declared, as text with the way out. */
export function verdictFaults(agent: AnyAgent, operation: string, verdicts: CheckedOperation): string[] {
  const failed = SERVICE_CHECKS.filter((check) => verdicts[check] === "fails");
  const check = `npm run services:check -- --agent ${agent.name} --write`;
  const at = `agent ${agent.name}, operation ${operation}`;
  switch (agent.kind) {
    case "service":
      return policyFaults(at, check, failed, agent.policies?.[operation] ?? {});
    case "remote":
      // Nothing can be declared in its place: its requests are sent again under one key.
      return failed.length === 0
        ? []
        : [`${at}: its worker failed a check: ${seenIn(failed)}. Have it corrected, and run ${check}`];
    case "local":
      return failed.length === 0
        ? []
        : [`${at}: asked twice for the same, it gives two answers. It has to be pure: correct it, and run ${check}`];
    default:
      return agent satisfies never;
  }
}

const seenIn = (failed: readonly ServiceCheck[]) => failed.map((check) => SEEN[check]).join("; ");

function policyFaults(
  operation: string,
  check: string,
  failed: readonly ServiceCheck[],
  { atMostOnce, find }: { readonly atMostOnce?: boolean; readonly find?: unknown },
): string[] {
  const again = `or have the service corrected, and run ${check}`;
  const at = `${operation}: its service failed a check`;
  if (find !== undefined && failed.includes("found"))
    return [`${at}: ${SEEN.found}. Correct find, declare atMostOnce in its place, ${again}`];
  const effects = failed.filter((one) => one !== "found");
  if (effects.length === 0 || atMostOnce || find !== undefined) return [];
  return [`${at}: ${seenIn(effects)}. Declare atMostOnce or find in its policy, ${again}`];
}
