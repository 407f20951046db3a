// The simulated services of the sample's agents, stated once: for `npm start`, for worlds, and for the runs that kill and count effects.
import type { RemoteService } from "@scheduler-agent-supervisor/local/remotes";

const cancel = { name: "cancel", status: "cancelled" } as const;

export const services: readonly RemoteService[] = [
  {
    name: "inventory",
    port: 7080,
    resources: [
      { path: "/reservations", idPrefix: "res", actions: ["release"], echo: ["orderId"] },
      {
        path: "/restocks",
        idPrefix: "rst",
        actions: [{ name: "withdraw", status: "withdrawn" }],
        echo: ["orderId"],
      },
    ],
  },
  {
    name: "payment",
    port: 7081,
    resources: [
      {
        path: "/charges",
        idPrefix: "ch",
        actions: [
          { name: "capture", status: "captured" },
          { name: "void", status: "voided" },
          { name: "refund", status: "refunded" },
        ],
        echo: ["orderId", "amount", "currency"],
      },
      { path: "/refunds", idPrefix: "rf", echo: ["orderId", "chargeId", "amount", "currency"] },
    ],
  },
  {
    name: "shipping",
    port: 7082,
    resources: [
      { path: "/shipments", idPrefix: "ship", actions: [cancel], echo: ["orderId"] },
      { path: "/pickups", idPrefix: "pick", actions: [cancel], echo: ["orderId"] },
    ],
  },
  { name: "fraud", port: 7083, resources: [{ path: "/checks", idPrefix: "chk", echo: ["orderId"] }] },
  {
    name: "hotel",
    port: 7085,
    resources: [
      {
        path: "/bookings",
        idPrefix: "hotel",
        actions: [cancel],
        echo: ["orderId"],
        later: { reportTo: "reportTo", afterMs: 3000, result: "bookingId" },
      },
    ],
  },
  {
    name: "flight",
    port: 7086,
    // It books as often as it is asked.
    keys: false,
    resources: [{ path: "/bookings", idPrefix: "flight", actions: [cancel], echo: ["orderId", "reference"] }],
  },
  {
    name: "car",
    port: 7087,
    // It rents as often as it is asked, and cancels by the id of a rental alone.
    keys: false,
    resources: [{ path: "/rentals", idPrefix: "car", actions: [cancel], echo: ["orderId", "reference"] }],
  },
  {
    name: "approval",
    port: 7088,
    resources: [
      {
        path: "/requests",
        idPrefix: "appr",
        echo: ["orderId"],
        later: { reportTo: "reportTo", afterMs: 5000, result: "approvalId" },
      },
    ],
  },
];
