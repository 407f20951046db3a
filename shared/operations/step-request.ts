// What an agent is told of a step: the same whether it is called or asked by a message.
import type { AgentRequest } from "../agents/agent.ts";
import type { StepTask } from "../domain/attempt.ts";
import { runOf } from "../domain/plan.ts";
import { idempotencyKey } from "../domain/state-record.ts";
import type { Ports } from "./ports.ts";

/** The first that a step's activity does: so it also notes how long the step waited for it. */
export async function requestOf(
  task: StepTask,
  ports: Ports,
): Promise<Omit<AgentRequest, "signal" | "endpoint" | "traceparent">> {
  const { orderId, step, direction, record, results } = task;
  const { generation } = record;
  const startedAt = runOf(record, direction)?.startedAt;
  if (startedAt) ports.pressure.note(ports.now() - Date.parse(startedAt));
  const undoes = { result: record.result, idempotencyKey: idempotencyKey(orderId, step, "forward", generation) };
  return {
    order: await ports.store.order(orderId, task.orderRevision),
    results,
    idempotencyKey: idempotencyKey(orderId, step, direction, generation),
    undoes: direction === "undo" ? undoes : null,
  };
}
