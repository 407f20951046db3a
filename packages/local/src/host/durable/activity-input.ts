// What an activity is given: its input, and by its trigger's metadata the input again, under the names that the Durable extension uses.
import type { InvocationContext } from "@azure/functions";
import type { ActivityCall, TypedData } from "../contract.ts";

/** No input, or null, is undefined to the function. */
export function activityInput(json: string): TypedData {
  return json === "null" ? { empty: true } : { json };
}

/** The metadata hold the input three times, and few functions read them: they are made for those that do. */
export function offerActivityMetadata(context: InvocationContext, triggerName: string, call: ActivityCall): void {
  let metadata: unknown;
  Object.defineProperty(context, "triggerMetadata", {
    configurable: true,
    enumerable: true,
    get() {
      metadata ??= shown(activityMetadata(triggerName, call));
      return metadata;
    },
    set(value: unknown) {
      metadata = value;
    },
  });
}

export function activityMetadata(triggerName: string, { input: json, instanceId }: ActivityCall) {
  const metadata: Record<string, { readonly json: string }> = { instanceId: { json: JSON.stringify(instanceId) } };
  if (json === "null") return metadata;
  metadata[triggerName] = { json };
  // Of a text the extension writes the JSON, and the host writes that as JSON once more.
  metadata["data"] = { json: json.startsWith('"') ? JSON.stringify(json) : json };
  if (!json.startsWith("{")) return metadata;
  for (const [name, value] of Object.entries(JSON.parse(json) as Record<string, unknown>)) {
    if (value !== null) metadata[name] ??= { json: JSON.stringify(value) };
  }
  return metadata;
}

/** As the library shows metadata: with a small letter at the beginning of each name, at any depth. */
function shown(metadata: Readonly<Record<string, { readonly json: string }>>): Record<string, unknown> {
  const values = Object.entries(metadata).map(([name, { json }]) => [name, JSON.parse(json) as unknown]);
  return camelCased(Object.fromEntries(values)) as Record<string, unknown>;
}

function camelCased(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(camelCased);
  const members = Object.entries(value).map(([name, each]) => [
    name.charAt(0).toLowerCase() + name.slice(1),
    camelCased(each),
  ]);
  return Object.fromEntries(members);
}
