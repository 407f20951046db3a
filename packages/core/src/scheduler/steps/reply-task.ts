// An agent's reply, or a service's report (P7): the task that it is for, and its words without the job's secrets.

import { secretValuesOf, valueWithout } from "../../domain/content/redactor.ts";
import { planOf, runOf } from "../../domain/record/plan.ts";
import type { StateRecord } from "../../domain/record/state-record.ts";
import { attemptOf, type StepTask, taskFor } from "../../domain/steps/attempt.ts";
import type { AgentReplyMessage } from "../../messaging/agent-messages.ts";
import { contractFor } from "../../messaging/contract.ts";
import type { Ports, Recording } from "../ports.ts";

/**
 * The task of a step's run, rebuilt from the record: for a caller that continues a run which another process began. Undefined if there never was such
 * a run.
 */
export function taskIn(
  record: StateRecord,
  { attempt, step, direction, lockedBy }: Pick<StepTask, "attempt" | "step" | "direction" | "lockedBy">,
  { workflows }: Pick<Ports, "workflows">,
): StepTask | undefined {
  const plan = planOf(workflows.of(record.workflow), record.steps, direction);
  const task = taskFor({ ...attemptOf(record, lockedBy, plan), attempt, direction }, step);
  // The possible effect of a skipped step is compensated while its job continues: only the record shows what follows from that.
  return task && direction !== record.direction ? { ...task, join: null } : task;
}

/** The members that are not a service's words, or that decide what is done with the reply. */
type Words = Omit<AgentReplyMessage, "kind" | "ticket" | "within">;

/** What no answer may repeat: the values of the job's secrets, and what opens the step's completion. */
export async function secretsOf(task: StepTask, ports: Recording): Promise<readonly string[]> {
  const { secrets } = contractFor(task.workflow.name, ports.rules.contracts);
  const nonce = runOf(task.record, task.direction)?.nonce;
  return [
    ...(secrets.length > 0 ? secretValuesOf(await ports.store.job(task.jobId, task.jobRevision), secrets) : []),
    ...(nonce === undefined ? [] : [nonce]),
  ];
}

/** The job's content is read only where the reply says something, in a number or a member's name too; and usually this process knows it. */
export async function replyWithoutSecrets(
  reply: AgentReplyMessage,
  task: StepTask,
  ports: Recording,
): Promise<AgentReplyMessage> {
  const { kind, ticket, ...rest } = reply;
  const { within, ...words } = rest as Words & { readonly within?: string };
  if (Object.values(words).every(isEmpty)) return reply;
  const values = await secretsOf(task, ports);
  return { kind, ticket, ...(within !== undefined && { within }), ...valueWithout(words, values) } as AgentReplyMessage;
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === "object" && Object.keys(value).length === 0);
}
