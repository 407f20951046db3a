// The names of the points at which a probed host can be stopped, and how one is armed.
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What belongs to no job in particular, as the supervisor's lead. */
export const ANY_JOB = "of-no-job";

/** The setting of the host that names the folder of these files. */
export const PROBE_DIR = "PROBE_DIR";

/** `sent`: the request is on its way and not yet answered. */
export type Where = "before" | "after" | "sent";

/** A file for each job that is watched: its name is the job's id, its content the arms still to be crashed, in their order. */
export function foldersOf(folder: string): { readonly watched: string; readonly noted: string } {
  return { watched: join(folder, "watched"), noted: join(folder, "noted") };
}

/** At once: the host and whoever arms it both write this file and read it while the other does. */
export function writeArms(folder: string, jobId: string, arms: readonly Arm[]): void {
  const whole = join(folder, `arms-${process.pid}`);
  writeFileSync(whole, JSON.stringify(arms));
  renameSync(whole, join(foldersOf(folder).watched, jobId));
}

/** Before what is noted of a strike. */
export const CRASHED = "crashed: ";

export interface Arm {
  readonly point: string;
  /** `kill` ends the host by SIGKILL, in the flex topology the process that reached the point; `throw` has the call fail. */
  readonly act: "kill" | "throw";
}

/** `<function>[/step][/undo]:<port>.<method>[(detail)]#<n>[/request#<n>(<what>)]:<before|after|sent>` */
export function pointName(call: string, where: Where): string {
  return `${call}:${where}`;
}

/**
 * The job that an invocation's input is about, and what else its label says.
 * @param idName what submitted content calls the id
 */
export function jobIn(
  given: unknown,
  idName: string,
): { readonly jobId: string | undefined; readonly parts: readonly string[] } {
  const input = asObject(given);
  const all = { ...asObject(input["params"]), ...input, ...asObject(input["ticket"]) };
  const jobId = all[idName] ?? all["jobId"];
  const parts = [all["step"], all["direction"] === "compensate" ? all["direction"] : undefined];
  return {
    jobId: typeof jobId === "string" ? jobId : undefined,
    parts: parts.filter((part) => typeof part === "string"),
  };
}

/** What distinguishes one call of a method from another: the statuses published, the state written, that a start message is for later. */
export function detailOf(args: readonly unknown[]): string {
  const found = args.flatMap((arg) => {
    if (Array.isArray(arg)) return arg.map((one) => asObject(one)["status"]).filter((one) => typeof one === "string");
    const { status, processState, direction, changes, at } = asObject(arg);
    if (typeof status === "string") return [status];
    if (Array.isArray(changes)) return changes.flatMap(stateSet);
    if (typeof processState === "string" && args.indexOf(arg) > 0)
      return [direction === "compensate" ? `${processState} compensation` : processState];
    return typeof at === "string" && args.length === 2 ? ["later"] : [];
  });
  return found.length > 0 ? `(${found.join()})` : "";
}

function stateSet(change: unknown): string[] {
  const { path, value } = asObject(change);
  return Array.isArray(path) && path.join() === "processState" ? [String(value)] : [];
}

function asObject(value: unknown): Record<string, unknown> {
  const parsed = typeof value === "string" && value.startsWith("{") ? parse(value) : value;
  if (parsed === null || typeof parsed !== "object") return {};
  // An HttpRequest has its members as getters.
  return "params" in parsed ? { params: parsed.params } : (parsed as Record<string, unknown>);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
