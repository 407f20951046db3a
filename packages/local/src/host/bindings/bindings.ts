// What the host knows of triggers and bindings, and the errors that name what it doesn't.
import type { RegisteredFunction } from "../contract.ts";

/** Triggers that the host itself listens to or serves. */
const HOST_TRIGGERS = ["httpTrigger", "timerTrigger", "serviceBusTrigger"];
/** Triggers that the durable engine invokes. */
const DURABLE_TRIGGERS = ["orchestrationTrigger", "activityTrigger"];
const DURABLE_CLIENTS = ["durableClient", "orchestrationClient"];
const OUTPUTS = ["http", "serviceBus", "cosmosDB"];

type TriggerKind = "http" | "timer" | "serviceBus" | "durable";

const KIND: Readonly<Record<string, TriggerKind>> = {
  httptrigger: "http",
  timertrigger: "timer",
  servicebustrigger: "serviceBus",
  orchestrationtrigger: "durable",
  activitytrigger: "durable",
};

/** Undefined: none that this host knows. */
export function triggerKind({ trigger }: RegisteredFunction): TriggerKind | undefined {
  return KIND[trigger.type.toLowerCase()];
}

export function isDurableClient(type: string): boolean {
  return DURABLE_CLIENTS.some((known) => known.toLowerCase() === type.toLowerCase());
}

/** Whether the app needs the durable engine. */
export function usesDurable(functions: Iterable<RegisteredFunction>): boolean {
  for (const registered of functions) {
    if (triggerKind(registered) === "durable") return true;
    if (Object.values(registered.bindings).some(({ type }) => isDurableClient(type))) return true;
  }
  return false;
}

/** The bindings of a function that this host cannot serve, each as a line. */
export function unknownBindings(registered: RegisteredFunction): string[] {
  const faults: string[] = [];
  for (const [name, { type, direction, topicName }] of Object.entries(registered.bindings)) {
    const [kind, known] =
      name === registered.triggerName
        ? ["trigger", [...HOST_TRIGGERS, ...DURABLE_TRIGGERS]]
        : direction === "in"
          ? ["input", DURABLE_CLIENTS]
          : ["output", OUTPUTS];
    if (topicName !== undefined)
      faults.push(`function "${registered.name}": this host has no topics, and its binding "${name}" names one`);
    if (known.some((one) => one.toLowerCase() === type.toLowerCase())) continue;
    faults.push(`function "${registered.name}": this host has no ${kind} "${type}"; it knows ${known.join(", ")}`);
  }
  return faults;
}
