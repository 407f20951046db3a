// Runs an action on all messages of a cause in this tab, wave by wave.
import {
  type MessageAction,
  type MessagesDone,
  runMessageWaves as run,
} from "@scheduler-agent-supervisor/operator/domain";
import { get, post } from "./client.ts";
import type { DeadLetterCauses, MessageWaveResults } from "./contract.ts";
import { query } from "./queries.ts";

export type { MessageAction, MessagesDone };

interface Asked {
  readonly action: MessageAction;
  readonly reason: string;
  readonly patch?: unknown;
}

export function runMessageWavesByApi(
  queue: string,
  cause: DeadLetterCauses["causes"][number],
  asked: Asked,
  said: (done: MessagesDone) => void,
  stop: AbortSignal,
): Promise<MessagesDone> {
  return run(cause, asked.action, {
    causes: () => get<DeadLetterCauses>(`dead-letter-causes${query({ queue })}`),
    wave: (numbers) => post<MessageWaveResults>("dead-letter-waves", { queue, ...asked, numbers }),
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    isStopped: () => stop.aborted,
    said,
  });
}
