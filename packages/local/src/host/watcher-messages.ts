// What the processes of a host say to each other over IPC, and the command to who started it.
import type { DescribedApp } from "./flex/groups.ts";
import type { HostOptions } from "./host-options.ts";

/** The worker's only argument, as JSON. */
export interface WorkerOptions extends Omit<HostOptions, "log" | "onTimeout"> {
  /** Set where it only says what the app consists of, that is to answer at this address, and ends. */
  readonly describeFor?: string;
}

export type WorkerMessage =
  | { readonly kind: "beat" }
  | { readonly kind: "ready"; readonly port: number }
  /** It stops, by itself or because it was told to, and is to be sent nothing more. */
  | { readonly kind: "leaving" }
  | { readonly kind: "described"; readonly app: DescribedApp }
  /** It could not start; the text is for the user. */
  | { readonly kind: "failed"; readonly fault: string };

export type WatcherMessage =
  | { readonly kind: "stop"; readonly graceMs: number }
  /** Starts no activity any more; the stop follows. */
  | { readonly kind: "hold" }
  /** Where the further durable processes take activities. */
  | { readonly kind: "activityPorts"; readonly ports: readonly number[] };

/** A process of the flex topology. */
export interface InstanceStatus {
  /** `submission`, `submission.2`, … */
  readonly name: string;
  readonly group: string;
  /** 0 while there is no process. */
  readonly pid: number;
  readonly isReady: boolean;
}

/** What the command sends, where it was started with a channel and runs several processes. */
export interface HostMessage {
  readonly kind: "instances";
  readonly instances: readonly InstanceStatus[];
}
