// Runs inside the host of a probed app: names every await of the operations, notes it, and stops the process or throws there
// where it is armed. The names come from the calls themselves, so a new await has one without anybody listing it.
import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { app } from "@azure/functions";
import type { App } from "@scheduler-agent-supervisor/core/create-app";
import { idNameOf } from "@scheduler-agent-supervisor/core/messaging";
import {
  ANY_JOB,
  type Arm,
  CRASHED,
  detailOf,
  foldersOf,
  jobIn,
  PROBE_DIR,
  pointName,
  type Where,
  writeArms,
} from "./probe-point.ts";

const folder = process.env[PROBE_DIR] ?? "";
const { watched, noted } = foldersOf(folder);
for (const each of [watched, noted]) mkdirSync(each, { recursive: true });

/** Ports that only compute. */
const COMPUTING = new Set(["workflows", "rules", "timing", "taskHub", "admission", "absences", "now"]);

interface Invocation {
  readonly label: string;
  /** The job that it was invoked for, or those that it has dealt with so far. */
  readonly jobs: Set<string>;
  readonly counts: Map<string, number>;
}

interface PortCall {
  readonly name: string;
  readonly jobs: readonly string[];
  requests: number;
}

const invocations = new AsyncLocalStorage<Invocation>();
const portCalls = new AsyncLocalStorage<PortCall>();

type AnyFunction = (...args: unknown[]) => unknown;

app.hook.preInvocation((context) => {
  const { invocationContext, functionHandler, inputs } = context;
  const { functionName, options } = invocationContext;
  if (options.trigger.type === "orchestrationTrigger") return;
  const { jobId, parts } = jobIn(inputs[0], idName);
  const label = [functionName, ...parts].join("/");
  const plain = functionHandler as AnyFunction;
  context.functionHandler = ((...args: unknown[]) => {
    const invocation = { label, jobs: new Set(jobId ? [jobId] : []), counts: new Map() };
    return invocations.run(invocation, () => plain(...args));
  }) as typeof functionHandler;
});

/** What the content of the app that is probed calls its id: a process runs one app. */
let idName = "jobId";

/** The app with each call of a port as two points; put together at its first call, as it is itself. */
export function probedApp(app: App): App {
  idName = idNameOf(app.business.contracts);
  let ports: ReturnType<App["ports"]> | undefined;
  const made = () => {
    ports ??= probedPorts(app.ports());
    return ports;
  };
  return { ...app, ports: made, contextOf: (telemetry) => ({ ...made(), telemetry }) };
}

/** The ports, each asynchronous call of which is two points: before and after. */
function probedPorts<Ports extends object>(ports: Ports): Ports {
  const entries = Object.entries(ports).map(([name, port]) => [name, COMPUTING.has(name) ? port : probed(name, port)]);
  return Object.fromEntries(entries) as Ports;
}

/** One object, as a port or the durable client, whose methods' calls are points. */
export function probed(name: string, port: unknown): unknown {
  if (typeof port === "function") return (...args: unknown[]) => call(name, port as AnyFunction, args);
  if (port instanceof Map) return new Map([...port].map(([key, value]) => [key, probed(name, value)]));
  if (port === null || typeof port !== "object") return port;
  return new Proxy(port, {
    get(target, member) {
      const value: unknown = Reflect.get(target, member);
      if (typeof value !== "function" || typeof member === "symbol") return value;
      return (...args: unknown[]) => call(`${name}.${member}`, (...given) => value.apply(target, given), args);
    },
  });
}

function call(method: string, work: AnyFunction, args: unknown[]): unknown {
  const invocation = invocations.getStore();
  if (!invocation) return work(...args);
  const jobs = jobsOf(args, invocation);
  const name = numbered(`${invocation.label}:${method}${detailOf(args)}`, jobs, invocation);
  reach(name, "before", jobs);
  const result = portCalls.run({ name, jobs, requests: 0 }, () => work(...args));
  if (isIterable(result)) return iterated(result, method, invocation);
  if (!(result instanceof Promise)) return result;
  return result.then((value) => {
    reach(name, "after", jobs);
    return value;
  });
}

/** Each page of a search is an await of its own, and belongs to the job that it brings. */
async function* iterated(items: AsyncIterable<unknown>, method: string, invocation: Invocation) {
  const name = `${invocation.label}:${method}.next`;
  reach(name, "before", [ANY_JOB]);
  for await (const item of items) {
    const { jobId } = jobIn((item as { record?: unknown }).record, idName);
    if (jobId) invocation.jobs.add(jobId);
    reach(name, "after", jobId ? [jobId] : [ANY_JOB]);
    yield item;
  }
}

/** Which jobs a call is about: that of its arguments, else those that its invocation has dealt with, else any. */
function jobsOf(args: unknown[], invocation: Invocation): readonly string[] {
  const text = textOf(args);
  for (const jobId of readdirSync(watched)) if (text.includes(jobId)) invocation.jobs.add(jobId);
  const named = [...invocation.jobs].filter((jobId) => text.includes(jobId));
  if (named.length > 0) return named;
  return invocation.jobs.size > 0 ? [...invocation.jobs] : [ANY_JOB];
}

function numbered(name: string, jobs: readonly string[], { counts }: Invocation): string {
  const key = `${name} ${jobs.join()}`;
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return `${name}#${count}`;
}

function textOf(args: unknown[]): string {
  try {
    return JSON.stringify(args);
  } catch {
    return "";
  }
}

function reach(name: string, where: Where, jobs: readonly string[]): void {
  const point = pointName(name, where);
  for (const jobId of jobs) {
    note(jobId, point);
    const file = join(watched, jobId);
    if (!existsSync(file)) continue;
    const [arm, ...later] = JSON.parse(readFileSync(file, "utf8")) as Arm[];
    if (arm?.point !== point) continue;
    writeArms(folder, jobId, later);
    note(jobId, `${CRASHED}${arm.act} at ${point}`);
    if (arm.act === "throw") throw new Error(`this run has ${point} fail`);
    killHost();
  }
}

const known = new Set<string>();

function note(jobId: string, line: string): void {
  const once = `${jobId} ${line}`;
  if (jobId === ANY_JOB && known.has(once)) return;
  known.add(once);
  appendFileSync(join(noted, jobId), `${line}\n`);
}

/**
 * The worker and its watcher at once, as if the machine were switched off: the watcher leads their process group. In the flex
 * topology each process is an instance of its own, and dies alone.
 */
function killHost(): never {
  process.kill(process.env["FUNCTIONS_TARGET_GROUP"] ? process.pid : -process.ppid, "SIGKILL");
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return value !== null && typeof value === "object" && Symbol.asyncIterator in value;
}

interface HttpRequest {
  readonly method: string;
  readonly path: string;
}

// A call that makes several requests has awaits between them: its second request and each further one are points too.
subscribe("http.client.request.start", (message) => beginRequest((message as { request: HttpRequest }).request));

function beginRequest({ method, path }: HttpRequest): void {
  const under = portCalls.getStore();
  // The store's SDK reads what the account is once a process, whoever comes first.
  if (!under || path === "/") return;
  under.requests += 1;
  const { searchParams } = new URL(path, "http://any");
  const what = [method, searchParams.get("comp") ?? searchParams.get("restype") ?? []].flat().join(" ");
  if (under.requests > 1) reach(`${under.name}/request#${under.requests}(${what})`, "before", under.jobs);
}

/** The store's requests go by undici, as those of agents do; its SDK says in each who it is. */
function isOfStore({ headers }: { readonly headers: readonly unknown[] }): boolean {
  return headers.includes("x-ms-useragent");
}

// What is sent to a remote service and not yet answered: the effect may be had.
const requests = new WeakMap<object, PortCall>();
subscribe("undici:request:create", (message) => {
  const { request } = message as { request: HttpRequest & { readonly headers: readonly unknown[] } };
  if (isOfStore(request)) return beginRequest(request);
  const under = portCalls.getStore();
  if (under) requests.set(request, under);
});
subscribe("undici:request:bodySent", (message) => {
  const under = requests.get((message as { request: object }).request);
  if (under) reach(`${under.name}/request`, "sent", under.jobs);
});
