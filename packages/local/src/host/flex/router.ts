// The one address of an app that several processes run: passes each request on to a process of the group that serves it.
import { Agent, type IncomingMessage, request as openRequest, type ServerResponse } from "node:http";
import { isSameName } from "../app/by-name.ts";
import { decodePart } from "../durable/route.ts";
import { mayAdminister } from "../http/function-keys.ts";
import { isAdmin, isDurable, pathOf, sendJson, sendText } from "../http/server.ts";
import type { InstanceStatus } from "../watcher-messages.ts";
import { type DescribedFunction, DURABLE_GROUP, HTTP_GROUP } from "./groups.ts";

/** What runs behind the router. */
interface RoutedApp {
  readonly functions: readonly DescribedFunction[];
  readonly instances: {
    readonly statuses: readonly InstanceStatus[];
    readonly ports: readonly number[];
    has(group: string): boolean;
    portOf(group: string, signal: AbortSignal): Promise<number | undefined>;
  };
  /** Whether `/admin` needs its key. */
  readonly checksKeys: boolean;
  /** Started: every process has been ready once. */
  readonly state: { readonly isStarted: boolean; readonly isStopping: boolean };
}

/**
 * A request waits so long for a process that is being started, as in Azure for a new instance. The durable client above all: its
 * calls go to a storage account there, which is not away when the durable functions' process is.
 */
const WAIT_MS = 30_000;

export class Router {
  readonly #agent = new Agent({ keepAlive: true });
  #app: RoutedApp | undefined;

  serve(app: RoutedApp): void {
    this.#app = app;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const app = this.#app;
    if (!app) return sendText(response, 503, "The host is starting.");
    const path = pathOf(request);
    if (isDurable(path)) return await this.#passOn(app, DURABLE_GROUP, request, response);
    if (isAdmin(path)) return await this.#admin(app, path.toLowerCase(), request, response);
    if (!app.state.isStarted) return sendText(response, 503, "The host is starting.");
    if (app.state.isStopping) return sendText(response, 503, "The host is stopping.");
    if (path !== "/" || app.instances.has(HTTP_GROUP)) return await this.#passOn(app, HTTP_GROUP, request, response);
    return sendText(response, 200, "The Functions host is running.");
  }

  async #passOn(app: RoutedApp, group: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!app.instances.has(group)) return sendText(response, 404, "");
    const given = new AbortController();
    response.once("close", () => given.abort());
    const port = await app.instances.portOf(group, AbortSignal.any([given.signal, AbortSignal.timeout(WAIT_MS)]));
    if (port === undefined) return sendText(response, 503, `No process of the group ${group} is ready.`);
    await this.#forward(port, request, response);
  }

  /** Resolves when the answer has ended. A process that dies before it has answered is 502, as of a gateway. */
  #forward(port: number, request: IncomingMessage, response: ServerResponse): Promise<void> {
    return new Promise((resolve) => {
      const { connection: _, ...headers } = request.headers;
      const target = { host: "127.0.0.1", port, path: request.url, method: request.method };
      const passed = openRequest({ ...target, headers, agent: this.#agent });
      const broken = () => {
        if (response.headersSent || response.destroyed) response.destroy();
        else sendText(response, 502, "The process that served this request has died.");
      };
      passed.once("error", broken);
      passed.once("response", (answer) => {
        const { connection: _own, "keep-alive": _alive, ...answered } = answer.headers;
        response.writeHead(answer.statusCode ?? 502, answered);
        answer.once("error", broken);
        answer.pipe(response);
      });
      response.once("close", () => {
        if (!response.writableFinished) passed.destroy();
        resolve();
      });
      request.pipe(passed);
    });
  }

  async #admin(app: RoutedApp, path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { functions, instances, checksKeys } = app;
    if (checksKeys && !mayAdminister(path, request)) return sendText(response, 401, "");
    const shown = functions.map(({ group, ...one }) => one);
    const name = /^\/admin\/functions\/([^/]+)$/.exec(path)?.[1];
    const found = name === undefined ? undefined : functions.find((one) => isSameName(one.name, decodePart(name)));
    if (found && request.method === "POST") return await this.#passOn(app, found.group, request, response);
    if (found) return sendJson(response, 200, shown[functions.indexOf(found)]);
    switch (path) {
      case "/admin/host/ping":
        return sendText(response, 200, "");
      case "/admin/functions":
        return sendJson(response, 200, shown);
      case "/admin/counts":
        return sendJson(response, 200, await countsOf(instances.ports));
      case "/admin/host/status": {
        const state = app.state.isStopping ? "Stopping" : app.state.isStarted ? "Running" : "Starting";
        const processUptime = Math.round(performance.now());
        const status = app.state.isStarted ? 200 : 503;
        return sendJson(response, status, { state, processUptime, functions: shown, instances: instances.statuses });
      }
      default:
        return sendText(response, 404, "");
    }
  }
}

/** The sums over all processes; one that is just dying counts for nothing. */
async function countsOf(ports: readonly number[]): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  const all = ports.map(async (port) => {
    const response = await fetch(`http://127.0.0.1:${port}/admin/counts`);
    return (await response.json()) as Record<string, number>;
  });
  for (const result of await Promise.allSettled(all)) {
    if (result.status === "rejected") continue;
    for (const [name, count] of Object.entries(result.value)) sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}
