// The words of the shift log.
import { say } from "./say.ts";

export const SHIFT_LOG = {
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
  entries: "The latest first",
  earlier: "Earlier",
  at: "When",
  what: "What",
  of: "About",
  why: "Why",
  times: (count: number) => (count === 1 ? "" : `${count.toLocaleString("en")} × `),
  more: (count: number) => `and ${count.toLocaleString("en")} more`,
} as const;
