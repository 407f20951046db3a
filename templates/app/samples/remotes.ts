// The simulated services of this app's agents: for `npm start`, for worlds in memory, and for the runs that kill the host and count effects.
import type { RemoteService } from "@scheduler-agent-supervisor/local/remotes";

export const services: readonly RemoteService[] = [
  {
    name: "accounts",
    port: 7080,
    resources: [
      {
        path: "/accounts",
        idPrefix: "acc",
        actions: [{ name: "close", status: "closed" }],
        echo: ["registrationId"],
      },
    ],
  },
  { name: "mail", port: 7081, resources: [{ path: "/mails", idPrefix: "mail", echo: ["registrationId"] }] },
];
