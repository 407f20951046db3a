// What Azure refuses of an app although this host could run it, found at the start.
import { triggerKind } from "../bindings/bindings.ts";
import type { RegisteredFunction } from "../contract.ts";
import type { HostSettings } from "../host-json.ts";
import { HOST_LIMITS } from "../limits.ts";
import { isTimeSpan } from "../schedule/schedule.ts";
import type { Settings } from "../settings.ts";

/** Bindings that Microsoft's host has without an extension. */
const BUILT_IN = ["http", "httptrigger", "timertrigger"];
const HUB_NAME = /^[a-z][a-z0-9]*$/i;

/** Why Azure Storage, which is the backend unless host.json names another one, cannot hold a task hub of this name. */
export function hubNameFault(name: string, { storageType }: Pick<HostSettings, "storageType">): string | undefined {
  if (storageType.toLowerCase() !== "azurestorage") return undefined;
  const [least, most] = [HOST_LIMITS.leastHubName.value, HOST_LIMITS.hubName.value];
  if (HUB_NAME.test(name) && name.length >= least && name.length <= most) return undefined;
  return `host.json: the task hub "${name}" cannot be in Azure Storage: a name has ${least} to ${most} letters and digits, first a letter`;
}

/** What would run here and not in Azure, a line each: such functions are not found there. */
export function bundleWarnings(
  functions: Iterable<RegisteredFunction>,
  { hasBundle }: Pick<HostSettings, "hasBundle">,
): string[] {
  if (hasBundle) return [];
  const users = [...functions].filter(needsExtension).map(({ name }) => name);
  if (users.length === 0) return [];
  const what = 'host.json has no "extensionBundle", which has the bindings of these functions';
  return [`Refused in Azure: ${what}: ${users.join(", ")}`];
}

/** What of the timers' schedules has another effect in the plan Flex Consumption, a line each. */
export function timerWarnings(functions: Iterable<RegisteredFunction>, settings: Settings): string[] {
  const timers = timersOf(functions);
  const named = (some: readonly RegisteredFunction[]) => some.map(({ name }) => name).join(", ");
  const spans = timers.filter(hasTimeSpan);
  const warnings: string[] = [];
  if (timers.length > 0 && settings["WEBSITE_TIME_ZONE"])
    warnings.push(
      `In the plan Flex Consumption WEBSITE_TIME_ZONE is not supported, and timers run in UTC: ${named(timers)}`,
    );
  if (spans.length > 0)
    warnings.push(
      `The plan Flex Consumption refuses time spans, and Consumption does not scale by them, only by NCRONTAB: ${named(spans)}`,
    );
  return warnings;
}

/** Why an app does not start in the plan Flex Consumption, a line each. */
export function timeSpanFaults(functions: Iterable<RegisteredFunction>): string[] {
  return timersOf(functions)
    .filter(hasTimeSpan)
    .map(
      ({ name, trigger }) => `function "${name}": in the plan Flex Consumption "${trigger["schedule"]}" is no NCRONTAB`,
    );
}

const timersOf = (functions: Iterable<RegisteredFunction>) =>
  [...functions].filter((registered) => triggerKind(registered) === "timer");

const hasTimeSpan = ({ trigger }: RegisteredFunction) => isTimeSpan(String(trigger["schedule"]));

function needsExtension(registered: RegisteredFunction): boolean {
  return (
    triggerKind(registered) !== undefined &&
    Object.values(registered.bindings).some(({ type }) => !BUILT_IN.includes(type.toLowerCase()))
  );
}
