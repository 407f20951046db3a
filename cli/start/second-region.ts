// The second host as a region of its own: it reaches bus and store through here, and can be cut off from either.
import { type Addresses, FaultProxy } from "@scheduler-agent-supervisor/local";

export const SHARED_PARTS = ["bus", "store"] as const;
export type SharedPart = (typeof SHARED_PARTS)[number];

export interface SecondRegion extends AsyncDisposable {
  /** What the second host's settings have otherwise; nothing for another host. */
  settingsFor(addresses: Addresses): Record<string, string>;
  /** For as long as `work` takes nothing comes through to that part, and nobody says so. Then what is connected breaks. */
  cutOff<T>(from: SharedPart, work: () => Promise<T>): Promise<T>;
}

export async function startSecondRegion(): Promise<SecondRegion> {
  const [bus, store] = await Promise.all([FaultProxy.start(), FaultProxy.start()]);
  const proxies: { readonly [part in SharedPart]: FaultProxy } = { bus, store };
  return {
    settingsFor({ host, bus: busAddress, cosmos, azurite }) {
      if (host?.name !== "host2" || !busAddress || !cosmos || !azurite) return {};
      const { port: busPort, connectionString: toBus } = busAddress;
      const { port: storePort, connectionString: toStore } = cosmos;
      return {
        ServiceBus: toBus.replace(`:${busPort}`, `:${bus.to(busPort)}`),
        Cosmos: toStore.replace(`:${storePort}`, `:${store.to(storePort)}`),
        // Its own, with a lease of its own: each region's supervisor leads.
        AzureWebJobsStorage: azurite.connectionString.replaceAll("devstoreaccount1", "devstoreaccount2"),
      };
    },
    cutOff: (from, work) => proxies[from].during({ kind: "halfOpen" }, work),
    async [Symbol.asyncDispose]() {
      await Promise.all([bus, store].map((proxy) => proxy[Symbol.asyncDispose]()));
    },
  };
}
