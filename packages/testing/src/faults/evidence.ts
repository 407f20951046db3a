// What is left of a job's life to judge it by: its record, the effects of the services, what the requester received, what still runs.
import type { CosmosClient } from "@azure/cosmos";
import { ServiceBusClient, type ServiceBusReceivedMessage } from "@azure/service-bus";
import { type Business, parseConfig, QUEUES } from "@scheduler-agent-supervisor/core/app";
import { cosmosOf, createCosmosJobStore } from "@scheduler-agent-supervisor/core/create-app";
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { idNameOf, idOf } from "@scheduler-agent-supervisor/core/messaging";
import { CONTAINERS, DATABASE } from "@scheduler-agent-supervisor/core/store";
import type { Received } from "./published.ts";

/** The addresses of a local stack that are needed here. */
export interface StackAddresses {
  readonly hosts: readonly { readonly url: string }[];
  /** The URL of each simulated service, by its name. */
  readonly remotes: Readonly<Record<string, string>>;
}

/** What a simulated service has done. */
export interface ServiceEffect {
  readonly service: string;
  /** As the service knows it: the resource's path, and `create` or the action. */
  readonly path: string;
  readonly action: string;
  readonly key: string;
  /** The request's. */
  readonly body: unknown;
}

export interface Evidence {
  readonly record: StateRecord | undefined;
  /** All of this job's. */
  readonly effects: readonly ServiceEffect[];
  readonly published: readonly Received[];
  /** The attempts that the engine says run. */
  readonly running: readonly string[];
}

/** Sends jobs as a requester does, and collects what becomes of them. */
export interface Requester extends AsyncDisposable {
  send(content: object): Promise<void>;
  evidenceOf(jobId: string): Promise<Evidence>;
}

/** @param settings the host's, with its connection strings */
export function openRequester(options: {
  readonly business: Business;
  readonly settings: Readonly<Record<string, string | undefined>>;
  readonly addresses: StackAddresses;
  readonly replyQueue: string;
}): Requester {
  const { business, settings, addresses, replyQueue } = options;
  const idName = idNameOf(business.contracts);
  const config = parseConfig(settings, business);
  const cosmos: CosmosClient = cosmosOf(config);
  const container = cosmos.database(DATABASE).container(CONTAINERS.jobs);
  const store = createCosmosJobStore({ container, idName });
  const bus = new ServiceBusClient(settings["ServiceBus"] ?? "", { retryOptions: { retryDelayInMs: 300 } });
  const sender = bus.createSender(QUEUES.jobs);
  const received = new Map<unknown, Map<number, ServiceBusReceivedMessage>>();
  const receiver = bus.createReceiver(replyQueue);
  receiver.subscribe({
    processMessage: async (message) => {
      const jobId = message.body?.jobId;
      const own = received.get(jobId) ?? new Map();
      received.set(jobId, own.set(Number(message.sequenceNumber), message));
    },
    // It comes back by itself.
    processError: async () => undefined,
  });
  /** The effects that there were when a job was sent. */
  const before = new Map<string, ReadonlySet<string>>();
  return {
    async send(content) {
      const messageId = idOf(content, idName);
      before.set(messageId, new Set((await allEffects(addresses.remotes)).map(identityOf)));
      await sender.sendMessages({ body: content, messageId, correlationId: messageId, replyTo: replyQueue });
    },
    async evidenceOf(jobId) {
      const [stored, effects, running] = await Promise.all([
        store.state(jobId),
        allEffects(addresses.remotes),
        runningAttempts(addresses.hosts, jobId),
      ]);
      const others = [...before.keys()].filter((other) => other !== jobId);
      // One job lives at a time: what came since it was sent and names no other one is its own.
      const own = effects.filter(
        (effect) =>
          names(effect, jobId) ||
          (before.get(jobId)?.has(identityOf(effect)) === false && !others.some((other) => names(effect, other))),
      );
      const messages = [...(received.get(jobId) ?? [])].sort(([one], [other]) => one - other);
      return { record: stored?.record, effects: own, published: messages.map(([, message]) => message), running };
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled([bus.close()]);
      cosmos.dispose();
    },
  };
}

const names = ({ key, body }: ServiceEffect, jobId: string): boolean =>
  key.startsWith(`${jobId}:`) || JSON.stringify(body).includes(JSON.stringify(jobId));

const identityOf = ({ service, key }: ServiceEffect): string => `${service} ${key}`;

async function allEffects(remotes: StackAddresses["remotes"]): Promise<ServiceEffect[]> {
  const all = Object.entries(remotes).map(async ([service, url]) => {
    const { effects } = (await (await fetch(`${url}/$effects`)).json()) as {
      effects: Omit<ServiceEffect, "service">[];
    };
    return effects.map((effect) => ({ ...effect, service }));
  });
  return (await Promise.all(all)).flat();
}

/** By the HTTP API of Durable Functions. */
export async function runningAttempts(hosts: StackAddresses["hosts"], jobId: string): Promise<string[]> {
  const all = hosts.map(async ({ url }) => {
    try {
      const query = `runtimeStatus=Running,Pending&instanceIdPrefix=${jobId}-`;
      const response = await fetch(`${url}/runtime/webhooks/durabletask/instances?code=local&${query}`);
      return ((await response.json()) as { instanceId: string }[]).map(({ instanceId }) => instanceId);
    } catch {
      return ["not known: the host is down"];
    }
  });
  return (await Promise.all(all)).flat();
}
