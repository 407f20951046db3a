// What an operator asks for by a word: the same filters, causes, claims and actions as the console's.
import { BULK_ACTIONS, MOST_JOBS } from "@scheduler-agent-supervisor/core/domain/bulk";
import { numberOf, UsageError, type Values } from "../arguments.ts";
import { type App, openApp } from "./app.ts";
import { changeHandling, type Search, showGroup, showGroups, showSearch, type Target } from "./attention.ts";
import { type BulkTarget, changeBulk, listBulk, previewBulk, showBulk, startBulk } from "./bulk.ts";

export const VERBS_USAGE = `Commands to the running app:
npm run orders -- needs [CAUSE]               causes, dead letters, reports awaited; or the orders of one cause
npm run orders -- find FILTER                 --state S --kind K --workflow W --version N --step S --q TEXT
                                              --business-key customer:ID or returnOf:ORDER
                                              --from T --to T --time-of received|sent|changed|ended
                                              --continue C: continues the previous search
npm run orders -- claim ORDER | --group CAUSE | --queue QUEUE    for 30 minutes; release ends the claim
npm run orders -- note ORDER | --group CAUSE | --queue QUEUE --text "..."
npm run orders -- bulk ACTION ORDER... | --group CAUSE | FILTER
                                              previews resubmit, compensate, markResolved, cancel or extend; nothing is done
npm run orders -- start RUN --count N --reason "..."  starts the previewed action, and follows it to its end
                                              --by PT30M: the additional time, with extend
npm run orders -- run RUN, pause RUN, resume RUN, cancel RUN, runs
  --no-wait    start: do not follow it
  --app URL    another app than the local one
  --key KEY    its function key; --token TOKEN for an app with sign-in by Entra ID`;

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
export const VERB_OPTIONS = {
  state: text,
  kind: text,
  workflow: text,
  version: text,
  step: text,
  q: text,
  "business-key": text,
  "time-of": text,
  from: text,
  to: text,
  continue: text,
  group: text,
  queue: text,
  text,
  count: text,
  reason: text,
  by: text,
  app: text,
  key: text,
  token: text,
  "no-wait": flag,
} as const;

/** Each with its name in the API. */
const SEARCH = {
  state: "state",
  kind: "kind",
  workflow: "workflow",
  version: "version",
  step: "step",
  q: "q",
  "business-key": "key",
  "time-of": "timeOf",
  from: "from",
  to: "to",
} as const;
const USUAL_LIMIT = 50;
const MOST_IN_A_PAGE = 200;

interface Call {
  readonly app: App;
  readonly values: Values;
  readonly given: readonly string[];
}

/** What it returns is the exit code, if it is a number. */
type Verb = (call: Call) => Promise<unknown>;

const VERBS: { readonly [verb: string]: Verb } = {
  needs: ({ app, values, given: [group] }) =>
    group === undefined ? showGroups(app, isJson(values)) : showGroup(app, group, isJson(values)),
  find: ({ app, values }) =>
    showSearch(
      app,
      { ...searchOf(values), continuation: values["continue"] as string | undefined },
      numberOf(values, "limit", 1, MOST_IN_A_PAGE) ?? USUAL_LIMIT,
      isJson(values),
    ),
  claim: (call) => changeHandling(call.app, targetOf(call), { kind: "claim" }),
  release: (call) => changeHandling(call.app, targetOf(call), { kind: "release" }),
  note: (call) => changeHandling(call.app, targetOf(call), { kind: "note", text: needed(call.values, "text") }),
  bulk: ({ app, values, given: [word, ...jobIds] }) => {
    const action = BULK_ACTIONS.find((one) => one === word);
    if (!action) throw new UsageError(`bulk takes ${BULK_ACTIONS.join(", ")}.\n\n${VERBS_USAGE}`);
    return previewBulk(app, action, bulkTargetOf(values, jobIds));
  },
  start: ({ app, values, given }) => {
    const count = numberOf(values, "count", 1, MOST_JOBS);
    if (count === undefined) throw new UsageError(`--count has to be the number of orders in the preview.`);
    const by = values["by"] === undefined ? {} : { by: needed(values, "by") };
    const start = { count, reason: needed(values, "reason"), ...by };
    return startBulk(app, runOf(given), start, values["no-wait"] !== true);
  },
  run: ({ app, given }) => showBulk(app, runOf(given)),
  runs: ({ app }) => listBulk(app),
  pause: ({ app, given }) => changeBulk(app, runOf(given), "pause"),
  resume: ({ app, given }) => changeBulk(app, runOf(given), "resume"),
  cancel: ({ app, given }) => changeBulk(app, runOf(given), "cancel"),
};

export const isVerb = (word: string | undefined): word is string => word !== undefined && Object.hasOwn(VERBS, word);

/** @param here the app that runs on this machine */
export async function runVerb(verb: string, given: readonly string[], values: Values, here: string): Promise<number> {
  const option = (name: string) => (typeof values[name] === "string" ? values[name] : undefined);
  const app = openApp({ url: option("app") ?? here, key: option("key"), token: option("token") });
  const code = await VERBS[verb]?.({ app, values, given });
  return typeof code === "number" ? code : 0;
}

const isJson = (values: Values): boolean => values["json"] === true;

function needed(values: Values, name: string): string {
  const value = values[name];
  if (typeof value !== "string" || value.trim() === "") throw new UsageError(`--${name} is missing.`);
  return value;
}

function searchOf(values: Values): Search {
  const given = Object.entries(SEARCH).filter(([option]) => values[option] !== undefined);
  return Object.fromEntries(given.map(([option, name]) => [name, values[option]]));
}

function targetOf({ values, given: [orderId] }: Call): Target {
  const named = [
    ["group", values["group"]],
    ["queue", values["queue"]],
    ["job", orderId],
  ] as const;
  const [target, ...others] = named.flatMap(([kind, id]) => (typeof id === "string" ? [{ kind, id }] : []));
  if (target && others.length === 0) return target;
  throw new UsageError(`Name an order, --group CAUSE or --queue QUEUE.\n\n${VERBS_USAGE}`);
}

function bulkTargetOf(values: Values, jobIds: readonly string[]): BulkTarget {
  const filter = searchOf(values);
  const targets: BulkTarget[] = [
    ...(jobIds.length > 0 ? [{ jobIds }] : []),
    ...(typeof values["group"] === "string" ? [{ group: values["group"] }] : []),
    ...(Object.keys(filter).length > 0 ? [{ filter }] : []),
  ];
  const [target, ...others] = targets;
  if (target && others.length === 0) return target;
  throw new UsageError(`Give one of: ids of orders, --group CAUSE, a filter.\n\n${VERBS_USAGE}`);
}

function runOf([bulkId]: readonly string[]): string {
  if (bulkId === undefined) throw new UsageError(`Give the id of a run: see npm run orders -- runs`);
  return encodeURIComponent(bulkId);
}
