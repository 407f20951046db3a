// The queue of an agent elsewhere, for the check of its worker: a request goes to it, and the reply comes to a queue that nobody else reads now.
import { setTimeout as sleep } from "node:timers/promises";
import type { ServiceBusReceivedMessage } from "@azure/service-bus";
import { requestsQueueOf } from "@scheduler-agent-supervisor/core/app";
import type { AskByQueue } from "@scheduler-agent-supervisor/testing";
import { openBus } from "../common/azure.ts";
import type { Settings } from "../every-app/stack-file.ts";

const LOOK_AGAIN_MS = 50;

type Ticketed = { readonly ticket?: { readonly nonce?: string } };

export interface Queue extends AsyncDisposable {
  readonly ask: AskByQueue;
}

/** @param replyQueue that the worker may send to, without sessions */
export function openQueue(settings: Settings, replyQueue: string): Queue {
  const client = openBus(settings, { retryOptions: { maxRetries: 2, retryDelayInMs: 300 } });
  const receiver = client.createReceiver(replyQueue);
  const replies: unknown[] = [];
  const others: ServiceBusReceivedMessage[] = [];
  const own = new Set<string>();
  let failed: Error | undefined;
  const nonceOf = (body: unknown) => (body as Ticketed | null)?.ticket?.nonce ?? "";
  receiver.subscribe(
    {
      async processMessage(message) {
        // What is another's is given back at the end: at once it would come again and again.
        if (!own.has(nonceOf(message.body))) others.push(message);
        else {
          replies.push(message.body);
          await receiver.completeMessage(message);
        }
      },
      async processError({ error }) {
        failed = error;
      },
    },
    { autoCompleteMessages: false, maxConcurrentCalls: 8 },
  );
  return {
    async ask(agent, request, isLast) {
      const { nonce = "" } = request.ticket;
      own.add(nonce);
      const sender = client.createSender(requestsQueueOf(agent));
      const timeToLive = Date.parse(request.startBy) - Date.now();
      // The queue drops a second message under one id.
      await sender.sendMessages({ body: request, messageId: nonce, replyTo: replyQueue, timeToLive });
      await sender.close();
      while (Date.now() < Date.parse(request.completeBy)) {
        if (failed) throw failed;
        const found = replies.findIndex((body) => nonceOf(body) === nonce);
        if (found < 0) await sleep(LOOK_AGAIN_MS);
        else if (isLast(replies.splice(found, 1)[0])) return true;
      }
      return false;
    },
    async [Symbol.asyncDispose]() {
      for (const message of others) await receiver.abandonMessage(message).catch(() => undefined);
      await client.close();
    },
  };
}
