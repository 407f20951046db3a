// The words for steps that are done later by their service or by a person, and for reporting them.
import { say } from "./noun.ts";
export const AWAITING = {
  title: "Awaiting a report",
  about:
    "These steps were accepted by whoever does them, such as somebody who approves or a carrier who collects, and are reported later. A step whose time is over is asked for again.",
  nothing: "No step awaits a report",
  steps: "Steps",
  count: (count: string) => (count === "1" ? "1 step" : `${count} steps`),
  step: "Step",
  since: "Since",
  until: "Until",
  next: "Next to run out of time:",
  reference: "Reference",
  received: "Last report",
  all: "Steps that are done later",
  report: {
    done: (step: string) => `Report ${step} as done`,
    rejected: (step: string) => `Report ${step} as rejected`,
  },
  reportAbout: {
    get done() {
      return say`In the place of whoever does it: the {job} goes on as if it had been reported. A later report of theirs changes nothing.`;
    },
    get rejected() {
      return say`In the place of whoever does it: the {job} goes on as after a rejection by a service, which may compensate it.`;
    },
  },
  get reasonHint() {
    return say`Stands with the step and in the audit log; of a rejection, in the {job}'s cause.`;
  },
  result: "Result",
  resultHint: 'What later steps and the compensation need of it, as JSON such as {"approvalId": "A-7"}; often nothing.',
  notResult: "This has to be a JSON object of texts, numbers and yes or no",
} as const;
