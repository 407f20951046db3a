// A stack with a fault proxy between the app and each server; tests and their shop go past the proxies.
import { rmSync } from "node:fs";
import type { Tuning } from "@scheduler-agent-supervisor/core/create-app";
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import { type Addresses, FaultProxy, type StackOptions } from "@scheduler-agent-supervisor/local";
import { temporaryFolder } from "@scheduler-agent-supervisor/testing/stack";
import { adaptApp } from "../support/adapted-app.ts";
import { madeOrder } from "../support/made-order.ts";
import { shortLocks } from "../support/short-locks.ts";
import { shortVisibility } from "../support/short-visibility.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";
import { type End, faultsOf } from "./check-life.ts";
import { evidenceOf } from "./evidence.ts";

const POLL_MS = 200;

export interface FaultyStack extends TestStack {
  readonly to: { readonly bus: FaultProxy; readonly cosmos: FaultProxy; readonly storage: FaultProxy };
  /** The proxies before the remote services. */
  readonly remote: (name: string) => FaultProxy;
  /** The folder of its logs and databases. */
  readonly data: string;
  /** Sends these orders. */
  submit(orderIds: readonly string[], more?: Record<string, unknown>): Promise<void>;
  /** Throws what is wrong with the first that does not come to its end. */
  allEnd(orderIds: readonly string[], end?: End, withinMs?: number): Promise<void>;
}

type AppSettings = Record<string, string> | ((addresses: Addresses) => Record<string, string>);

/** A connection to the bus that is cut while the SDK's receivers sign in over it costs them a minute of their own (core-amqp 4.4.2). */
const ALL_END_WITHIN_MS = 100_000;

const REMOTES = ["inventory", "payment", "fraud", "shipping"] as const;

export async function startFaultyStack(
  workflows: readonly Workflow[],
  {
    appSettings = {},
    tuning,
    ...options
  }: Partial<StackOptions> & { readonly appSettings?: AppSettings; readonly tuning?: Tuning } = {},
): Promise<FaultyStack> {
  const adapted = adaptApp(workflows, tuning);
  shortVisibility(adapted.dir);
  const names = ["bus", "cosmos", "storage", ...REMOTES] as const;
  const proxies = await Promise.all(names.map(async (name) => [name, await FaultProxy.start()] as const));
  const proxy = (wanted: string) => {
    const found = proxies.find(([name]) => name === wanted);
    if (!found) throw new Error(`there is no proxy before ${wanted}`);
    return found[1];
  };
  const data = temporaryFolder("faulty-");
  const app = await startTestStack({
    appDir: adapted.dir,
    data,
    queuesFile: shortLocks(adapted.dir),
    appSettings: (addresses) => ({
      ...throughProxies(addresses, proxy),
      ...(typeof appSettings === "function" ? appSettings(addresses) : appSettings),
    }),
    ...options,
  });
  return {
    ...app,
    to: { bus: proxy("bus"), cosmos: proxy("cosmos"), storage: proxy("storage") },
    remote: proxy,
    data,
    submit: async (orderIds, more = {}) =>
      void (await Promise.all(orderIds.map((orderId) => app.shop.send({ ...madeOrder(orderId), ...more })))),
    async allEnd(orderIds, end = {}, withinMs = ALL_END_WITHIN_MS) {
      const giveUpAt = Date.now() + withinMs;
      for (const orderId of orderIds) {
        for (;;) {
          // The store may be the test's own trouble for a while.
          const evidence = await evidenceOf(app, orderId).catch(String);
          const faults = typeof evidence === "string" ? [evidence] : faultsOf(end, evidence);
          if (faults.length === 0) break;
          const history = typeof evidence === "string" ? "" : historyOf(evidence.record);
          if (Date.now() > giveUpAt) throw new Error(`${orderId}: ${faults.join("; ")}\n${history}`);
          await new Promise((resolve) => setTimeout(resolve, POLL_MS));
        }
      }
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await Promise.all(proxies.map(([, each]) => each[Symbol.asyncDispose]()));
      adapted[Symbol.dispose]();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

function throughProxies({ bus, cosmos, azurite, remotes }: Addresses, proxy: (name: string) => FaultProxy) {
  if (!bus || !cosmos || !azurite) throw new Error("the stack lacks a part");
  const endpoint = (name: string) => `http://127.0.0.1:${proxy(name).to(Number(new URL(remotes[name] ?? "").port))}`;
  return {
    ServiceBus: bus.connectionString.replace(`:${bus.port}`, `:${proxy("bus").to(bus.port)}`),
    Cosmos: cosmos.connectionString.replace(`:${cosmos.port}`, `:${proxy("cosmos").to(cosmos.port)}`),
    AzureWebJobsStorage: azurite.connectionString.replaceAll(
      `:${azurite.blobPort}`,
      `:${proxy("storage").to(azurite.blobPort)}`,
    ),
    InventoryEndpoints: endpoint("inventory"),
    PaymentEndpoints: endpoint("payment"),
    FraudEndpoints: endpoint("fraud"),
    ShippingEndpoints: endpoint("shipping"),
  };
}

function historyOf(record: StateRecord | undefined): string {
  return (record?.history ?? []).map(({ at, what, by }) => `${at} ${what} (${by})`).join("\n");
}
