// The words of the shift log.
import { ATTENTION } from "./attention.ts";
import { say } from "./say.ts";

const TARGETED = /^(claim|release|note) (group|queue|message) (\S+)$/;

const ACTIONS: { readonly [action: string]: string } = {
  resendDeadLetter: "Send a message again",
  discardDeadLetter: "Discard a message",
  resendDiscarded: "Send a discarded message again",
  sweep: "Sweep now",
};

export const SHIFT_LOG = {
  /** Without the id of what a claim or a note is about: that is a link. */
  action: (action: string) => {
    const words = ACTIONS[action] ?? action.replace(TARGETED, "$1 $2");
    return words.charAt(0).toUpperCase() + words.slice(1);
  },
  /** Such as `note group 0123456789abcdef`. */
  targetOf: (action: string) => {
    const [, , kind, id] = TARGETED.exec(action) ?? [];
    return kind !== undefined && id !== undefined ? { kind, id } : null;
  },
  /** A cause has no name but the words of its orders, which the linked view shows. */
  target: ({ kind, id }: { readonly kind: string; readonly id: string }) => {
    const [queue = "", number] = id.split("/");
    if (kind === "group") return say`{Jobs} of one cause`;
    return number === undefined ? ATTENTION.queue(queue) : `Message ${number}, ${ATTENTION.queue(queue)}`;
  },
  get about() {
    return say`What operators did, with bulk runs and notes, and what supervisors decided, over all {jobs}; the last 12 hours if no time is given.`;
  },
  who: "Who",
  everybody: "Everybody, or a part of a name",
  supervisor: "supervisor",
  from: "From",
  to: "Before",
  show: "Show",
  nothing: "Nothing was done in this time",
  nothingSince: "Nothing was done since then",
  cut: "There was more than is shown at once. What was before is under “Earlier”; this is since",
  entries: "The latest first",
  earlier: "Earlier",
  at: "When",
  what: "What",
  of: "About",
  why: "Why",
  times: (count: number) => (count === 1 ? "" : `${count.toLocaleString("en")} × `),
  more: (count: number) => `and ${count.toLocaleString("en")} more`,
} as const;
