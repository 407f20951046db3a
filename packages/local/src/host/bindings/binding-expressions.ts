// Fills in what a binding takes from its invocation, such as `backups/{name}`: members of the trigger's metadata, of the request, of
// the input. (Functions documentation, "Binding expression patterns".)
import { randomUUID } from "node:crypto";
import type { Binding, Invocation, TypedData } from "../contract.ts";
import { activityMetadata } from "../durable/activity-input.ts";

const EXPRESSION = /\{([^{}]+)\}/g;

/** Throws where nothing has that name. */
export function resolveExpressions(binding: Binding, invocation: Invocation): Binding {
  const entries = Object.entries(binding).map(([key, value]) =>
    typeof value === "string" && key !== "connection" && value.includes("{")
      ? [key, withExpressions(value, key, invocation)]
      : [key, value],
  );
  return Object.fromEntries(entries) as Binding;
}

const asText = (value: unknown): string => (typeof value === "object" ? JSON.stringify(value) : String(value));

function withExpressions(text: string, key: string, invocation: Invocation): string {
  return text.replace(EXPRESSION, (_, expression: string) =>
    asText(expressionValue(expression.trim(), key, invocation)),
  );
}

/** Never null. */
function expressionValue(name: string, key: string, invocation: Invocation): unknown {
  if (/^rand-guid$/i.test(name)) return randomUUID();
  if (/^datetime$/i.test(name)) return new Date().toISOString();
  const value = memberAt(bindingData(invocation), name.split("."));
  if (value !== undefined && value !== null) return value;
  throw new Error(`the binding's "${key}" takes {${name}} from the invocation, which has nothing of that name`);
}

function bindingData({ inputs, activity, triggerMetadata = {} }: Invocation): Record<string, unknown> {
  const data: Record<string, unknown> = {};
  const [triggerName = ""] = Object.keys(inputs);
  const metadata: Readonly<Record<string, TypedData>> = activity
    ? activityMetadata(triggerName, activity)
    : triggerMetadata;
  for (const input of Object.values(inputs)) {
    if ("http" in input) Object.assign(data, input.http["query"], input.http["params"]);
  }
  for (const [name, value] of Object.entries(metadata)) data[name] = plainValue(value);
  return data;
}

function plainValue(data: TypedData): unknown {
  if ("json" in data) return JSON.parse(data.json) as unknown;
  if ("string" in data) return data.string;
  if ("int" in data) return data.int;
  return "double" in data ? data.double : undefined;
}

/** Names are compared without regard to case. */
function memberAt(data: unknown, [name, ...inner]: readonly string[]): unknown {
  if (name === undefined) return data;
  if (typeof data !== "object" || data === null) return undefined;
  const found = Object.entries(data).find(([key]) => key.toLowerCase() === name.toLowerCase());
  return memberAt(found?.[1], inner);
}
