// Simulated services with values of their own, rejections, and work that is done later: for the local stack and for worlds alike.
import type { RemoteService } from "@scheduler-agent-supervisor/local/remotes";

export const services: readonly RemoteService[] = [
  {
    name: "inventory",
    resources: [
      {
        path: "/reservations",
        idPrefix: "res",
        actions: ["release"],
        echo: ["orderId"],
        // Of three places, each reservation that is not released takes one.
        rejects: ({ made }) => {
          const taken = made().filter(({ status }) => status !== "released").length;
          return taken < 3 ? undefined : { status: 409, code: "none-left", message: `${taken} of 3 are taken` };
        },
        returns: ({ body }) => ({ score: String(body["orderId"]).length }),
      },
    ],
  },
  {
    name: "shipping",
    resources: [
      {
        path: "/shipments",
        idPrefix: "ship",
        actions: ["cancel"],
        later: { askAgainAfterS: 1, afterMs: 0 },
        returns: { carrier: "post" },
      },
      { path: "/pickups", idPrefix: "pick", later: { askAgainAfterS: 60, afterMs: 3_600_000 } },
    ],
  },
  { name: "flight", keys: false, resources: [{ path: "/bookings", idPrefix: "fl", echo: ["reference"] }] },
];
