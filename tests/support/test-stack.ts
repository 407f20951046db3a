// The real local stack for a suite: free ports, a temporary folder, short intervals; and a client to send with.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { ServiceBusClient, type ServiceBusReceivedMessage } from "@azure/service-bus";
import type { Tuning } from "@scheduler-agent-supervisor/core/create-app";
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { type Addresses, type Stack, type StackOptions, startStack } from "@scheduler-agent-supervisor/local";
import { FAULT_HEADERS } from "@scheduler-agent-supervisor/local/remotes";
import type { ServiceFault } from "@scheduler-agent-supervisor/testing";
import { temporaryFolder } from "@scheduler-agent-supervisor/testing/stack";
import { openRecords, type Records } from "../../cli/common/records.ts";
import { openShop, type Shop } from "../../cli/common/shop.ts";
import { REPLY_QUEUE } from "../../cli/every-app/reply-queues.ts";
import type { Settings } from "../../cli/every-app/stack-file.ts";
import { partiesIn, QUEUES_FILE, ROOT, settingsFor } from "../../cli/settings.ts";
import { orderFulfilment } from "../../shared/workflows/order-fulfilment.ts";
import { adaptApp } from "./adapted-app.ts";
import { chosenEngine, chosenStaleReadsMs, chosenTopology, isLikeAzure } from "./chosen.ts";
import { WITH_KEY } from "./host-key.ts";
import { THREE_STEPS } from "./orders.ts";
import { seenByAll } from "./store.ts";

/** A schedule: the first midnight of a year. A timer with it runs only when a test says so. */
export const NEVER = "0 0 0 1 1 *";

/** For who counts an order's requests: gauges and housekeeping read and write the same store, whenever a minute begins. */
export const UNCOUNTED = { GaugesSchedule: NEVER, HousekeepingSchedule: NEVER } as const;

interface Effect {
  readonly key: string;
  readonly path: string;
  readonly action: string;
  readonly calls: number;
}

type Call = Omit<RequestInit, "headers"> & { readonly headers?: Record<string, string> };

export interface TestStack extends AsyncDisposable {
  readonly stack: Stack;
  readonly settings: Settings;
  readonly shop: Shop;
  readonly records: Records;
  readonly bus: ServiceBusClient;
  /** The record once `holds` is true of it. */
  eventually(orderId: string, holds: (record: StateRecord) => boolean, withinMs?: number): Promise<StateRecord>;
  /** What the client has received so far of one order, in the order in which its queue took it. */
  statuses(orderId: string): ServiceBusReceivedMessage[];
  /** @returns how to end it before its time */
  switchOn(service: string, fault: ServiceFault): Promise<() => Promise<void>>;
  /**
   * Asks the app over HTTP, with the host's key: an app like Azure's rejects what has none. After a change it waits until every client of the store
   * reads what has been done.
   *
   * @param path with its query, after the app's address
   */
  call(path: string, options?: Call): Promise<Response>;
  /** The effects that a remote service has had for an order. */
  effects(service: string, orderId?: string): Promise<Effect[]>;
}

const POLL_MS = 100;

export async function startTestStack(
  options: Partial<StackOptions> & {
    readonly appSettings?: Record<string, string> | ((addresses: Addresses) => Record<string, string>);
    /** For an app that is not adapted already. */
    readonly tuning?: Tuning;
  } = {},
): Promise<TestStack> {
  const data = temporaryFolder("stack-");
  const { appSettings, tuning, queuesFile = QUEUES_FILE, ...rest } = options;
  const adapted = options.appDir === undefined ? adaptApp([THREE_STEPS, ...orderFulfilment], tuning) : undefined;
  const stack = await startStack({
    appDir: adapted?.dir ?? ROOT,
    data,
    ports: "free",
    engine: chosenEngine(),
    topology: chosenTopology(),
    staleReadsMs: chosenStaleReadsMs(),
    likeAzure: isLikeAzure(),
    settingsFor: (addresses) => ({
      ...settingsFor(addresses),
      ...partiesIn(queuesFile),
      SupervisorSchedule: "* * * * * *",
      ...(typeof appSettings === "function" ? appSettings(addresses) : appSettings),
    }),
    queuesFile,
    cosmosFile: join(ROOT, "infra/entities/cosmos.json"),
    remotesFile: join(ROOT, "samples/remotes.ts"),
    ...rest,
  });
  const settings = settingsFor(stack.addresses);
  const shop = openShop(settings);
  const records = openRecords(settings);
  const bus = new ServiceBusClient(settings["ServiceBus"] ?? "", { retryOptions: { retryDelayInMs: 300 } });
  /** By order, then by sequence number. */
  const received = new Map<unknown, Map<number, ServiceBusReceivedMessage>>();
  // Under a lock: what a broker has let go and not yet delivered when it is killed would never be received. So one may come again.
  const ear = bus.createReceiver(REPLY_QUEUE);
  ear.subscribe({
    processMessage: async (message) => {
      const { jobId: orderId } = message.body;
      const own = received.get(orderId) ?? new Map();
      received.set(orderId, own.set(Number(message.sequenceNumber), message));
    },
    // The broker may be killed under it: it comes back by itself.
    processError: async () => undefined,
  });

  return {
    stack,
    settings,
    shop,
    records,
    bus,
    async eventually(orderId, holds, withinMs = 60_000) {
      const begun = Date.now();
      for (;;) {
        const [record] = await records.of([orderId]);
        if (record && holds(record)) return record;
        if (Date.now() - begun > withinMs) throw new Error(`after ${withinMs} ms: ${JSON.stringify(record, null, 1)}`);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    },
    statuses: (orderId) =>
      [...(received.get(orderId) ?? [])].sort(([one], [other]) => one - other).map(([, message]) => message),
    async switchOn(service, fault) {
      const response = await fetch(`${stack.addresses.remotes[service]}/$faults`, {
        method: "POST",
        headers: FAULT_HEADERS,
        body: JSON.stringify(fault),
      });
      if (response.status !== 201) throw new Error(await response.text());
      const { id } = (await response.json()) as { id: number };
      const url = `${stack.addresses.remotes[service]}/$faults/${id}`;
      return async () => void (await fetch(url, { method: "DELETE", headers: FAULT_HEADERS }));
    },
    async call(path, { headers, ...options } = {}) {
      const url = `${stack.addresses.host?.url}/${path}`;
      const response = await fetch(url, { ...options, headers: { ...WITH_KEY, ...headers } });
      if (options.method === "POST") await seenByAll();
      return response;
    },
    async effects(service, orderId) {
      const filter = orderId ? `?orderId=${orderId}` : "";
      const response = await fetch(`${stack.addresses.remotes[service]}/$effects${filter}`);
      return ((await response.json()) as { effects: Effect[] }).effects;
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled([shop.close(), records.close(), bus.close()]);
      await stack.stop();
      rmSync(data, { recursive: true, force: true });
      adapted?.[Symbol.dispose]();
    },
  };
}
