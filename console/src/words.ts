// Every word that the console shows: a term is renamed here and nowhere else.
import type { FaultKind } from "./api/client.ts";
import type { ErrorKind, OrderAction, ProcessState, Session, StepState } from "./api/contract.ts";

export const STATES: { readonly [state in ProcessState]: string } = {
  Pending: "Waiting",
  Processing: "In progress",
  Processed: "Processed",
  Error: "Error",
};

export const STEP_STATES: { readonly [state in StepState]: string } = {
  NotStarted: "Not started",
  Scheduled: "Scheduled",
  Running: "Running",
  Completed: "Completed",
  Failed: "Failed",
  Undone: "Compensated",
};

export const KINDS: { readonly [kind in ErrorKind]: string } = {
  rejected: "Rejected by a service",
  expired: "Ran out of time",
  notUndone: "Compensation incomplete",
  undone: "Compensated",
  settled: "Marked resolved",
  undoAsked: "Compensation requested",
  cancelled: "Cancelled",
};

export const ACTIONS: { readonly [action in OrderAction]: { readonly name: string; readonly about: string } } = {
  resubmit: {
    name: "Resubmit",
    about: "The order goes on from the step that failed. Completed steps do not run again.",
  },
  undo: { name: "Compensate", about: "What the completed steps did is taken back, in reverse order." },
  cancel: {
    name: "Cancel",
    about: "Ends the order. If steps had an effect, they are compensated first.",
  },
  extend: { name: "Extend", about: "The supervisor leaves the order alone for longer." },
  settle: {
    name: "Mark resolved",
    about: "You have done by hand what was left to do. No service is called, and nobody is notified.",
  },
};

export const FAULTS: { readonly [kind in FaultKind]: { readonly title: string; readonly advice: string } } = {
  offline: { title: "No connection to the app", advice: "Trying again. What you see may be out of date." },
  "signed-out": {
    title: "You are not signed in",
    advice: "Sign in in another tab and try again: nothing you have typed here is lost.",
  },
  forbidden: {
    title: "You may not see or do this",
    advice: "Looking takes the role Orders.Read, acting the role Orders.Operate. Ask whoever gives out roles.",
  },
  "not-found": { title: "Not found", advice: "It may have been removed, or the address has a typing error." },
  refused: { title: "Not possible now", advice: "" },
  changed: { title: "Changed by somebody else", advice: "Look at the change below, then decide again." },
  invalid: { title: "The request has faults", advice: "" },
  failed: { title: "The app could not answer", advice: "Its log says why. Try again in a moment." },
};

export const ENVIRONMENT = (environment: Session["environment"]): string => environment.name;

export const TEXT = {
  title: "Orders console",
  skip: "Skip to content",
  views: "Views",
  attention: "Needs a person",
  overview: "Overview",
  search: "Search",
  deadLetters: "Dead letters",
  supervision: "Supervision",
  loading: "Loading",
  tryAgain: "Try again",
  signIn: "Sign in",
  functionKey: "Function key",
  useKey: "Use this key",
  functionKeyHint: "Only where the app has no sign-in. It is kept for this tab.",
  asOf: (at: string) => `As of ${at}`,
  zone: "Times in",
  localZone: (zone: string) => `${zone} (yours)`,
  newVersion: "A new version of the console is there.",
  reload: "Reload",
  justNow: "less than 1 min ago",
  ago: (text: string) => `${text} ago`,
  more: "Show more",
  capped: (count: number, isAll: boolean) => (isAll ? count.toLocaleString("en") : `${count.toLocaleString("en")}+`),
  close: "Close",
  reason: "Reason",
  reasonMissing: "Say why: whoever looks at this later will want to know.",
  reasonHint: "Stands in the order's history and in the audit log.",
  messageReasonHint: "Stands in the audit log.",
  operator: (name: string) => `Signed in as ${name}`,
  noPage: "There is no such page",
} as const;

/** The queues that are no dead letters of a queue of the same name. */
const QUEUES: { readonly [name: string]: string } = {
  quarantine: "Quarantine",
  "quarantine-dead-letters": "Dead letters of the quarantine",
};

export const ATTENTION = {
  nothing: "Nothing needs a person",
  nothingAbout: "Orders in Error that nobody has seen to, and messages that could not be processed, appear here.",
  orders: (count: string) => `${count} orders`,
  byCause: "By cause",
  all: "All orders that need a person",
  inGroup: "Orders with this cause",
  other: "Other causes",
  otherAbout: "These have no cause in common.",
  count: "Orders",
  cause: "Cause",
  where: "Workflow and step",
  firstSeen: "first",
  lastSeen: "Last",
  day: "Last 24 hours",
  chart: (counts: readonly number[]) =>
    `${counts.reduce((sum, one) => sum + one, 0)} in the last 24 hours, at most ${Math.max(0, ...counts)} in one hour`,
  order: "Order",
  age: "Failed",
  attempt: "Attempt",
  showAll: "Show all causes",
  messages: "Messages that could not be processed",
  queue: (name: string) => QUEUES[name] ?? `Dead letters of ${name}`,
} as const;

export const ORDER = {
  actions: "Actions",
  cause: "Why it needs a person",
  ended: "Why it ended",
  under: "What has gone wrong so far",
  steps: "Steps",
  graph: "Steps as a graph",
  timeline: "Timeline",
  timelineAbout: (from: string, to: string) => `${from} to ${to}, to scale`,
  waiting: "Waiting",
  running: "Running",
  compensation: (step: string) => `${step}, compensation`,
  events: "Events",
  history: "History",
  content: "Content",
  details: "Details",
  result: "Result",
  endpoint: "Endpoint",
  tries: (count: number) => `${count} retries`,
  countedFailures: (count: number) => `${count} counted as failures`,
  waits: (count: number) => `waited ${count} times for its agent`,
  afterSteps: (names: string) => `after ${names}`,
  first: "first",
  statuses: "Status messages still to be sent",
  none: "none",
  notPossible: "Not possible now",
  confirm: (action: string, orderId: string, environment: string) => `${action} ${orderId} (${environment})`,
  edit: "Edit and resubmit",
  extendBy: "By",
  byHand: "A person has compensated what this order's compensation left",
  changedTitle: "Somebody else has changed this order",
  changedAbout: "Your draft is kept. This is what changed since you opened it:",
  nothingChanged: "Nothing that is shown here.",
  again: "I have seen the change",
  done: (action: string) => `${action}: done.`,
  doneLater: (action: string, at: string) =>
    `${action}: done. The next attempt starts at ${at}, when no agent is at work any more.`,
  before: "Before",
  after: "After",
  changes: "Your changes",
  noChanges: "You have not changed anything yet.",
  wordMissing: "Confirm this first.",
  add: (what: string) => `Add to ${what}`,
  remove: (what: string) => `Remove ${what}`,
  empty: "(empty)",
  labels: {
    workflow: "Workflow",
    attempt: "Attempt",
    failures: "Failures counted",
    priority: "Priority",
    owner: "Sender",
    created: "Received",
    updated: "Last change",
    due: "Due",
    correlation: "Correlation id",
    trace: "Trace id",
    revision: "Revision of the content",
    direction: "Direction",
  },
  directions: { forward: "forward", undo: "compensation" },
} as const;

export const DEAD_LETTERS = {
  about: "Messages that were delivered too often without success, that expired, or that could not be read.",
  nothing: "There are no messages here",
  queue: "Queue",
  count: "Messages",
  uncounted: "could not be counted",
  faults: "Faults",
  reason: "Why it is here",
  enqueued: "Arrived",
  deliveries: "Deliveries",
  messageId: "Message id",
  subject: "Subject",
  order: "Order",
  sequenceNumber: "Number",
  message: (sequenceNumber: string) => `Message ${sequenceNumber}`,
  size: (bytes: number) => `${bytes.toLocaleString("en")} bytes`,
  body: "Body",
  properties: "Properties",
  edit: "Edit the body",
  notJson: "This is not JSON yet",
  resend: "Send again",
  resendAbout:
    "A copy goes to the queue that the message came from. The original is removed when the copy is confirmed.",
  discard: "Discard",
  discardAbout: "The message is removed for good.",
  resent: (target: string) => `Sent to ${target}.`,
  notRemoved: "The original is still here: discard it, or send it again under the same id.",
  discarded: "Discarded.",
  binary: "The body is not text. It can be sent again as it is.",
} as const;

export const SEARCH = {
  text: "Order id or correlation id",
  state: "State",
  workflow: "Workflow",
  step: "Step",
  any: "Any",
  find: "Find",
  nothing: "No order matches",
  nothingAbout: "Try fewer filters.",
  slow: "Without a state this looks through all orders and may take long.",
  created: "Received",
  updated: "Last change",
  export: "Export",
  exportAs: { csv: "Export as CSV", jsonl: "Export as JSON lines" },
  exporting: (count: number) => `${count.toLocaleString("en")} orders read so far`,
  stopExport: "Stop the export",
  exportStopped: "Export stopped: no file was written.",
  exported: (count: number) => `Exported ${count.toLocaleString("en")} orders.`,
  exportedSome: (limit: number) =>
    `Exported the newest ${limit.toLocaleString("en")} orders. There are more: add a filter.`,
  found: (count: number, isAll: boolean) => `${count.toLocaleString("en")}${isAll ? "" : "+"} orders`,
} as const;

export const OVERVIEW = {
  states: "Orders by state",
  overdue: "Overdue",
  overdueAbout: "due, and not yet seen to by the supervisor",
  needs: "Need a person",
  queues: "Messages that could not be processed",
} as const;

export const BULK = {
  title: "Action on many orders",
  preview: (action: string, count: number) => `${action} all ${count.toLocaleString("en")}`,
  summary: (action: string, count: number) => `${action}: ${count.toLocaleString("en")} orders.`,
  by: (name: string) => `By ${name}`,
  notPossible: (count: number) => `Not possible for ${count.toLocaleString("en")} orders: they are left out`,
  canary:
    "It begins with 1 order and goes on with 10, then with 100 at a time. After each part it waits until these orders have ended. " +
    "It stops by itself if more than 20% of a part fail with the same cause again. Orders that have changed since this preview are skipped.",
  typeCount: (count: number) => `Type ${count} to confirm`,
  countWrong: "This is not the number of orders.",
  start: (action: string, count: number, environment: string) =>
    `${action}: ${count.toLocaleString("en")} orders (${environment})`,
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
  stopped: (share: string, limit: string) =>
    `Stopped by itself: ${share} of the last part failed with the same cause again. The limit is ${limit}.`,
  states: {
    previewed: "Not started",
    running: "Running",
    paused: "Paused: orders that are under way still end",
    stopped: "Stopped",
    cancelled: "Cancelled: the rest is left as it was",
    done: "Done",
  },
  results: {
    open: "To do",
    done: "Under way",
    skipped: "Skipped",
    well: "Ended well",
    same: "Same cause again",
    other: "Failed otherwise",
  },
} as const;

const VERDICTS: { readonly [verdict: string]: string } = {
  retry: "Next attempt",
  reschedule: "Scheduled again",
  later: "Has time left",
  wait: "Pause, then next attempt",
  hold: "Waits for an endpoint to be mended",
  undo: "Compensation",
  fail: "Error",
  wake: "Scheduler told again",
  tell: "Statuses sent",
  none: "Could not be judged",
};

/** In the order in which they are shown. */
const REPORT: { readonly [name: string]: string } = {
  retried: "another attempt",
  rescheduled: "scheduled again",
  waiting: "with a pause",
  held: "waiting for an endpoint",
  toBeUndone: "to be compensated",
  failed: "in Error",
  woken: "scheduler told again",
  told: "statuses sent",
  later: "with time left",
  lost: "written by another first",
  broken: "not dealt with",
};

const SWEEP_ENDS: { readonly [end: string]: string } = {
  time: "ended: out of time, the next one goes on",
  "lead lost": "ended: another leads now",
  fault: "ended: the store did not answer",
};

type Report = { readonly [name: string]: number | boolean | string };

function reportWords(report: Report): string {
  const found = Number(report["found"] ?? 0);
  const parts = Object.entries(REPORT).flatMap(([name, words]) => (report[name] ? [`${report[name]} ${words}`] : []));
  const end = SWEEP_ENDS[String(report["endedBy"])];
  const counted = found === 0 ? "Nothing was due" : `${found} due`;
  return [parts.length > 0 ? `${counted}: ${parts.join(", ")}` : counted, ...(end ? [end] : [])].join("; ");
}

export const SUPERVISION = {
  about:
    "A sweep finds orders that are due and not done, and decides what becomes of each. Sweeps that find nothing are seldom recorded.",
  leader: "Leads",
  lastLeader: "Led last",
  nobody: "No supervisor has led yet",
  free: "Nobody leads now. If this lasts longer than a minute, no order is recovered: see whether the app runs.",
  epoch: (epoch: number) => `epoch ${epoch}`,
  since: "since",
  entries: (day: string) => `Sweeps and decisions of ${day} (UTC)`,
  dayBefore: "Day before",
  dayAfter: "Day after",
  nothing: "Nothing is recorded for this day",
  at: "When",
  what: "What",
  order: "Order",
  why: "Why",
  before: "Before",
  after: "After",
  sweep: "Sweep",
  lateReply: "Late reply",
  verdict: (verdict: string) => VERDICTS[verdict] ?? verdict,
  lost: "not done: the order was written by another first",
  broken: "not done",
  report: reportWords,
  took: (duration: string, leader: string, epoch: number) => `${duration}, by ${leader}, epoch ${epoch}`,
  late: (step: string, attempt: number, reason: string) => `${step}, attempt ${attempt}: ${reason}`,
  standpoint: (state: string, attempt: number, failures: number, step: string | null) =>
    [state, step, `attempt ${attempt}`, failures === 1 ? "1 failure" : `${failures} failures`]
      .filter(Boolean)
      .join(", "),
} as const;

export const HANDLING = {
  title: "Claim and notes",
  claim: "Claim for 30 min",
  longer: "Claim for 30 min more",
  release: "Release the claim",
  claimed: (by: string, until: string) => `Claimed by ${by} until ${until}`,
  withGroup: "with all orders of the cause",
  noteCount: (count: number) => (count === 1 ? "1 note" : `${count} notes`),
  note: "Note",
  noteHint: "For other operators. It is kept for 30 days after the last change here; no personal data.",
  addNote: "Add the note",
} as const;
