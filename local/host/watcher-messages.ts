// What watcher and worker say to each other over IPC.
import type { HostOptions } from "./host.ts";

/** The worker's only argument, as JSON. */
export type WorkerOptions = Omit<HostOptions, "log" | "onTimeout">;

export type WorkerMessage =
  | { readonly kind: "beat" }
  | { readonly kind: "ready"; readonly port: number }
  /** It could not start; the text is for the user. */
  | { readonly kind: "failed"; readonly fault: string };

export type WatcherMessage = { readonly kind: "stop" };
