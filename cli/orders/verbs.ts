// What an operator asks for by a word: the console's views and actions, each with its call, its meaning and what it runs.
import { BULK_ACTIONS, MOST_JOBS } from "@scheduler-agent-supervisor/operator/domain";
import { numberOf, UsageError, type Values } from "../every-app/arguments.ts";
import { withAddress } from "../every-app/printed-commands.ts";
import { wrapped } from "../every-app/wrapped.ts";
import { openApp } from "./app.ts";
import { showGroup, showNeeds, showSearch } from "./attention.ts";
import { showAudit, showSupervision } from "./audit.ts";
import { changeBulk, listBulk, previewBulk, showBulk, startBulk } from "./bulk.ts";
import { argument, bulkTargetOf, furtherOf, needed, orderOf, pauseOf, runOf, searchOf, textOf } from "./given.ts";
import { editOf, handle, handling } from "./handle.ts";
import { changePause, continueHeldUp, showAgents, showHeldUp } from "./held-up.ts";
import { showCauses } from "./message-causes.ts";
import { resendDiscarded, showDeadLetters, showDiscarded, showOneDiscarded } from "./messages.ts";
import {
  type Act,
  actOnOrder,
  jsonOfFile,
  recordOutcome,
  reportStep,
  showAttempts,
  showAwaiting,
  showContent,
  showOrder,
  takeOrder,
} from "./one.ts";
import { eraseOrder, runSweep, showOverview, showVersions } from "./overview.ts";
import { dismissReport } from "./system.ts";
import { inOwnWords } from "./text.ts";
import type { Call, Verb } from "./verb.ts";

const USUAL_LIMIT = 50;
const MOST_IN_A_PAGE = 200;

const WHY = '--reason "WHY"';

const VERBS: { readonly [verb: string]: Verb } = {
  needs: {
    call: "[CAUSE]",
    about: "what needs a person: causes, what is held up, dead letters, reports awaited; or the orders of one cause",
    run: ({ app, asJson, given: [group] }) =>
      group === undefined ? showNeeds(app, asJson) : showGroup(app, group, asJson),
  },
  overview: {
    call: "",
    about: "how many orders stand where, how they flow, the last hour, and what is wrong with the app itself",
    run: ({ app, asJson }) => showOverview(app, asJson),
  },
  held: {
    call: "[ID]",
    about: "what is held up, by agent and cause, since when and until when; or the orders of one cause",
    run: ({ app, asJson, given: [group] }) => showHeldUp(app, group, asJson),
  },
  continue: {
    call: "ID",
    about: "previews the resubmission of all orders that are held up by one cause",
    run: ({ app, given }) => continueHeldUp(app, argument(given, 0, "the id of what is held up: see held")),
  },
  find: {
    call: "FILTER",
    about: `--state S --kind K --workflow W --version N --step S --q TEXT --business-key customer:ID or returnOf:ORDER
--waits-for agent:NAME, step:NAME, person (or a service that reports later) or time (of its next try)
--from T --to T --time-of received|sent|changed|ended --continue C: continues the previous search`,
    run: ({ app, values, asJson }) =>
      showSearch(
        app,
        { ...searchOf(values), ...furtherOf(values) },
        numberOf(values, "limit", 1, MOST_IN_A_PAGE) ?? USUAL_LIMIT,
        asJson,
      ),
  },
  show: {
    call: "ORDER",
    about: "one order of the app: why it waits, what is possible, its steps and its history",
    run: ({ app, given, asJson }) => showOrder(app, orderOf(given), asJson),
  },
  attempts: {
    call: "ORDER",
    about: "its attempts side by side: why each began, which steps ended in it, how it ended",
    run: ({ app, given, asJson }) => showAttempts(app, orderOf(given), asJson),
  },
  audit: {
    call: "ORDER [--continue C]",
    about: "what operators and supervisors did with it; --continue C: what was before",
    run: ({ app, given, values, asJson }) => showAudit(app, orderOf(given), furtherOf(values), asJson),
  },
  content: {
    call: "ORDER",
    about: "its content, to edit in a file",
    run: ({ app, given }) => showContent(app, orderOf(given)),
  },
  resubmit: {
    call: `ORDER ${WHY}`,
    about:
      "continues it, when the cause is fixed; --compensated-manually: a person has compensated the rest; --forward: it stopped in its compensation, and is to be completed after all",
    run: (call) => act(call, { action: "resubmit", ...manually(call.values) }),
  },
  edit: {
    call: `ORDER --set name=text | --patch FILE | --file FILE ${WHY}`,
    about: "resubmits it with an edit, as for resend, or with the content of a file",
    run: (call) => {
      const patch = editOf(call.values);
      const edit = patch === undefined ? { job: jsonOfFile(needed(call.values, "file")) } : { patch };
      return act(call, { action: "resubmit", ...edit, ...manually(call.values) });
    },
  },
  compensate: {
    call: `ORDER ${WHY}`,
    about: "compensates its completed steps",
    run: (call) => act(call, { action: "compensate" }),
  },
  cancel: { call: `ORDER ${WHY}`, about: "ends it", run: (call) => act(call, { action: "cancel" }) },
  "mark-resolved": {
    call: `ORDER ${WHY}`,
    about: "the remaining work was done manually",
    run: (call) => act(call, { action: "markResolved" }),
  },
  extend: {
    call: `ORDER --by PT30M [--deadline-only] ${WHY}`,
    about: "the supervisor waits longer before it acts on it; the deadline of the whole order moves too, or alone",
    run: (call) =>
      act(call, {
        action: "extend",
        by: needed(call.values, "by"),
        ...(call.values["deadline-only"] === true && { only: "deadline" as const }),
      }),
  },
  supervision: {
    call: "[--from T] [--to T] [--continue C]",
    about:
      "the active supervisor, and what supervisors decided and operators did in a time, over all orders: the last 12 hours; --continue C: what was before",
    run: ({ app, values, asJson }) =>
      showSupervision(app, { from: textOf(values, "from"), to: textOf(values, "to"), ...furtherOf(values) }, asJson),
  },
  sweep: { call: "", about: "runs a sweep of the supervisor now", run: ({ app }) => runSweep(app) },
  versions: {
    call: "",
    about: "the versions of workflows, and the number of orders that need each",
    run: ({ app, asJson }) => showVersions(app, asJson),
  },
  erase: {
    call: `ORDER ${WHY}`,
    about: "removes all documents of an order that is over",
    run: ({ app, given, values }) => eraseOrder(app, orderOf(given), needed(values, "reason")),
  },
  awaiting: {
    call: "[--assignee NAME] [--continue C]",
    about:
      "the steps that await a report; or those in which one person, group or role has to act; --continue C: those after",
    run: ({ app, values, asJson }) =>
      showAwaiting(app, { assignee: textOf(values, "assignee"), ...furtherOf(values) }, asJson),
  },
  report: {
    call: `ORDER STEP done|rejected ${WHY}`,
    about: "reports a step in place of its service or person; --result name=text or name:=VALUE, once for each member",
    run: ({ app, given, values }) => {
      const step = argument(given, 1, "the step");
      const kind = argument(given, 2, "done or rejected");
      const result = (values["result"] ?? []) as unknown as readonly string[];
      return reportStep(app, orderOf(given), step, { kind, reason: needed(values, "reason"), result });
    },
  },
  outcome: {
    call: `ORDER STEP done|not-done ${WHY}`,
    about: "records whether a step was done whose outcome is unknown; --result as for report",
    run: ({ app, given, values }) => {
      const step = argument(given, 1, "the step");
      const kind = argument(given, 2, "done or not-done");
      const result = (values["result"] ?? []) as unknown as readonly string[];
      return recordOutcome(app, orderOf(given), step, { kind, reason: needed(values, "reason"), result });
    },
  },
  "dead-letters": {
    call: "[QUEUE [NUMBER]]",
    about: "the counts with their causes; the messages of one queue or of the quarantine; one message",
    run: ({ app, given: [queue, number], asJson }) => showDeadLetters(app, queue, number, asJson),
  },
  "dead-letter-causes": {
    call: "QUEUE",
    about: "the messages of one queue or of the quarantine, in groups by cause",
    run: ({ app, given, asJson }) => showCauses(app, argument(given, 0, "the queue: see dead-letters"), asJson),
  },
  resend: {
    call: `QUEUE NUMBER... | QUEUE --cause CAUSE --count N ${WHY}`,
    about:
      "sends messages again; --file FILE: with that body. With --cause all of one cause, one first; without --count only a preview. One edit for each: --set name=text or --set name:=VALUE, once for each member (shipTo.city for one inside); or --patch FILE, a JSON merge patch",
    run: (call) => handle(call, "resend"),
  },
  discard: {
    call: `QUEUE NUMBER... | QUEUE --cause CAUSE --count N ${WHY}`,
    about: "removes messages, or all of one cause; they can be sent again for 14 days",
    run: (call) => handle(call, "discard"),
  },
  discarded: {
    call: "[ID] [--continue C]",
    about: "the discarded messages, or one; --continue C: those before",
    run: ({ app, given: [id], values, asJson }) =>
      id === undefined ? showDiscarded(app, furtherOf(values), asJson) : showOneDiscarded(app, id, asJson),
  },
  "resend-discarded": {
    call: `ID ${WHY}`,
    about:
      "sends a discarded message again; --file FILE: with that body; --set or --patch: with an edit, as for resend",
    run: ({ app, given, values }) =>
      resendDiscarded(app, argument(given, 0, "the id: see discarded"), handling(values)),
  },
  agents: {
    call: "",
    about: "the agents' endpoints as each instance sees them, and what is paused",
    run: ({ app, asJson }) => showAgents(app, asJson),
  },
  pause: {
    call: `agent|workflow NAME ${WHY}`,
    about: "it starts nothing new",
    run: ({ app, given, values }) => changePause(app, "pause", pauseOf(given), needed(values, "reason")),
  },
  resume: {
    call: `agent|workflow NAME ${WHY}`,
    about: "ends the pause",
    run: ({ app, given, values }) => changePause(app, "resume", pauseOf(given), needed(values, "reason")),
  },
  dismiss: {
    call: `ID ${WHY}`,
    about: "ends a report of the app's whose cause is dealt with; it is back when it happens again",
    run: ({ app, given, values }) =>
      dismissReport(app, argument(given, 0, "the id of a report: see needs"), needed(values, "reason")),
  },
  take: {
    call: "ORDER [--release]",
    about: "shows your name with it, for other operators; --release: nobody's any more",
    run: ({ app, given, values }) => takeOrder(app, orderOf(given), values["release"] !== true),
  },
  bulk: {
    call: "ACTION ORDER... | --group CAUSE | FILTER",
    about: `previews ${BULK_ACTIONS.join(", ")} for many orders; nothing is done`,
    run: ({ app, values, given: [word, ...jobIds] }) => {
      const action = BULK_ACTIONS.find((one) => one === word);
      if (!action) throw new UsageError(`bulk takes ${BULK_ACTIONS.join(", ")}, and is given ${word ?? "nothing"}.`);
      return previewBulk(app, action, bulkTargetOf(values, jobIds));
    },
  },
  start: {
    call: `RUN --count N ${WHY}`,
    about: "starts the previewed action, and follows it to its end; --by PT30M with extend; --no-wait",
    run: ({ app, values, given }) => {
      const count = numberOf(values, "count", 1, MOST_JOBS);
      if (count === undefined) throw new UsageError("--count has to be the number in the preview.");
      const by = values["by"] === undefined ? {} : { by: needed(values, "by") };
      const start = { count, reason: needed(values, "reason"), ...by };
      return startBulk(app, runOf(given), start, values["no-wait"] !== true);
    },
  },
  runs: {
    call: "[--continue C]",
    about: "the latest actions on many orders; --continue C: those before",
    run: ({ app, values, asJson }) => listBulk(app, furtherOf(values), asJson),
  },
  run: {
    call: "RUN [pause|resume|cancel]",
    about: "one action on many orders; or pauses, resumes or cancels it",
    run: ({ app, given, asJson }) => {
      const [, change] = given;
      if (change === undefined) return showBulk(app, runOf(given), asJson);
      if (change !== "pause" && change !== "resume" && change !== "cancel") {
        throw new UsageError(`run RUN takes pause, resume or cancel, and is given ${change}.`);
      }
      return changeBulk(app, runOf(given), change);
    },
  },
};

const INDENT = 6;
const USAGE_COLUMNS = 80;

function usageOf([verb, { call, about }]: [string, Verb]): string {
  const lines = wrapped(inOwnWords(about.replaceAll("\n", " ")), USAGE_COLUMNS - INDENT).map(
    (line) => " ".repeat(INDENT) + line,
  );
  return [`  ${verb} ${call}`.trimEnd(), ...lines].join("\n");
}

export const VERBS_USAGE = `npm run orders -- COMMAND      asks the running app:
${Object.entries(VERBS).map(usageOf).join("\n")}

  --app URL    another app than the local one
  --key KEY    its function key; --token TOKEN for an app with sign-in by Entra ID`;

export const isVerb = (word: string | undefined): word is string => word !== undefined && Object.hasOwn(VERBS, word);

/** @param here the app that runs on this machine; throws if there is none */
export async function runVerb(
  verb: string,
  given: readonly string[],
  values: Values,
  here: () => string,
): Promise<number> {
  const app = openApp({
    url: textOf(values, "app") ?? here(),
    key: textOf(values, "key"),
    token: textOf(values, "token"),
  });
  const { run, call } = VERBS[verb] ?? {};
  try {
    const code = await run?.({ app, values, given, asJson: values["json"] === true });
    return typeof code === "number" ? code : 0;
  } catch (cause) {
    if (!(cause instanceof UsageError)) throw cause;
    const words = `${cause.message}\n\n  npm run orders -- ${verb} ${call}`.trimEnd();
    throw new UsageError(withAddress(words), { cause });
  }
}

const act = ({ app, given, values }: Call, action: Omit<Act, "reason">) =>
  actOnOrder(app, orderOf(given), { ...action, reason: needed(values, "reason") });

const manually = (values: Values) => ({
  ...(values["compensated-manually"] === true && { compensatedManually: true as const }),
  ...(values["forward"] === true && { direction: "forward" as const }),
});
