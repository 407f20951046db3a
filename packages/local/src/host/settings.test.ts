// host.json, settings and schedules: what is read, what is refused.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readHostJson } from "./host-json.ts";
import { HOST_LIMITS as LIMITS } from "./limits.ts";
import { levelFilter } from "./log.ts";
import { HOST_REJECTIONS as REJECTIONS } from "./rejections.ts";
import { retryDelayMs } from "./retry.ts";
import { parseSchedule } from "./schedule/schedule.ts";
import { isDisabled, readLocalSettings } from "./settings.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "settings-"));
});
afterEach(() => rmSync(folder, { recursive: true }));
const write = (name: string, value: unknown) => writeFileSync(join(folder, name), JSON.stringify(value));

test("without host.json the real host's defaults hold", () => {
  expect(readHostJson(folder, {})).toMatchObject({
    routePrefix: "api",
    functionTimeoutMs: 1_800_000,
    hubName: "TestHubName",
    serviceBus: {
      maxConcurrentCalls: 16,
      minMessageBatchSize: 1,
      maxBatchWaitMs: 30_000,
      autoCompleteMessages: true,
      maxAutoLockRenewalDurationMs: 300_000,
    },
  });
});

test("host.json is read, and settings override it", () => {
  write("host.json", {
    version: "2.0",
    functionTimeout: "00:00:30",
    extensions: {
      http: { routePrefix: "" },
      serviceBus: { maxConcurrentSessions: 2 },
      durableTask: { hubName: "%Hub%" },
    },
  });
  const settings = { AzureFunctionsJobHost__extensions__serviceBus__maxConcurrentCalls: "3" };
  expect(readHostJson(folder, settings)).toMatchObject({
    routePrefix: "",
    functionTimeoutMs: 30_000,
    hubName: "%Hub%",
    serviceBus: { maxConcurrentCalls: 3, maxConcurrentSessions: 2 },
  });
});

test("host.json says how Durable's storage and the timers' locks behave; what Azure refuses is named", () => {
  expect(readHostJson(folder, {})).toMatchObject({
    storage: {},
    listenerLock: { periodMs: 60_000, recoveryPollingIntervalMs: 60_000 },
    refusedInAzure: [],
  });
  write("host.json", {
    version: "2.0",
    singleton: { listenerLockPeriod: "00:00:15", listenerLockRecoveryPollingInterval: "00:00:15" },
    extensions: {
      durableTask: {
        storageProvider: { type: "azureStorage", partitionCount: 2, maxQueuePollingInterval: "00:00:05" },
      },
    },
  });
  const storage = "AzureFunctionsJobHost__extensions__durableTask__storageProvider";
  const settings = {
    [`${storage}__controlQueueVisibilityTimeout`]: "00:00:03",
    [`${storage}__workItemQueueVisibilityTimeout`]: "00:00:04",
    AzureFunctionsJobHost__singleton__listenerLockPeriod: "00:00:02",
  };
  expect(readHostJson(folder, settings)).toMatchObject({
    storage: {
      partitionCount: 2,
      controlQueueVisibilityTimeoutMs: 3000,
      workItemQueueVisibilityTimeoutMs: 4000,
      maxQueuePollingIntervalMs: 5000,
    },
    listenerLock: { periodMs: 2000, recoveryPollingIntervalMs: 15_000 },
    refusedInAzure: [
      "host.json: storageProvider.controlQueueVisibilityTimeout is shorter than Azure allows (60 s)",
      "host.json: singleton.listenerLockPeriod is shorter than Azure allows (15 s)",
    ],
  });
});

describe(REJECTIONS.version.what, () => {
  test.each([{ functionTimeout: "00:05:00" }, { version: "1.0" }, { version: 2 }, { Version: "2.0" }])("%j", (json) => {
    write("host.json", json);
    expect(() => readHostJson(folder, {})).toThrow('"version", which has to be "2.0"');
  });
});

const readWith = (json: object) => {
  write("host.json", { version: "2.0", ...json });
  return readHostJson(folder, {});
};

describe(REJECTIONS.hostJsonType.what, () => {
  test.each([
    [{ extensions: { serviceBus: { maxConcurrentCallsPerSession: "two" } } }, "is not a whole number"],
    [{ extensions: { serviceBus: { prefetchCount: true } } }, "is not a whole number"],
    [{ extensions: { durableTask: { extendedSessionsEnabled: "yes" } } }, "is neither true nor false"],
    [{ extensions: { durableTask: { MAXCONCURRENTACTIVITYFUNCTIONS: 1.5 } } }, "is not a whole number"],
    [{ healthMonitor: { healthCheckInterval: "10s" } }, "is not a time span"],
    [{ healthMonitor: { counterThreshold: "high" } }, "is not a number"],
    [{ singleton: { lockPeriod: 15 }, retry: { maxRetryCount: "3x" } }, "retry.maxRetryCount"],
  ])("%j", (json, fault) => expect(() => readWith(json)).toThrow(fault));

  test("what .NET takes for a value is taken: a number as text, another case, an empty one", () => {
    const json = { healthMonitor: { enabled: "TRUE", counterThreshold: "0.8", healthCheckThreshold: "6" } };
    expect(() => readWith({ ...json, extensions: { http: { dynamicThrottlesEnabled: "" } } })).not.toThrow();
  });
});

const readServiceBus = (serviceBus: object) => readWith({ extensions: { serviceBus } });

test(LIMITS.batchWaitMs.what, () => {
  expect(readServiceBus({ maxBatchWaitTime: "00:02:30" }).serviceBus.maxBatchWaitMs).toBe(LIMITS.batchWaitMs.value);
  expect(() => readServiceBus({ maxBatchWaitTime: "00:02:31" })).toThrow("is 150 s at most");
});

test(REJECTIONS.batchSizes.what, () => {
  const read = (minMessageBatchSize: number) => readServiceBus({ minMessageBatchSize, maxMessageBatchSize: 5 });
  expect(read(5).serviceBus.minMessageBatchSize).toBe(5);
  expect(() => read(6)).toThrow("minMessageBatchSize is larger");
});

test("what has another effect in Azure than here is named", () => {
  const { warnings } = readWith({
    concurrency: { DynamicConcurrencyEnabled: "true" },
    extensions: {
      http: { hsts: { IsEnabled: true }, dynamicThrottlesEnabled: false },
      serviceBus: { prefetchCount: 8, enableCrossEntityTransactions: true },
    },
  });
  expect(warnings).toEqual([
    expect.stringContaining('"extensions.serviceBus.prefetchCount" has no effect here'),
    expect.stringContaining('"extensions.serviceBus.enableCrossEntityTransactions" has no effect here'),
    expect.stringContaining('"extensions.http.hsts.isEnabled" has no effect here'),
    expect.stringContaining('"concurrency.dynamicConcurrencyEnabled" has no effect here'),
  ]);
  expect(readServiceBus({ prefetchCount: 0 }).warnings).toEqual([]);
});

test(REJECTIONS.visibility.what, () => {
  const read = (controlQueueVisibilityTimeout: string) =>
    readWith({ extensions: { durableTask: { storageProvider: { controlQueueVisibilityTimeout } } } });
  expect(read("01:00:00").storage.controlQueueVisibilityTimeoutMs).toBe(3_600_000);
  expect(() => read("01:00:01")).toThrow("is 01:00:00 at most");
});

const readDurable = (durableTask: object) => readWith({ extensions: { durableTask } });

describe(REJECTIONS.backend.what, () => {
  test.each(["azureStorage", "MSSQL", "Netherite", "azureManaged"])("%s is there", (type) => {
    expect(readDurable({ storageProvider: { type } }).storageType).toBe(type);
  });

  test.each(["azurestorage2", "sql"])("%s is not", (type) => {
    expect(() => readDurable({ storageProvider: { type } })).toThrow(
      `extensions.durableTask.storageProvider.type: "${type}" is no storage provider`,
    );
  });

  test("an app that builds its extensions itself may have others", () => {
    writeFileSync(join(folder, "extensions.csproj"), "");
    expect(readDurable({ storageProvider: { type: "sql" } }).storageType).toBe("sql");
  });
});

describe(REJECTIONS.durableCount.what, () => {
  test.each([
    { maxConcurrentActivityFunctions: 0 },
    { maxConcurrentEntityFunctions: 0 },
    { maxEntityOperationBatchSize: -1 },
    { storageProvider: { controlQueueBatchSize: 0 } },
    { storageProvider: { maxQueuePollingInterval: "00:00:00" } },
    { notifications: { eventGrid: { publishRetryInterval: "01:00:01" } } },
    { overridableExistingInstanceStates: "Ended" },
  ])("%j", (json) => expect(() => readDurable(json)).toThrow("extensions.durableTask."));
});

test("the durable engine is held to host.json", () => {
  expect(readDurable({ maxOrchestrationActions: 7 }).durable).toEqual({ storageType: "azureStorage", maxActions: 7 });
});

test.each([
  [{ extendedSessionsEnabled: true }, "for .NET only"],
  [{ storageProvider: { controlQueueBufferThreshold: 16 } }, "larger than controlQueueBufferThreshold"],
  [{ overridableExistingInstanceStates: "anystate" }, "no effect here"],
])("what of durableTask has no effect is named: %j", (json, words) => {
  expect(readDurable(json).warnings).toEqual([expect.stringContaining(words)]);
});

test("the names of members have no case", () => {
  const settings = readWith({ Extensions: { HTTP: { RoutePrefix: "v1" }, servicebus: { MaxConcurrentCalls: 3 } } });
  expect(settings).toMatchObject({ routePrefix: "v1", serviceBus: { maxConcurrentCalls: 3 }, warnings: [] });
});

test.each([
  [{ functionTimout: "00:05:00" }, "functionTimout", "functionTimeout"],
  [
    { extensions: { serviceBus: { maxConcurentCalls: 1 } } },
    "extensions.serviceBus.maxConcurentCalls",
    "extensions.serviceBus.maxConcurrentCalls",
  ],
  [{ extensions: { durableTasks: {} } }, "extensions.durableTasks", "extensions.durableTask"],
  [{ http: { routePrefix: "v1" } }, "http", "extensions.http"],
  [{ extensions: { http: { hubName: "h" } } }, "extensions.http.hubName", "extensions.durableTask.hubName"],
  [{ extensions: { durableTask: { storageProvider: { partitonCuont: 4 } } } }, "partitonCuont", "partitionCount"],
])("a member of host.json that looks like another one is named: %j", (json, place, meant) => {
  const { warnings } = readWith(json);
  expect(warnings).toEqual([expect.stringMatching(new RegExp(`${place}" is unknown.*${meant}" meant`))]);
});

test("other members of host.json are left alone, as Azure leaves them", () => {
  const json = {
    $schema: "x",
    team: "shop",
    extensions: { mine: { anything: 1 } },
    logging: { logLevel: { a: "none" } },
  };
  expect(readWith(json).warnings).toEqual([]);
  const root = join(import.meta.dirname, "../../../..");
  expect(readHostJson(root, {}).warnings).toEqual([]);
});

test("all faults of host.json are named at once", () => {
  write("host.json", {
    version: "2.0",
    functionTimeout: "soon",
    logging: { logLevel: { default: "loud" } },
  });
  expect(() => readHostJson(folder, {})).toThrow(
    /functionTimeout: "soon" is not a time span.*default: "loud" is not a log level/s,
  );
});

test("local.settings.json gives its Values; an encrypted one is refused", () => {
  expect(readLocalSettings(folder)).toEqual({});
  write("local.settings.json", { Values: { A: "1", B: 2 } });
  expect(readLocalSettings(folder)).toEqual({ A: "1", B: "2" });
  write("local.settings.json", { IsEncrypted: true, Values: {} });
  expect(() => readLocalSettings(folder)).toThrow("is encrypted");
});

test.each([
  ['{ "Values": { "A": "1", } }', /local\.settings\.json is not valid JSON: /],
  ["[]", /local\.settings\.json does not hold a JSON object$/],
  ["null", /local\.settings\.json does not hold a JSON object$/],
  ['{ "Values": [] }', /local\.settings\.json: "Values" is not an object$/],
  ['{ "Values": { "A": {}, "B": null } }', /"A" is not a string\n.*"B" is not a string$/],
])("local.settings.json with %s is named with its fault", (text, fault) => {
  writeFileSync(join(folder, "local.settings.json"), text);
  expect(() => readLocalSettings(folder)).toThrow(fault);
});

test.each([
  ["00:05:00", 300_000],
  ["1.00:00:00", 86_400_000],
  ["24:00:00", 24 * 86_400_000],
  ["-1", undefined],
])("functionTimeout %s", (functionTimeout, ms) => {
  write("host.json", {
    version: "2.0",
    functionTimeout,
  });
  expect(readHostJson(folder, {}).functionTimeoutMs).toBe(ms);
});

test.each(["00:90:00", "00:00:60", "-00:05:00", "5m"])("the time %s of host.json is refused", (functionTimeout) => {
  write("host.json", { version: "2.0", functionTimeout });
  expect(() => readHostJson(folder, {})).toThrow(`"${functionTimeout}" is not a time span such as 00:05:00`);
});

test.each([
  ["*/15 * * * * *", "2026-01-01T00:00:15Z"],
  ["0/20 * * * * *", "2026-01-01T00:00:20Z"],
  ["*/5 * * * *", "2026-01-01T00:05:00Z"],
  ["0 30 9 * Jan Mon", "2026-01-05T09:30:00Z"],
  ["0 0 0 1 * 1", "2026-06-01T00:00:00Z"],
  ["00:00:10", "2026-01-01T00:00:10Z"],
])("schedule %s", (text, next) => {
  expect(parseSchedule(text, undefined).next(new Date("2026-01-01T00:00:00Z"))).toEqual(new Date(next));
});

test("the log level of the longest prefix holds", () => {
  const isWritten = levelFilter({ default: "warning", Function: "information", "Function.noisy": "error" });
  const entry = (category: string) => isWritten({ level: "information", category });
  expect([entry("Host.Startup"), entry("Function.quiet.User"), entry("Function.noisy.User")]).toEqual([
    false,
    true,
    false,
  ]);
});

test("retry delays", () => {
  expect(retryDelayMs({ retryStrategy: "fixedDelay", delayInterval: { seconds: 3 } }, 4)).toBe(3000);
  const backoff = {
    retryStrategy: "exponentialBackoff",
    minimumInterval: { seconds: 2 },
    maximumInterval: { seconds: 10 },
  };
  expect([0, 1, 2, 3].map((count) => retryDelayMs(backoff, count))).toEqual([2000, 4000, 8000, 10_000]);
});

const BUNDLE = "Microsoft.Azure.Functions.ExtensionBundle";

test.each(["[4.*, 5.0.0)", "[4.30.0, 5.0.0)", "4.0.0", "4.*", "[4.0.0]", "(3.3.0, 4.*]", "[4.0.0,)"])(
  "an extension bundle of the versions %s is taken",
  (version) => {
    write("host.json", { version: "2.0", extensionBundle: { id: BUNDLE, version } });
    expect(readHostJson(folder, {}).hasBundle).toBe(true);
  },
);

describe(REJECTIONS.bundle.what, () => {
  test.each([
    { id: BUNDLE },
    { id: BUNDLE, version: "" },
    { id: BUNDLE, version: "latest" },
    { id: BUNDLE, version: "[4.*, 5.0.0" },
    { id: BUNDLE, version: ">=4" },
    { id: "", version: "4.0.0" },
    { id: "not a package", version: "4.0.0" },
    { version: "4.0.0" },
  ])("%j", (extensionBundle) => {
    write("host.json", { version: "2.0", extensionBundle });
    expect(() => readHostJson(folder, {})).toThrow(/extensionBundle\.(id|version)/);
  });
});

test.each([
  ["AzureWebJobs.sendMail.Disabled", "1", true],
  ["AzureWebJobs_SendMail_Disabled", "true", true],
  ["AZUREWEBJOBS.SENDMAIL.DISABLED", "True", true],
  ["AzureWebJobs.SendMail.Disabled", "false", false],
  ["AzureWebJobs.SendMails.Disabled", "1", false],
])("%s=%s switches SendMail off: %s", (name, value, isOff) => {
  expect(isDisabled("SendMail", { [name]: value })).toBe(isOff);
});
