// Which functions share a process in the flex topology. As in the Flex Consumption plan ("Azure Functions Flex Consumption plan
// hosting", per-function scaling): all HTTP functions, all durable functions, and each other function by itself.
import { triggerKind } from "../bindings/bindings.ts";
import type { RegisteredFunction } from "../contract.ts";

export const TOPOLOGIES = ["single", "flex"] as const;
/** `single`: one process runs all functions. `flex`: each group of functions has its own processes. */
export type Topology = (typeof TOPOLOGIES)[number];

/** The names that the real host gives these groups in FUNCTIONS_TARGET_GROUP; any other group has its function's name. */
export const HTTP_GROUP = "http";
export const DURABLE_GROUP = "durable";

/** The number of processes for each group; 1 for a group that is not named. */
export type InstanceCounts = Readonly<Record<string, number>>;

/** What `/admin/functions` says of a function, with its group. */
export interface DescribedFunction {
  readonly name: string;
  readonly triggerType: string;
  readonly isDisabled: boolean;
  readonly group: string;
  readonly invokeUrlTemplate?: string;
}

/** The description of an app, from the process that loads it first. */
export interface DescribedApp {
  readonly functions: readonly DescribedFunction[];
  /** Whether any function needs the durable engine, even only as a client. */
  readonly usesDurable: boolean;
}

/** The part of one of several processes. */
export interface Role {
  /** The group's name; from the second process on with its number, as in `submission.2`. */
  readonly instance: string;
  readonly group: string;
  /** The first process of the durable group has the engine; the others run activities for it. */
  readonly isFirst: boolean;
  readonly durableProcesses: number;
  /** The app's public address. */
  readonly publicUrl: string;
}

export function groupOf(registered: RegisteredFunction): string {
  switch (triggerKind(registered)) {
    case "http":
      return HTTP_GROUP;
    case "durable":
      return DURABLE_GROUP;
    default:
      return registered.name;
  }
}

/** One role for each process to run, the durable ones first: the others call them. Throws an error that names every fault. */
export function rolesOf({ functions, usesDurable }: DescribedApp, counts: InstanceCounts, publicUrl: string): Role[] {
  const enabled = functions.filter(({ isDisabled }) => !isDisabled);
  const groups = new Set([...(usesDurable ? [DURABLE_GROUP] : []), ...enabled.map(({ group }) => group).sort()]);
  const faults = Object.entries(counts).flatMap(([group, count]) => faultsOf(group, count, groups, enabled));
  if (faults.length > 0) throw new Error(faults.join("\n"));
  const durableProcesses = counts[DURABLE_GROUP] ?? 1;
  return [...groups].flatMap((group) =>
    Array.from({ length: counts[group] ?? 1 }, (_, index) => ({
      instance: index === 0 ? group : `${group}.${index + 1}`,
      group,
      isFirst: index === 0,
      durableProcesses,
      publicUrl,
    })),
  );
}

function faultsOf(
  group: string,
  count: number,
  groups: ReadonlySet<string>,
  functions: readonly DescribedFunction[],
): string[] {
  if (!groups.has(group)) return [`--instances ${group}: the app has no such group; it has ${[...groups].join(", ")}`];
  const isTimer = functions.some((one) => one.group === group && one.triggerType === "timerTrigger");
  // Azure takes a lock for each timer function, so that however many instances there are, one runs it.
  return isTimer && count > 1 ? [`--instances ${group}: a timer function runs in one process`] : [];
}

/** Reads `submission=2,durable=3`. Throws when it is not of that form. */
export function parseInstances(text: string): InstanceCounts {
  const pairs = text.split(",").map((pair) => {
    const [, group, count] = /^\s*([\w-]+)=(\d{1,2})\s*$/.exec(pair) ?? [];
    if (group === undefined || Number(count) === 0) {
      throw new Error(`--instances ${text}: group=number, as in submission=2,durable=2, is wanted`);
    }
    return [group, Number(count)] as const;
  });
  return Object.fromEntries(pairs);
}
