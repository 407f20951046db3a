// The words for actions on many orders.
import { EXTENSIONS } from "./order.ts";

const RESULTS = {
  open: "To do",
  done: "Under way",
  skipped: "Skipped",
  well: "Ended well",
  same: "Same cause again",
  other: "Failed otherwise",
} as const;
const ordersWords = (count: number): string => (count === 1 ? "1 order" : `${count.toLocaleString("en")} orders`);
const DURATIONS: { readonly [duration: string]: string } = EXTENSIONS;

export const BULK = {
  title: "Action on many orders",
  preview: (action: string, count: number, isAll: boolean) =>
    `${action} all ${count.toLocaleString("en")}${isAll ? "" : "+"}`,
  previewChosen: (action: string, count: number) => `${action} ${count.toLocaleString("en")} chosen`,
  previewMatching: (action: string) => `${action} all that match`,
  chosen: (count: number) => `${ordersWords(count)} chosen`,
  clear: "Choose none",
  matching: "Act on all that match, also those that are not shown",
  matchingAbout: "At most 1,000, the newest first. A preview comes first: nothing is done before you start it.",
  matchingNeeds: "To act on all that match, search for a state: Waiting, In progress or Error.",
  filter: "All that match the search",
  more: "There may be more than one action takes: these are the first of them. Begin another one when this is done.",
  summary: (action: string, count: number) => `${action}: ${ordersWords(count)}.`,
  by: (name: string) => `By ${name}`,
  notPossible: (count: number) =>
    `Not possible for ${ordersWords(count)}, which ${count === 1 ? "is" : "are"} left out`,
  canary:
    "Once started, it begins with 1 order and goes on with 10, then with 100 at a time. After each part it waits until these orders have ended. " +
    "It stops by itself if more than 20% of a part fail with the same cause again. Orders that have changed since this preview are skipped.",
  canaryOfExtension:
    "Once started, it begins with 1 order and goes on with 10, then with 100 at a time. Orders that have changed since this preview are skipped.",
  extendedBy: (duration: string) => `by ${DURATIONS[duration] ?? duration}`,
  typeCount: (count: number) => `Type ${count} to confirm`,
  countWrong: "This is not the number of orders.",
  start: (action: string, count: number, environment: string) => `${action}: ${ordersWords(count)} (${environment})`,
  discard: "Do not start",
  pause: "Pause",
  resume: "Resume",
  cancel: "Cancel the rest",
  progress: "Orders that have ended",
  orders: "Orders so far",
  order: "Order",
  result: "Result",
  why: "Why",
  left: "Not yet ended",
  next: "What still needs a person",
  stopped: (share: string, limit: string) =>
    `Stopped by itself: ${share} of the last part failed with the same cause again. The limit is ${limit}.`,
  states: {
    previewed: "Nothing is done yet",
    running: "Running",
    paused: "Paused: orders that are under way still end",
    stopped: "Stopped",
    cancelled: "Cancelled: the rest is left as it was",
    done: "Done",
  },
  results: RESULTS,
  resultsOfExtension: { ...RESULTS, well: "Extended" },
} as const;
