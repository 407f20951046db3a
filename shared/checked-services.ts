// What the agents' services were seen to do when they were checked. Written by `npm run services:check -- --agent NAME --write`.
import type { CheckedServices } from "@scheduler-agent-supervisor/core/app";
import type { agents } from "./agents.ts";

export const checkedServices: CheckedServices<typeof agents> = {
  inventory: {
    at: "2026-11-26",
    operations: {
      reserve: {
        repeated: "holds",
        concurrent: "holds",
        late: "holds",
        afterCompensation: "holds",
        compensatedFirst: "holds",
      },
      release: {
        repeated: "holds",
        concurrent: "holds",
        late: "holds",
      },
      restock: {
        repeated: "holds",
        concurrent: "holds",
        late: "holds",
        afterCompensation: "holds",
        compensatedFirst: "holds",
      },
      withdraw: {
        repeated: "holds",
        concurrent: "holds",
        late: "holds",
      },
    },
  },
  payment: {
    at: "2026-11-26",
    operations: {
      authorize: {
        repeated: "holds",
        concurrent: "holds",
        late: "holds",
        afterCompensation: "holds",
        compensatedFirst: "holds",
      },
      void: {
        repeated: "holds",
        concurrent: "holds",
        late: "holds",
      },
      capture: {
        repeated: "holds",
        concurrent: "holds",
        late: "holds",
        afterCompensation: "holds",
        compensatedFirst: "holds",
      },
      refund: {
        repeated: "holds",
        concurrent: "holds",
        late: "holds",
      },
      refundReturn: {
        repeated: "holds",
        concurrent: "holds",
        late: "holds",
      },
    },
  },
  fraud: {
    at: "2026-11-26",
    operations: {
      check: {
        repeated: "holds",
        concurrent: "holds",
        late: "holds",
      },
    },
  },
  shipping: {
    at: "2026-11-26",
    operations: {
      arrange: {
        repeated: "holds",
        concurrent: "holds",
        late: "holds",
        afterCompensation: "holds",
        compensatedFirst: "holds",
      },
      cancel: {
        repeated: "holds",
        concurrent: "holds",
        late: "holds",
      },
      pickUp: {
        repeated: "holds",
        concurrent: "holds",
        late: "holds",
        afterCompensation: "holds",
        compensatedFirst: "holds",
      },
      cancelPickUp: {
        repeated: "holds",
        concurrent: "holds",
        late: "holds",
      },
    },
  },
  hotel: {
    at: "2026-11-26",
    operations: {
      book: {
        repeated: "holds",
        concurrent: "holds",
        late: "holds",
        afterCompensation: "holds",
        compensatedFirst: "holds",
      },
      cancel: {
        repeated: "holds",
        concurrent: "holds",
        late: "holds",
      },
    },
  },
  flight: {
    at: "2026-11-26",
    operations: {
      book: {
        repeated: "fails",
        concurrent: "fails",
        late: "fails",
        afterCompensation: "fails",
        found: "holds",
        compensatedFirst: "fails",
      },
      cancel: {
        repeated: "holds",
        concurrent: "holds",
        late: "holds",
      },
    },
  },
  car: {
    at: "2026-11-29",
    operations: {
      rent: {
        repeated: "fails",
        concurrent: "fails",
        late: "fails",
        afterCompensation: "fails",
        compensatedFirst: "fails",
      },
      cancel: {
        repeated: "holds",
        concurrent: "holds",
        late: "holds",
      },
    },
  },
  approval: {
    at: "2026-11-26",
    operations: {
      ask: {
        repeated: "holds",
        concurrent: "holds",
        late: "holds",
      },
    },
  },
};
