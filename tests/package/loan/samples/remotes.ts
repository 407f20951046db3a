// The simulated services of this app's agents. The bureau is asked by a worker that takes from its agent's queue.
import type { RemoteService, SimulatedRequest } from "@scheduler-agent-supervisor/local/remotes";

const WORTH: Readonly<Record<string, number>> = { house: 90_000, car: 20_000 };
const SCORES: Readonly<Record<string, number>> = { ada: 720, bob: 450, eve: 200 };
const of = (members: Readonly<Record<string, number>>, member: string) => (request: SimulatedRequest) =>
  members[String(request.body[member])] ?? 0;
const scoreOf = of(SCORES, "applicant");
const worthOf = of(WORTH, "kind");

export const services: readonly RemoteService[] = [
  {
    name: "registry",
    port: 7180,
    resources: [
      { path: "/identities", idPrefix: "idn" },
      { path: "/incomes", idPrefix: "inc" },
      { path: "/sanctions", idPrefix: "san" },
    ],
  },
  {
    name: "bureau",
    port: 7184,
    resources: [{ path: "/scores", idPrefix: "sco", returns: (request) => ({ score: scoreOf(request) }) }],
    queue: {
      name: "agent-requests-bureau",
      asks: ({ idempotencyKey, job }) => ({
        path: "/scores",
        key: String(idempotencyKey),
        body: job as object as never,
      }),
      replies: ({ ticket }, { status, body: { score, message } }) => {
        if (status < 300) return { ticket, kind: "done", result: { score } };
        return { ticket, kind: status === 422 ? "rejected" : "unavailable", message: String(message) };
      },
    },
  },
  {
    name: "surveyor",
    port: 7181,
    resources: [
      {
        path: "/appraisals",
        idPrefix: "app",
        actions: [{ name: "withdraw", status: "withdrawn" }],
        returns: (request) => ({ value: worthOf(request) }),
      },
    ],
  },
  {
    name: "office",
    port: 7182,
    resources: [
      {
        path: "/approvals",
        idPrefix: "apr",
        later: { reportTo: "reportTo", afterMs: 500, result: "approvalId" },
        rejects: ({ body }) => (body["amount"] === 66_666 ? { message: "the underwriter declined" } : undefined),
      },
      { path: "/drafts", idPrefix: "dra", actions: ["discard"] },
      {
        path: "/contracts",
        idPrefix: "con",
        actions: [{ name: "cancel", status: "cancelled" }],
        later: { reportTo: "reportTo", afterMs: 2000, result: "contractId" },
      },
      { path: "/liens", idPrefix: "lie", actions: ["deregister"] },
      { path: "/letters", idPrefix: "let" },
    ],
  },
  {
    name: "bank",
    port: 7183,
    resources: [
      { path: "/reservations", idPrefix: "res", actions: ["release"] },
      { path: "/insurances", idPrefix: "ins", actions: ["end"] },
      { path: "/payouts", idPrefix: "pay" },
    ],
  },
];
