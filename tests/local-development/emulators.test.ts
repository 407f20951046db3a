// Microsoft's emulators: their entities come from infra/entities, their ports are those of the sample settings.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Container, CosmosClient, type OperationInput } from "@azure/cosmos";
import { startStack, USUAL_PORTS } from "@scheduler-agent-supervisor/local";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { emulatorConfig } from "../../cli/emulators/emulator-config.ts";
import { createContainers } from "../../cli/emulators/emulator-containers.ts";
import { probeStore } from "../../cli/emulators/emulator-probe.ts";
import { ROOT, sampleSettings } from "../../cli/settings.ts";

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const entities = JSON.parse(read("infra/entities/service-bus.json"));
const cosmos = JSON.parse(read("infra/entities/cosmos.json"));
const manifest = JSON.parse(read("package.json"));

/** What the emulator's documentation and its published JSON schema allow. */
const seconds = (least: number, most: number) =>
  z.string().refine((text) => {
    const [, hours = "0", minutes = "0", rest = "0"] = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?$/.exec(text) ?? [];
    const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(rest);
    return total >= least && total <= most;
  });
const documented = z.strictObject({
  UserConfig: z.strictObject({
    Namespaces: z.tuple([
      z.strictObject({
        Name: z.literal("sbemulatorns"),
        Queues: z
          .array(
            z.strictObject({
              Name: z.string().regex(/^[A-Za-z0-9][\w\-./]*[A-Za-z0-9]$/),
              Properties: z.strictObject({
                DeadLetteringOnMessageExpiration: z.boolean(),
                DefaultMessageTimeToLive: seconds(300, 3600),
                DuplicateDetectionHistoryTimeWindow: seconds(5, 300),
                LockDuration: seconds(5, 300),
                MaxDeliveryCount: z.int().min(1).max(10),
                RequiresDuplicateDetection: z.boolean(),
                RequiresSession: z.boolean(),
              }),
            }),
          )
          .max(50),
        Topics: z.array(z.never()),
      }),
    ]),
    Logging: z.strictObject({ Type: z.enum(["File", "Console", "File,Console", "Console,File"]) }),
  }),
});

test("the Service Bus emulator gets every queue, as its documentation allows it", () => {
  const config = emulatorConfig(entities);
  expect(documented.parse(config)).toEqual(config);
  const [{ Queues }] = config.UserConfig.Namespaces;
  expect(Queues.map(({ Name }) => Name)).toEqual(entities.queues.map(({ name }: { name: string }) => name));
  for (const { name, properties } of entities.queues) {
    const made = Queues.find(({ Name }) => Name === name)?.Properties;
    expect(made, name).toMatchObject({
      LockDuration: properties.lockDuration,
      // It delivers no message more often.
      MaxDeliveryCount: Math.min(properties.maxDeliveryCount, 10),
      RequiresSession: properties.requiresSession ?? false,
      RequiresDuplicateDetection: properties.requiresDuplicateDetection ?? false,
    });
  }
});

const one = (properties: Record<string, unknown>, name = "q1") => ({ queues: [{ name, properties }] });
function published(properties: Record<string, unknown>): {
  made: Record<string, unknown> | undefined;
  differs: string[];
} {
  const differs: string[] = [];
  const config = emulatorConfig(one(properties), (text) => differs.push(text));
  return { made: config.UserConfig.Namespaces[0].Queues[0]?.Properties, differs };
}

test("what the emulator can't do is brought within its limits, and said", () => {
  const { made, differs } = published({
    defaultMessageTimeToLive: "P14D",
    duplicateDetectionHistoryTimeWindow: "PT1S",
    maxDeliveryCount: 2000,
    maxSizeInMegabytes: 5120,
  });
  expect(made).toMatchObject({
    DefaultMessageTimeToLive: "PT1H",
    DuplicateDetectionHistoryTimeWindow: "PT5S",
    MaxDeliveryCount: 10,
  });
  expect(differs).toEqual([
    "q1: the emulator has no maxSizeInMegabytes",
    "q1: defaultMessageTimeToLive is PT1H in the emulator, and P14D in Azure",
    "q1: duplicateDetectionHistoryTimeWindow is PT5S in the emulator, and PT1S in Azure",
    "q1: maxDeliveryCount is 10 in the emulator, and 2000 in Azure",
  ]);
  expect(published({ defaultMessageTimeToLive: "PT30M", maxDeliveryCount: 3 }).differs).toEqual([]);
});

test("what no limit fixes is rejected, with every fault", () => {
  expect(() => emulatorConfig(one({ lockDuration: "a while", requiresSession: "yes" }, "-q"))).toThrow(
    'the emulator has no queue named "-q"\n-q: lockDuration is a while, which is no duration\n-q: requiresSession is "yes"',
  );
  const many = Array.from({ length: 51 }, (_, index) => ({ name: `queue-${index}`, properties: {} }));
  expect(() => emulatorConfig({ queues: many })).toThrow("51 queues, and the emulator has 50 at most");
});

test("the emulators' ports are the usual ones, and those of the sample settings", () => {
  const { services } = parse(read("docker-compose.yml"));
  const published = Object.values<{ ports?: string[] }>(services).flatMap(({ ports }) => ports ?? []);
  const DATA_EXPLORER = 1234;
  // Microsoft has no emulator of a collector.
  const { traces: _, ...emulated } = USUAL_PORTS;
  const wanted = [...Object.values(emulated), DATA_EXPLORER].map((port) => `127.0.0.1:${port}:${port}`);
  expect(published.sort()).toEqual(wanted.sort());
  const { AzureWebJobsStorage, ServiceBus, Cosmos } = sampleSettings();
  // Without a port the Service Bus SDKs take 5672 of an emulator; the storage SDKs know the ports of Azurite.
  expect(ServiceBus).toMatch(/^Endpoint=sb:\/\/localhost;.*UseDevelopmentEmulator=true;$/);
  expect(AzureWebJobsStorage).toBe("UseDevelopmentStorage=true");
  expect(Cosmos).toContain(`AccountEndpoint=http://127.0.0.1:${USUAL_PORTS.cosmos}/;`);
  expect(services.cosmos.environment.PROTOCOL).toBe("http");
});

test("every image is pinned, Azurite to the version of the local stack; no password stands in the file", () => {
  const text = read("docker-compose.yml");
  const { services } = parse(text);
  for (const [name, { image }] of Object.entries<{ image: string }>(services)) {
    expect(image, name).toMatch(/^mcr\.microsoft\.com\/[a-z/-]+:[A-Za-z0-9.-]*\d[A-Za-z0-9.-]*$/);
    expect(image, name).not.toMatch(/latest|preview/);
  }
  expect(services.azurite.image).toMatch(new RegExp(`:${manifest.devDependencies.azurite}$`));
  expect(services.sql.environment.MSSQL_SA_PASSWORD).toMatch(/^\$\{MSSQL_SA_PASSWORD:\?/);
  expect(services["service-bus"].environment.MSSQL_SA_PASSWORD).toMatch(/^\$\{MSSQL_SA_PASSWORD:\?/);
  expect(services["service-bus"].environment.SQL_SERVER).toBe("sql");
});

test("containers are made on a Cosmos DB that starts empty, also where some are there", async () => {
  const data = mkdtempSync(join(tmpdir(), "emulators-"));
  const stack = await startStack({ appDir: ROOT, data, ports: "free", parts: ["cosmos"], host: false });
  const connection = stack.addresses.cosmos?.connectionString ?? "";
  const client = new CosmosClient(connection);
  try {
    await createContainers(connection, cosmos, 5000);
    await createContainers(connection, cosmos, 5000);
    const { resources } = await client.database(cosmos.database).containers.readAll().fetchAll();
    const made = resources.map(({ id, partitionKey, defaultTtl }) => ({ id, paths: partitionKey?.paths, defaultTtl }));
    const wanted = cosmos.containers.map((each: Record<string, unknown>) => ({
      id: each["id"],
      paths: (each["partitionKey"] as { paths: string[] }).paths,
      defaultTtl: each["defaultTtl"],
    }));
    expect(made).toEqual(expect.arrayContaining(wanted));
    expect(made.length).toBe(wanted.length);
  } finally {
    client.dispose();
    await stack.stop();
    rmSync(data, { recursive: true, force: true });
  }
});

/** As versions of the emulator do: takes whatever ETag a batch names, or keeps what comes before the fault. */
function unruly(container: Container, fault: "stale" | "partial"): Container {
  const batch = async (operations: OperationInput[], key: string) => {
    if (fault === "stale") {
      const all = operations.map((operation) => ({ ...operation, ifMatch: undefined }) as unknown as OperationInput);
      return container.items.batch(all, key);
    }
    for (const each of operations) {
      const answer = await container.items.batch([each], key);
      if (answer.result?.some(({ statusCode }) => statusCode >= 400)) return answer;
    }
    throw new Error("nothing failed");
  };
  const items = { create: container.items.create.bind(container.items), batch };
  return { items, item: container.item.bind(container) } as unknown as Container;
}

test("the probe finds nothing in a store that keeps the rules, and each rule that another breaks", async () => {
  const data = mkdtempSync(join(tmpdir(), "emulators-"));
  const stack = await startStack({ appDir: ROOT, data, ports: "free", parts: ["cosmos"], host: false });
  const connection = stack.addresses.cosmos?.connectionString ?? "";
  const client = new CosmosClient(connection);
  try {
    await createContainers(connection, cosmos, 5000);
    const orders = client.database(cosmos.database).container("jobs");
    expect(await probeStore(orders, "orderId")).toEqual([]);
    expect(await probeStore(unruly(orders, "stale"), "orderId")).toEqual([
      expect.stringMatching(/^Patch with a stale ETag inside a batch answers 200,200, not 412/),
      expect.stringMatching(/^Replace with a stale ETag inside a batch answers 200,200, not 412/),
    ]);
    expect(await probeStore(unruly(orders, "partial"), "orderId")).toEqual([
      "A batch that failed has left one of its documents.",
    ]);
    const { resources } = await orders.items.readAll().fetchAll();
    expect(resources).toEqual([]);
  } finally {
    client.dispose();
    await stack.stop();
    rmSync(data, { recursive: true, force: true });
  }
});

test("an emulator that never answers is given up, with what was said last", async () => {
  const nobody = "AccountEndpoint=http://127.0.0.1:9/;AccountKey=bm9ib2R5;";
  await expect(createContainers(nobody, cosmos, 0)).rejects.toThrow(/Cosmos DB isn't ready: .*ECONNREFUSED/);
});
