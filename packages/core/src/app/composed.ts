// The parts of a composed app: the ports of its functions and of its operators' views.
import type { Workflow } from "../domain/workflow.ts";
import type { AgentStandings, Session, Traffic } from "../messaging/console-contract.ts";
import type { OperatorSignIn } from "../messaging/operator-access.ts";
import type { QueueNames } from "../messaging/service-bus-messenger.ts";
import type { AttentionView } from "../operations/attention.ts";
import type { AwaitingView } from "../operations/awaiting.ts";
import type { DeadLetterPorts } from "../operations/handle-dead-letter.ts";
import type { HandlingView } from "../operations/handle-job.ts";
import type { HeldUpView } from "../operations/held-up.ts";
import type { GaugePorts } from "../operations/measure-gauges.ts";
import type { BulkPorts } from "../operations/preview-bulk.ts";
import type { Pauses } from "../scheduler/pauses.ts";
import type { Ports } from "../scheduler/ports.ts";
import type { DiscardedStore } from "../store/discarded-store.ts";
import type { ClosingStore } from "../store/job-store.ts";
import type { Pause } from "../store/pause-store.ts";
import type { PurgeProgress } from "../store/purge-progress.ts";
import type { WorkflowRegister } from "../store/workflow-register.ts";
import type { SupervisionReader } from "../supervision/read-supervision.ts";

export interface Composed {
  readonly ports: Ports;
  readonly queues: QueueNames & { readonly jobs: string; readonly priorityJobs: string };
  readonly stock: GaugePorts;
  readonly deadLetters: () => DeadLetterPorts;
  readonly closing: ClosingStore;
  readonly discarded: DiscardedStore;
  readonly purgeProgress: PurgeProgress;
  readonly console: ConsolePorts;
  readonly bulk: BulkPorts;
  readonly workflows: { readonly known: readonly Workflow[]; readonly register: WorkflowRegister };
}

export interface ConsolePorts {
  readonly awaiting: AwaitingView;
  readonly attention: AttentionView;
  readonly heldUp: HeldUpView;
  readonly traffic: () => Promise<Traffic>;
  readonly pauses: Pauses;
  readonly agents: () => Promise<AgentStandings>;
  /** The workflows and agents that can be paused, by name. */
  readonly known: { readonly [kind in Pause["kind"]]: readonly string[] };
  readonly handling: HandlingView;
  readonly supervision: SupervisionReader;
  readonly environment: Session["environment"];
  readonly traceUrl: Session["traceUrl"];
  readonly signIn: OperatorSignIn;
}
