// All planted faults.
import type { Fault } from "./fault.ts";
import { OF_AGENTS } from "./faults/agents.ts";
import { OF_ATTEMPTS } from "./faults/attempts.ts";
import { OF_OPERATIONS } from "./faults/operations.ts";
import { OF_RECORDS } from "./faults/records.ts";
import { OF_SUPERVISION } from "./faults/supervision.ts";

export const FAULTS: readonly Fault[] = [OF_RECORDS, OF_AGENTS, OF_SUPERVISION, OF_ATTEMPTS, OF_OPERATIONS].flat();
