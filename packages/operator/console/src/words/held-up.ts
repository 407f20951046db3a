// The words for jobs that are held up, and for an answer that is missing.
import type { HeldUp, Wait } from "../api/contract.ts";
import { say } from "./say.ts";

type Trouble = NonNullable<HeldUp["groups"][number]["trouble"]>;

const REASONS: { readonly [reason in Wait["reason"]]: string } = {
  code: "The app's own code throws: deploy a version that does not",
  configuration: "The endpoint's address or the app's credential for it is wrong: fix that first",
  answer: "Its service gave an answer that the agent does not declare: fix the request, the service or the agent",
  retry: "Its last try failed; it is tried again",
  unsettled: "A request that was given up may still be done: its compensation waits",
  paused: "An operator has paused the agent",
  agent: "Its agent has not taken it up yet",
  report: "Awaits a report",
  poll: "Its agent learns nothing from the service that does it later; it asks again",
  service: "Its agent waits for its service",
  supervisor: "Overdue: no supervisor has continued it",
  get start() {
    return say`No attempt of the {job} has started`;
  },
  get message() {
    return say`The {job} has ended, and a message about it could not be sent; it is sent again`;
  },
};
const TROUBLES: { readonly [kind in Trouble["kind"]]: string } = {
  breaker: "an endpoint gets no calls",
  slow: "an endpoint is slow",
};

export const HELD_UP = {
  title: "Held up",
  get more() {
    return say`More {jobs} may be held up than are read at once.`;
  },
  all: "Show everything",
  name: ({ agent, cause, reason }: Wait) => {
    const what = cause ?? REASONS[reason];
    return agent === null ? what : `${agent}: ${what}`;
  },
  reason: (reason: Wait["reason"], trouble: Trouble | null) =>
    trouble ? `${REASONS[reason]}; ${TROUBLES[trouble.kind]}` : REASONS[reason],
  also: (causes: readonly string[]) => `Also: ${causes.join("; ")}`,
  since: "Since",
  next: "next try",
  now: "next try soon",
  nobody: "Nothing is held up by this any more",
  get jobs() {
    return say`{Jobs} that are held up by this, the longest wait first`;
  },
  wait: "Waits",
  continueNow: (count: string) => `Continue now: all ${count}`,
  get continueAbout() {
    return say`Use this when the cause is fixed: the {jobs} do not wait for their next try. You see a preview first.`;
  },
  get job() {
    return say`Why this {job} waits`;
  },
} as const;

export const ALL_CLEAR = {
  unknown: "It is not known whether something needs a person",
  unknownElse: "It is not known whether something else needs a person",
  unknownAbout: (parts: string) => `No answer, or one that is too old: ${parts}.`,
  app: "The app itself",
  get errors() {
    return say`{Jobs} in Error`;
  },
  pauses: "Pauses",
  get causeGone() {
    return say`No {job} needs a person because of this cause any more`;
  },
} as const;
