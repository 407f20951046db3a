// The words that stand on every view: a term is renamed here, and in the files beside this one, and nowhere else.
import type { FaultKind } from "../api/client.ts";
import { say } from "./say.ts";

export const FAULTS: { readonly [kind in FaultKind]: { readonly title: string; readonly advice: string } } = {
  offline: { title: "No connection to the app", advice: "Trying again. What you see may be out of date." },
  late: {
    title: "The app did not answer in time",
    advice:
      "What you see may be out of date. If you have started an action, it may have been done: check before you repeat it.",
  },
  "signed-out": {
    title: "You are not signed in",
    advice: "Sign in in another tab and try again: nothing you have typed here is lost.",
  },
  forbidden: {
    title: "You may not see or do this",
    advice: "You need the role Jobs.Read to see this, and Jobs.Operate to act. Ask an administrator for the role.",
  },
  "not-found": { title: "Not found", advice: "It may have been removed, or the address has a typing error." },
  rejected: { title: "Not possible now", advice: "" },
  changed: { title: "Changed by somebody else", advice: "Check the change below, then decide again." },
  invalid: { title: "The request has faults", advice: "" },
  "not-the-app": {
    title: "Something else answered in place of the app",
    advice: "It may be a page to sign in, or a proxy's error page. Sign in in another tab and try again.",
  },
  failed: { title: "The app could not answer", advice: "See its log for the cause. Try again in a moment." },
};

export const TEXT = {
  console: "Console",
  get title() {
    return say`{Jobs} console`;
  },
  skip: "Skip to content",
  views: "Views",
  attention: "Needs a person",
  overview: "Overview",
  search: "Search",
  deadLetters: "Dead letters",
  supervision: "Supervision",
  agents: "Agents",
  loading: "Loading",
  working: "Working on it",
  tryAgain: "Try again",
  unknown: (what: string) => `${what}: not known.`,
  sessionUnknown: "Who you are, what you may do and what is paused: not known.",
  pausesUnknown: "What is paused: not known.",
  mayBeOld: "This may be out of date: there is no newer answer.",
  notDrawn: "This view could not be shown",
  notDrawnAbout:
    "It is not known what stands here. A new version of the console may be there, or the app's answer could not be understood.",
  outOfDate: "What follows may be out of date.",
  signIn: "Sign in",
  functionKey: "Function key",
  useKey: "Use this key",
  functionKeyHint: "Only for an app without sign-in. It is kept for this tab.",
  asOf: (at: string) => `As of ${at}`,
  readAgain: (seconds: number) => `Read again every ${seconds} seconds`,
  zone: "Times in",
  localZone: (zone: string) => `${zone} (yours)`,
  newVersion: "A new version of the console is available.",
  reload: "Reload",
  copy: (name: string) => `Copy ${name}`,
  copyShort: "Copy",
  copied: "Copied",
  shortcuts: "Keyboard shortcuts",
  shortcutsOn: "Use keyboard shortcuts",
  justNow: "less than 1 min ago",
  ago: (text: string) => `${text} ago`,
  more: "Show more",
  capped: (count: number, isAll: boolean) => (isAll ? count.toLocaleString("en") : `${count.toLocaleString("en")}+`),
  close: "Close",
  cancel: "Cancel",
  choose: "Choose",
  chooseOne: (name: string) => `Choose ${name}`,
  chooseAll: "Choose all that are shown",
  reason: "Reason",
  reasonMissing: "Enter a reason: other operators need it later.",
  get reasonHint() {
    return say`It is stored in the {job}'s history and in the audit log.`;
  },
  messageReasonHint: "It is stored in the audit log.",
  operator: (name: string) => `Signed in as ${name}`,
  noPage: "There is no such page",
  simulator: "How failed work recovers: an example to try in your browser",
} as const;
