// P19: routing, capacity and priority.
import { faultsOf } from "../fault.ts";

const ROUTE_AGENT = "core:agents/route-agent.test.ts";
const ROUTING = "core:agents/routing.test.ts";
const ADMISSION = "operations:admission.test.ts";

export const P19 = faultsOf("P19", [
  [
    "An endpoint gets one call more than its capacity.",
    "core:agents/routing.ts",
    "if (view.inFlight >= view.capacity) continue;",
    "if (view.inFlight > view.capacity) continue;",
    ROUTE_AGENT,
  ],
  [
    "A broken endpoint gets work.",
    "core:agents/routing.ts",
    'if (view.health !== "healthy") continue;',
    "",
    ROUTE_AGENT,
  ],
  [
    "A normal call starves while urgent ones wait.",
    "core:agents/routing.ts",
    "return passedOver < NORMAL_SHARE - 1",
    "return passedOver < Number.POSITIVE_INFINITY",
    ROUTING,
  ],
  [
    "An urgent call waits behind normal ones.",
    "core:agents/routing.ts",
    "return passedOver < NORMAL_SHARE - 1",
    "return passedOver < 0",
    ROUTING,
  ],
  [
    "A call that failed goes to the endpoint where it failed.",
    "core:agents/routing.ts",
    "if (view.url === failed) again = view;\n    else if",
    "if",
    ROUTING,
  ],
  [
    "Load does not follow capacity.",
    "core:agents/routing.ts",
    "const difference = one.inFlight / one.capacity - other.inFlight / other.capacity;",
    "const difference = one.inFlight - other.inFlight;",
    ROUTING,
  ],
  [
    "An urgent call is the probe though a healthy endpoint has room.",
    "core:agents/routing.ts",
    'if (probe && (priority === "normal" || !(best ?? again)))',
    "if (probe)",
    ROUTING,
  ],
  [
    "A slow endpoint gets as much as a quick one.",
    "core:agents/endpoint-pool.ts",
    "if (now - lease.startedAt >= this.#options.slowAfterMs)",
    "if (now < 0)",
    "core:agents/slow-endpoints.test.ts",
  ],
  [
    "A slow endpoint is never tried again while another has room.",
    "core:agents/endpoint-pool.ts",
    "const quick = this.#slots.filter(({ slowUntil = 0 }) => slowUntil <= now);",
    "const quick = this.#slots.filter(({ slowUntil = 0 }) => slowUntil <= 0);",
    "core:agents/slow-endpoints.test.ts",
  ],
  [
    "A lane has one waiting call more than its room.",
    "core:agents/endpoint-pool.ts",
    "if (lane.size >= this.#options.waitingRoom) return undefined;",
    "if (lane.size > this.#options.waitingRoom) return undefined;",
    ROUTE_AGENT,
  ],
  [
    "Urgent jobs are admitted no longer than others.",
    "core:scheduler/admission/admission.ts",
    "high: 1.25,",
    "high: 1,",
    ADMISSION,
  ],
  [
    "A job in progress is admitted no longer than a new one.",
    "core:scheduler/admission/admission.ts",
    "begun: 1.5,",
    "begun: 1,",
    ADMISSION,
  ],
  [
    "A job's priority is lost when it is recorded.",
    "core:domain/record/new-state-record.ts",
    "priority: submission.priority,",
    'priority: "normal",',
    "operations:submission.test.ts",
  ],
]);
