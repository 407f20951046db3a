// host.json and package.json say to Azure what holds: locks that fall free soon, the engine's spans, the Node that is needed.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { NO_BACKLOG } from "@scheduler-agent-supervisor/core/scheduling";
import { expect, test } from "vitest";
import { DURABLE_BACKENDS, durableBackend, hostJsonFor } from "../../cli/every-app/durable-backend.ts";
import { declared } from "./bicep.ts";
import { deploy, SECOND } from "./deploy.ts";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const host = JSON.parse(read("host.json"));
const manifest = JSON.parse(read("package.json")) as { engines: { node: string } };

interface Installed {
  readonly dev?: boolean;
  readonly engines?: { readonly node?: string };
}
const lock = JSON.parse(read("package-lock.json")) as { packages: Record<string, Installed> };

test("after a crash a timer's lock falls free in 15 s: the least that Azure Storage's leases allow", () => {
  expect(host.singleton).toEqual({
    listenerLockPeriod: "00:00:15",
    listenerLockRecoveryPollingInterval: "00:00:15",
  });
});

test("the engine's own spans go into the orders' traces", () => {
  expect(host.extensions.durableTask.tracing).toEqual({ distributedTracingEnabled: true, version: "V2" });
});

test("what the engine says of each cancelled timer does not fill the log", () => {
  // Event DiscardingWorkItem, a warning of this category; host.json can distinguish categories, but not events.
  expect(host.logging.logLevel["DurableTask.AzureStorage"]).toBe("Error");
  expect(host.functionTimeout).toBe("00:05:00");
});

/** "Task hubs in Durable Functions", and for the scheduler the longest name that both take. */
const HUB_NAME = /^[A-Za-z][A-Za-z0-9]{2,44}$/;

test.each(DURABLE_BACKENDS)(
  "%s: host.json names the hub by a setting that is deployed, and the backend that is deployed",
  async (backend) => {
    const { durableTask } = JSON.parse(hostJsonFor(backend, read("host.json"))).extensions;
    expect(durableTask.hubName).toBe("%TaskHub%");
    for (const choices of [{}, SECOND]) {
      const { settings, all } = await deploy({ ...choices, DURABLE_BACKEND: backend });
      expect(settings["TaskHub"]).toMatch(HUB_NAME);
      // What a setting overrides, the platform does not see.
      expect(
        Object.keys(settings).filter((name) => name.startsWith("AzureFunctionsJobHost__extensions__durableTask")),
      ).toEqual([]);
      const { type, connectionStringName } = durableTask.storageProvider;
      expect(type).toBe(backend === "azureStorage" ? "azureStorage" : "azureManaged");
      if (connectionStringName) expect(settings[connectionStringName]).toMatch(/^Endpoint=https:/);
      const hubs = all("Microsoft.DurableTask/schedulers/taskHubs").map(({ name }) => name.split("/")[1]);
      expect(hubs).toEqual(backend === "azureStorage" ? [] : [settings["TaskHub"]]);
    }
  },
);

test("planted: names of hubs that Azure Storage rejects, and a backend that there is not", () => {
  for (const name of ["Hb", "1Hub", "Job-Scheduler", "x".repeat(46)]) expect(name).not.toMatch(HUB_NAME);
  expect(durableBackend("")).toBe("azureStorage");
  expect(() => durableBackend("mssql")).toThrow("azureStorage or durableTaskScheduler");
});

test("what one instance submits at once, and leaves when it crashes, is not taken for a backlog", () => {
  expect(NO_BACKLOG).toBeGreaterThanOrEqual(host.extensions.serviceBus.maxConcurrentCalls);
});

test("package.json asks for the Node that the libraries of the app ask for, and for no newer one", () => {
  const wanted = Object.entries(lock.packages)
    .filter(([path, { dev }]) => path !== "" && !dev)
    .flatMap(([, { engines }]) => (engines?.node ? [leastOf(engines.node)] : []));
  const newest = wanted.reduce((one, other) => (compare(one, other) >= 0 ? one : other));
  expect(leastOf(manifest.engines.node)).toEqual(newest);
  expect(lock.packages[""]?.engines).toEqual(manifest.engines);
});

test("Bicep offers no Node older than that", () => {
  const text = read("infra/main.bicep");
  const [, offered = ""] = /@allowed\(\[([^\]]*)\]\)\nparam nodeVersion string/.exec(text) ?? [];
  const versions = [...offered.matchAll(/'(\d+)'/g)].map(([, major]) => Number(major));
  expect(versions.length).toBeGreaterThan(0);
  for (const major of versions) expect(major).toBeGreaterThanOrEqual(leastOf(manifest.engines.node)[0] ?? 99);
  expect(declared(text).params.map(({ name }) => name)).toContain("nodeVersion");
});

/** The least version that a range takes, of several alternatives the newest: `^18.19.0 || >=20.6.0` is 20.6.0. */
function leastOf(range: string): number[] {
  const last = range.split("||").at(-1) ?? "";
  return [0, 1, 2].map((place) => Number(/(\d+(?:\.\d+)*)/.exec(last)?.[1]?.split(".")[place] ?? 0));
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (const place of [0, 1, 2]) {
    const difference = (one[place] ?? 0) - (other[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

test("planted: ranges are read as npm reads them", () => {
  expect(leastOf("^18.19.0 || >=20.6.0")).toEqual([20, 6, 0]);
  expect(leastOf(">=22")).toEqual([22, 0, 0]);
  expect(compare([22, 19, 0], [22, 2, 5])).toBeGreaterThan(0);
});
