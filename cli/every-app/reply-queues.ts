// The queues that this app's own clients are answered by, as infra/entities/service-bus.json names them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./root.ts";

interface Entities {
  readonly queues: readonly {
    readonly name: string;
    readonly listeners: readonly string[];
    readonly properties?: { readonly requiresSession?: boolean };
  }[];
}

const FILE = "infra/entities/service-bus.json";
const { queues } = JSON.parse(readFileSync(join(ROOT, FILE), "utf8")) as Entities;
/** Where the app itself listens its own agents are answered. */
const replies = queues.filter(({ name, listeners }) => name.startsWith("replies-") && !listeners.includes("app"));
const named = (hasSessions: boolean) =>
  replies.find(({ properties }) => (properties?.requiresSession ?? false) === hasSessions)?.name ?? "replies-client";

/** The private reply queue of a client. */
export const REPLY_QUEUE = named(false);

/** The one with sessions, which any number of clients share. */
export const SESSION_REPLY_QUEUE = named(true);
