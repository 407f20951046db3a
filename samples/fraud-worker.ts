// The sample's simulated services, with the fraud agent as somebody else's process: a worker takes its requests from their queue and replies.
// `npm start -- --remotes samples/fraud-worker.ts`. samples/fraud_agent.py is such a process in another language.
import type { RemoteService } from "@scheduler-agent-supervisor/local/remotes";
import { services as usual } from "./remotes.ts";

type Worker = NonNullable<RemoteService["queue"]>;

/** docs/how-to/agents-elsewhere.md has the request and the replies. */
const queue: Worker = {
  name: "agent-requests-fraud",
  asks: ({ ticket, idempotencyKey, job }) => {
    const { jobId } = ticket as { readonly jobId: string };
    const { currency } = job as { readonly currency: string };
    return { path: "/checks", key: String(idempotencyKey), body: { orderId: jobId, currency } };
  },
  replies: ({ ticket }, { status, body: { id, message } }) => {
    if (status < 300) return { ticket, kind: "done", result: { checkId: id } };
    const kind = status === 422 ? "rejected" : "unavailable";
    return { ticket, kind, message: String(message) };
  },
};

export const services: readonly RemoteService[] = usual.map((service) =>
  service.name === "fraud" ? { ...service, queue } : service,
);
