// The parts of a composed app: the ports of its functions, and what they are made of.
import type { Container, Database } from "@azure/cosmos";
import type { Workflow } from "../domain/definition/workflow.ts";
import type { BusSenders } from "../messaging/bus-senders.ts";
import type { OriginalMessages } from "../messaging/original-messages.ts";
import type { Pauses } from "../scheduler/admission/pauses.ts";
import type { Ports } from "../scheduler/ports.ts";
import type { AgentHealthStore } from "../store/agent-health-store.ts";
import type { ClosingStore } from "../store/job-store.ts";
import type { PurgeProgress } from "../store/purge-progress.ts";
import type { WorkflowRegister } from "../store/workflow-register.ts";
import type { Config } from "./config.ts";

export interface Composed {
  readonly config: Config;
  readonly database: Pick<Database, "container">;
  /** The container of the jobs. */
  readonly jobs: Container;
  readonly senders: BusSenders;
  /** The messages in the app's queues as they are. */
  readonly originals: OriginalMessages;
  readonly pauses: Pauses;
  /** Where each process reports the health of its endpoints. */
  readonly health: AgentHealthStore;
  readonly ports: Ports;
  readonly closing: ClosingStore;
  readonly purgeProgress: PurgeProgress;
  readonly workflows: { readonly known: readonly Workflow[]; readonly register: WorkflowRegister };
}
