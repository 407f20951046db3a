// What the host says when it is ready: its functions, where they answer, and with which keys.
import { triggerKind } from "../bindings/bindings.ts";
import type { RegisteredFunction } from "../contract.ts";
import { FUNCTION_KEY, MASTER_KEY } from "../http/function-keys.ts";
import { routeTemplate } from "../triggers/http.ts";

interface Announced {
  readonly functions: readonly RegisteredFunction[];
  readonly baseUrl: string;
  readonly routePrefix: string;
  readonly checksKeys: boolean;
}

export function announcement({ functions, baseUrl, routePrefix, checksKeys }: Announced): string[] {
  const lines = functions.map((registered) => {
    const { name, trigger } = registered;
    const methods = Array.isArray(trigger["methods"]) ? trigger["methods"].join(",").toUpperCase() : "";
    const url = `${baseUrl}/${routeTemplate(registered, routePrefix)}`;
    return `  ${name}: ${triggerKind(registered) === "http" ? `[${methods}] ${url}` : trigger.type}`;
  });
  const keys = checksKeys ? [`  Keys: ${FUNCTION_KEY} (functions), ${MASTER_KEY} (all and /admin)`] : [];
  return [`Functions host ready on ${baseUrl}`, "", ...lines, ...keys, ""];
}
