// The words for steps that are done later by their service or by a person, and for reporting them.
import { say } from "./say.ts";
export const AWAITING = {
  title: "Awaiting a report",
  about:
    "A service or a person has accepted these steps and reports them later: for example an approval, or a carrier that collects. If a step's time is over, it is requested again.",
  nothing: "No step awaits a report",
  step: "Step",
  assignee: "Assignee",
  assignedTo: "Assigned to",
  only: (assignee: string) => `Only the steps of ${assignee}.`,
  everybody: "Show all",
  since: "Since",
  until: "Until",
  next: "Next deadline:",
  reference: "Reference",
  received: "Last report",
  all: "Steps that are done later",
  report: {
    done: (step: string) => `Report ${step} as done`,
    rejected: (step: string) => `Report ${step} as rejected`,
  },
  reportAbout: {
    get done() {
      return say`Instead of the service or person: the {job} continues as after their report. A later report of theirs changes nothing.`;
    },
    get rejected() {
      return say`Instead of the service or person: the {job} continues as after a rejection by a service, which may compensate it.`;
    },
  },
  get reasonHint() {
    return say`It is stored with the step and in the audit log; for a rejection also in the {job}'s cause.`;
  },
  result: "Result",
  resultHint: 'The result for later steps and the compensation, as JSON such as {"approvalId": "A-7"}; may be empty.',
  notResult: "This has to be a JSON object of texts, numbers and booleans",
} as const;
