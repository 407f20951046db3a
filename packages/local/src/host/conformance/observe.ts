// Asks a running Functions host what it gives to functions and clients, by the conformance app; the same for any host.
import { setTimeout as sleep } from "node:timers/promises";
import { normalised, type ObservedHost } from "./normalised.ts";

/** By name: what was seen, without what differs from run to run. */
export type Observations = Readonly<Record<string, unknown>>;

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const WITHIN_MS = 30_000;
const POLL_MS = 50;
const TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

export async function observe(host: ObservedHost): Promise<Observations> {
  const asked = new Asked(host);
  const seen = {
    ...(await traces(asked)),
    ...(await activities(asked)),
    ...(await failures(asked)),
    ...(await lives(asked)),
    ...(await history(asked)),
    ...(await webhooks(asked)),
    ...(await timer(asked)),
  };
  return normalised(seen, host) as Observations;
}

/** The three ways to ask: the app, its client library, and the webhooks. */
class Asked {
  readonly #host: ObservedHost;

  constructor(host: ObservedHost) {
    this.#host = host;
  }

  async app(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<unknown> {
    const request = body === undefined ? { headers } : { headers, method: "POST", body: JSON.stringify(body) };
    return (await answerOf(`${this.#host.url}/api/${path}`, request)).body;
  }

  client(method: string, ...parameters: readonly unknown[]): Promise<unknown> {
    return this.app("ask", { method, parameters });
  }

  webhook(path: string, method = "GET", code: string | undefined = this.#host.code): Promise<Answer> {
    const url = new URL(`${this.#host.url}/runtime/webhooks/durabletask/${path}`);
    if (code !== "") url.searchParams.set("code", code);
    return answerOf(url.href, { method });
  }

  async run(name: string, instanceId: string, input?: unknown): Promise<Record<string, unknown>> {
    await this.app("start", { name, instanceId, input });
    return this.until(instanceId, ({ runtimeStatus }) => !/Pending|Running|Suspended/.test(String(runtimeStatus)));
  }

  async until(
    instanceId: string,
    isSo: (status: Record<string, unknown>) => boolean,
  ): Promise<Record<string, unknown>> {
    for (const deadline = Date.now() + WITHIN_MS; ; await sleep(POLL_MS)) {
      const { body } = await this.webhook(`instances/${instanceId}`);
      const status = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
      if (isSo(status)) return status;
      if (Date.now() > deadline) throw new Error(`${instanceId} is still ${JSON.stringify(status)}`);
    }
  }

  async noted(what: string): Promise<unknown> {
    for (const deadline = Date.now() + WITHIN_MS; ; await sleep(POLL_MS)) {
      const notes = (await this.app("observed")) as { what: string; value: unknown }[];
      const note = notes.find((each) => each.what === what);
      if (note) return note.value;
      if (Date.now() > deadline) throw new Error(`The app has not seen: ${what}`);
    }
  }
}

async function answerOf(url: string, request: RequestInit): Promise<Answer> {
  const response = await fetch(url, request);
  const text = await response.text();
  try {
    return { status: response.status, body: JSON.parse(text) };
  } catch {
    return { status: response.status, body: text };
  }
}

const withStatus =
  (wanted: string) =>
  (status: Record<string, unknown>): boolean =>
    status["runtimeStatus"] === wanted;

async function traces(asked: Asked): Promise<Observations> {
  return {
    "HTTP without a trace": await asked.app("trace"),
    "HTTP within a trace": await asked.app("trace", undefined, { traceparent: TRACE }),
  };
}

async function activities(asked: Asked): Promise<Observations> {
  const input = {
    number: 5,
    text: "t",
    digits: "12",
    list: [1],
    object: { Small: 1, inner: { Big: 2 } },
    nothing: null,
  };
  return {
    "activity inputs": (await asked.run("inputs", "inputs", input))["output"],
    "orchestration without an input": (await asked.run("context", "no-input"))["output"],
    "orchestration with an input": (await asked.run("context", "some-input", { a: 1 }))["output"],
    "orchestration with null for an input": (await asked.run("context", "null-input", null))["output"],
  };
}

async function failures(asked: Asked): Promise<Observations> {
  return {
    "failed activities": (await asked.run("failures", "failures"))["output"],
    "failed orchestration": await asked.run("failsItself", "failsItself"),
    "failed sub-orchestrations": (await asked.run("failedChildren", "failedChildren"))["output"],
    "orchestration failed by its activity": await asked.run("failsByActivity", "failsByActivity"),
  };
}

async function lives(asked: Asked): Promise<Observations> {
  await asked.app("start", { name: "waits", instanceId: "held" });
  await asked.until("held", withStatus("Running"));
  const running = await asked.webhook("instances/held");
  await asked.client("suspend", "held", "stock-taking");
  const suspended = await asked.until("held", withStatus("Suspended"));
  await asked.client("resume", "held", "done");
  const resumed = await asked.until("held", withStatus("Running"));
  await asked.client("raiseEvent", "held", "go", 1);
  await asked.client("raiseEvent", "held", "end", 1);
  const ended = await asked.until("held", withStatus("Completed"));
  await asked.app("start", { name: "waits", instanceId: "stopped" });
  await asked.until("stopped", withStatus("Running"));
  await asked.client("terminate", "stopped", "enough");
  const terminated = await asked.until("stopped", withStatus("Terminated"));
  await asked.app("start", { name: "waits", instanceId: "unwanted" });
  await asked.until("unwanted", withStatus("Running"));
  const purged = await asked.webhook("instances/unwanted", "DELETE");
  return {
    "running instance": running,
    "suspended instance": suspended,
    "resumed instance": { output: resumed["output"] },
    "ended instance": ended,
    "terminated instance": { output: terminated["output"] },
    "purge of a running instance": purged,
    "status of a purged instance": await asked.webhook("instances/unwanted"),
    "purge of an unknown instance": await asked.webhook("instances/nobody", "DELETE"),
    "purge without a time": (await asked.webhook("instances", "DELETE")).status,
    "terminate of an unknown instance": await asked.webhook("instances/nobody/terminate", "POST"),
  };
}

async function history(asked: Asked): Promise<Observations> {
  await asked.app("start", { name: "everything", instanceId: "history" });
  await asked.until("history", ({ customStatus }) => customStatus === "caught");
  await asked.client("raiseEvent", "history", "go", { c: 3 });
  await asked.until("history", withStatus("Completed"));
  const shown = async (id: string, query = "") => {
    const { body } = await asked.webhook(`instances/${id}?showHistory=true${query}`);
    return (body as { historyEvents?: readonly Record<string, unknown>[] }).historyEvents ?? [];
  };
  await asked.app("start", { name: "pending", instanceId: "pending" });
  await asked.until("pending", ({ customStatus }) => customStatus === "waiting");
  return {
    "history of what still runs": await shown("pending"),
    "history with results": await shown("history", "&showHistoryOutput=true"),
    "history without results or inputs": await shown("history", "&showInput=false"),
  };
}

async function webhooks(asked: Asked): Promise<Observations> {
  return {
    "webhook without a code": await asked.webhook("instances", "GET", ""),
    "webhook with a wrong code": await asked.webhook("instances", "GET", "wrong"),
    "unknown webhook": (await asked.webhook("nothing")).status,
    "start by a webhook": (await asked.webhook("orchestrators/child/by-webhook", "POST")).body,
    "start of an unknown orchestration": (await asked.webhook("orchestrators/nobody", "POST")).status,
  };
}

async function timer(asked: Asked): Promise<Observations> {
  return { "timer of two seconds": await asked.noted("timer") };
}
