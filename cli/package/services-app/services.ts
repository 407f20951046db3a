// The simulated services as a function app, for a demonstration in Azure: each under its name, as /payment/charges. `npm run package` bundles it.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { app, type HttpRequest, type HttpResponseInit } from "@azure/functions";
import { FAULT_KEY, startRemotes } from "@scheduler-agent-supervisor/local/remotes";
import { services as definitions } from "../../../samples/remotes.ts";

/** What the services read; the platform's own headers are none of theirs. */
const HEADERS = ["content-type", "idempotency-key", "traceparent"];

/** On ports of their own in this process. What they did lasts as long as the instance: there is one, and it has no other disk. */
const running = startRemotes({
  services: definitions.map((service) => ({ ...service, port: 0 })),
  data: mkdtempSync(join(tmpdir(), "services-")),
  log: (line) => console.log(line),
});

app.http("service", {
  route: "{service}/{*path}",
  methods: ["GET", "POST"],
  authLevel: "anonymous",
  handler: (request) => forward(request, request.params["path"] ?? ""),
});

// What a service is told to do wrong, and what it did: for who has a key of the app.
app.http("controls", {
  route: "controls/{service}/{*path}",
  methods: ["GET", "POST", "DELETE"],
  authLevel: "function",
  handler: (request) => forward(request, `$${request.params["path"] ?? ""}`, true),
});

async function forward(request: HttpRequest, path: string, isControl = false): Promise<HttpResponseInit> {
  const { services } = await running;
  const { service = "" } = request.params;
  const url = services.find(({ name }) => name === service)?.url;
  const target = url === undefined ? null : URL.parse(`${url}/${path}${new URL(request.url).search}`);
  // As the service will read it: a URL's parser takes away tabs and dots, and a backslash is a slash.
  if (!target || (target.pathname.startsWith("/$") && !isControl))
    return fault(404, "no-such-path", `there is no ${service}/${path}`);
  const headers = HEADERS.flatMap((name) => {
    const value = request.headers.get(name);
    return value === null ? [] : [[name, value] as [string, string]];
  });
  // The platform has checked the app's key.
  if (isControl) headers.push(["authorization", FAULT_KEY]);
  const body = request.method === "POST" ? await request.text() : null;
  try {
    const reply = await fetch(target, {
      method: request.method,
      headers,
      body,
    });
    const answered = ["content-type", "retry-after"].flatMap((name) => {
      const value = reply.headers.get(name);
      return value === null ? [] : [[name, value] as [string, string]];
    });
    return { status: reply.status, headers: Object.fromEntries(answered), body: await reply.text() };
  } catch (cause) {
    // A reply that is lost on purpose.
    return fault(502, "no-reply", String(cause));
  }
}

function fault(status: number, code: string, message: string): HttpResponseInit {
  return { status, jsonBody: { code, message } };
}
