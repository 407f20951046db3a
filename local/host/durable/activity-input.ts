// What an activity is given: its input, and by its trigger's metadata the input again, under the names that the Durable extension uses.
import type { TypedData } from "../contract.ts";

/** No input, or null, is undefined to the function. */
export function activityInput(json: string): TypedData {
  return json === "null" ? { empty: true } : { json };
}

export function activityMetadata(triggerName: string, json: string, instanceId: string): Record<string, TypedData> {
  const metadata: Record<string, TypedData> = { instanceId: { json: JSON.stringify(instanceId) } };
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
