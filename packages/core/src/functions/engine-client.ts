// The durable client for the calls that every job needs: the start of an attempt, and its notification.
import type { InvocationContext } from "@azure/functions";
import { context as otelContext, propagation } from "@opentelemetry/api";
import * as df from "durable-functions";
import { request } from "undici";
import type { OrchestrationClient } from "../scheduler/scheduler-client.ts";

/** The input that the host gives a function with a durable client. */
interface ClientInput {
  /** The host's own address for its functions, on its machine: the library prefers it too. Absent if a host has none. */
  readonly rpcBaseUrl?: string;
}

const ACCEPTED = 202;
/** The instance has ended: there is no one to notify, which is not a fault. */
const GONE = 410;
const NOT_FOUND = 404;

/**
 * Makes the same requests as the library's client. The library's client is created for each invocation, checks each of its addresses, and uses a
 * general HTTP client: 0.2 ms more for each job. The library's client does everything else, and all calls on hosts without such an address.
 */
export function engineClient(context: InvocationContext): OrchestrationClient {
  const base = clientInputOf(context)?.rpcBaseUrl;
  if (base === undefined) return df.getClient(context);
  return {
    async startNew(orchestrator, { instanceId, input }) {
      const headers = {};
      propagation.inject(otelContext.active(), headers);
      const { status, text } = await post(base, ["orchestrators", orchestrator, instanceId], input, headers);
      if (status <= ACCEPTED) return instanceId;
      throw new Error(`the engine answered ${status}: ${text}`);
    },
    async raiseEvent(instanceId, eventName, eventData) {
      const { status, text } = await post(base, ["instances", instanceId, "raiseEvent", eventName], eventData, {});
      if (status === ACCEPTED || status === GONE) return;
      // The library's error text: scheduler-client.ts recognises it.
      if (status === NOT_FOUND) throw new Error(`No instance with ID '${instanceId}' found.`);
      throw new Error(`the engine answered ${status}: ${text}`);
    },
    getStatus: (instanceId) => df.getClient(context).getStatus(instanceId),
  };
}

function clientInputOf({ options, extraInputs }: InvocationContext): ClientInput | undefined {
  const input = options.extraInputs.find(({ type }) => type === "durableClient");
  return input && (extraInputs.get(input) as ClientInput | undefined);
}

async function post(base: string, path: readonly string[], content: unknown, headers: Record<string, string>) {
  const url = new URL(path.map(encodeURIComponent).join("/"), base);
  const { statusCode: status, body } = await request(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(content),
  });
  return { status, text: await body.text() };
}
