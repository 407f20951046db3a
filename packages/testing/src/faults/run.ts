// A fault run: an app's own workflows on the local stack, whose host is killed at the awaits of their jobs and whose services fail.
import { join } from "node:path";
import type { Business } from "@scheduler-agent-supervisor/core/app";
import { idNameOf } from "@scheduler-agent-supervisor/core/messaging";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import { essential } from "./choice.ts";
import { type Evidence, openRequester, type Requester, type StackAddresses } from "./evidence.ts";
import { type Alone, aloneOf, faultsOfLife, restFaults, type UsualEffects, unprocessed, usualOf } from "./judge.ts";
import { type Lived, live, type Setup } from "./lives.ts";
import { type Probe, type RestartableStack, type Rig, type StartedApp, startRig } from "./rig.ts";
import { shortLocks } from "./settings.ts";
import { allGoesWell, type Hand, type WorkflowScenario, whereServicesFail } from "./workflow-scenarios.ts";

/** The part of a local stack that a fault run needs. */
export interface FaultStack extends RestartableStack {
  readonly addresses: StackAddresses;
  stop(): Promise<void>;
}

/** The options for starting the app. */
export interface FaultStart extends Pick<Probe, "settings" | "onExit"> {
  /** The folder of its logs and databases. It is deleted when the run ends. */
  readonly data: string;
  readonly queuesFile: string;
}

/** Options of `runFaults`: the content, the stack, and the points at which the host is killed. */
export interface FaultsOptions<Stack extends FaultStack = FaultStack> {
  readonly business: Business;
  /** Returns a job's content with the given id, by the workflow's name. A workflow that is not named is not run. */
  readonly content: { readonly [workflow: string]: (id: string) => object };
  /** Starts the app on a local stack, with these settings over its own. */
  readonly start: (options: FaultStart) => Promise<Stack>;
  /** The settings of the app's host, with the connection strings of a stack. */
  readonly settingsFor: (stack: Stack) => Readonly<Record<string, string | undefined>>;
  /** The app's queues. */
  readonly queuesFile: string;
  /** A queue without sessions that the app may send status messages to. */
  readonly replyQueue: string;
  /** The HTTP status that a step's agent treats as a rejection, by the step's name; 422 if absent. */
  readonly rejectedWith?: { readonly [step: string]: number };
  /** `each`: the host is killed at each await. If absent: at one point for each kind of write or message. */
  readonly points?: "each";
  /** The maximum number of kills for each workflow, spread over its points. */
  readonly most?: number;
  /** Called after each job's run. */
  readonly onLife?: (life: FaultLife) => void;
}

/** One job's run. `deaths`: the points where the host was to be killed. `crashed`: whether it was killed at all of them. `faults`: the faults as text. */
export type FaultLife = Pick<Lived<WorkflowScenario>, "jobId" | "deaths" | "crashed" | "ms" | "faults"> & {
  readonly workflow: string;
  readonly scenario: string;
};

/** The result of a fault run. `ms`: milliseconds. */
export interface FaultRun {
  readonly lives: readonly FaultLife[];
  /** How often the host was killed. */
  readonly kills: number;
  readonly ms: number;
  /** The workflows without content. */
  readonly notRun: readonly string[];
  /** At least one job ran, the host was killed, and no fault was found. */
  readonly passed: boolean;
}

/** Of a point that only chance reaches. */
const TRIES = 3;

/**
 * Runs each workflow first without a kill, to find the points and the end state of its jobs; then once for each point, with the host killed there and started
 * again: the job has to end in the same state. It compares the effects at the simulated services.
 * @throws where the app does not start, or a name of `content` is none of its workflows
 */
export async function runFaults<Stack extends FaultStack>(options: FaultsOptions<Stack>): Promise<FaultRun> {
  const { business, content, most = 1 } = options;
  if (!(most > 0)) throw new Error(`The host can be killed at 1 point or more, and not at ${most}.`);
  const begun = Date.now();
  const known = business.loadWorkflows();
  const workflows = Object.keys(content).map((name) => {
    const workflow = known.newest(name);
    if (!workflow) throw new Error(`The app has no workflow ${name}: it has ${business.workflowNames.join(", ")}.`);
    return workflow;
  });
  const rig = await startRig((probe) => startApp(options, probe));
  const lives: FaultLife[] = [];
  try {
    for (const workflow of workflows) await runWorkflow(workflow, rig, options, lives);
  } finally {
    await rig[Symbol.asyncDispose]();
  }
  const isRight = lives.every(({ faults }) => faults.length === 0);
  return {
    lives,
    kills: rig.kills,
    ms: Date.now() - begun,
    notRun: business.workflowNames.filter((name) => !(name in content)),
    passed: isRight && rig.kills > 0,
  };
}

interface FaultApp extends StartedApp {
  readonly stack: FaultStack;
  readonly requester: Requester;
}

async function startApp<Stack extends FaultStack>(
  options: FaultsOptions<Stack>,
  { folder, settings: probed, onExit }: Probe,
): Promise<FaultApp> {
  const { business, replyQueue, start, settingsFor } = options;
  const queuesFile = shortLocks(options.queuesFile, folder);
  const stack = await start({ data: join(folder, "data"), settings: probed, queuesFile, onExit });
  const settings = settingsFor(stack);
  const requester = openRequester({ business, settings, addresses: stack.addresses, replyQueue });
  return {
    ...{ stack, settings, requester },
    async [Symbol.asyncDispose]() {
      await requester[Symbol.asyncDispose]();
      await stack.stop();
    },
  };
}

/** Lives of one workflow, one after the other: a service's faults and effects are then those of the job that lives. */
async function runWorkflow(
  workflow: Workflow,
  rig: Rig<FaultApp>,
  options: Pick<FaultsOptions, "business" | "content" | "rejectedWith" | "points" | "most" | "onLife">,
  lives: FaultLife[],
): Promise<void> {
  const { stack, requester } = rig.app;
  const evidence = new Map<WorkflowScenario, Evidence>();
  const alone = new Map<WorkflowScenario, Alone>();
  let usual: UsualEffects = new Map();
  const plain = allGoesWell(workflow);
  const setup: Setup<Hand, WorkflowScenario> = {
    rig,
    tries: TRIES,
    handFor: (jobId) => handOf(jobId, workflow, options, rig.app),
    async judge(scenario, { jobId }) {
      const found = await requester.evidenceOf(jobId);
      const way = alone.get(scenario) ?? scenario.endsAs;
      if (!way) evidence.set(scenario, found);
      const faults = faultsOfLife(workflow, found, usual, way);
      return {
        faults: scenario === plain && !way ? [...faults, ...unprocessed(found)] : faults,
        isAtRest: found.record !== undefined && restFaults(found.record, found.running).length === 0,
      };
    },
  };
  async function lived(scenario: WorkflowScenario, deaths: readonly string[]): Promise<Lived<WorkflowScenario>> {
    const life = await live(setup, { scenario, deaths });
    const spare = await liftFaults(stack.addresses.remotes);
    const faults = [...life.faults, ...(deaths.length === 0 ? spare : [])];
    const shown = { ...life, faults, workflow: workflow.name, scenario: scenario.name };
    lives.push(shown);
    options.onLife?.(shown);
    return { ...life, faults };
  }
  async function leftAlone(scenario: WorkflowScenario): Promise<Lived<WorkflowScenario>> {
    const life = await lived(scenario, []);
    const found = evidence.get(scenario);
    const way = found && aloneOf(found);
    if (way) alone.set(scenario, way);
    return life;
  }

  const first = await leftAlone(plain);
  // Without it nothing is known that others could be compared with.
  if (first.faults.length > 0) return;
  usual = usualOf([...evidence.values()]);
  const well = evidence.get(plain) ?? { effects: [] };
  const failing = whereServicesFail(workflow, well, alone.get(plain), options.rejectedWith);
  const all = [first];
  for (const scenario of failing) all.push(await leftAlone(scenario));
  usual = usualOf([...evidence.values()]);
  for (const [scenario, point] of chosenPoints(all, options)) await lived(scenario, [point]);
}

/** Each point belongs to the first scenario that reaches it. */
function chosenPoints(
  alone: readonly Lived<WorkflowScenario>[],
  { points, most = Number.POSITIVE_INFINITY }: Pick<FaultsOptions, "points" | "most">,
): (readonly [WorkflowScenario, string])[] {
  const dying = alone.filter(({ scenario, faults }) => scenario.dies && faults.length === 0);
  const first = new Map<string, WorkflowScenario>();
  for (const life of dying) for (const point of life.points) first.set(point, first.get(point) ?? life.scenario);
  const names = points === "each" ? [...first.keys()] : essential([...first.keys()]);
  const count = Math.min(most, names.length);
  const spread = Array.from({ length: count }, (_, at) => names[Math.floor(((at + 0.5) * names.length) / count)] ?? "");
  return spread.flatMap((point) => {
    const scenario = first.get(point);
    return scenario ? [[scenario, point] as const] : [];
  });
}

function handOf(
  jobId: string,
  workflow: Workflow,
  { business, content }: Pick<FaultsOptions, "business" | "content">,
  app: FaultApp,
): Hand {
  return {
    jobId,
    async send() {
      const own = content[workflow.name]?.(jobId);
      await app.requester.send({ ...own, [idNameOf(business.contracts)]: jobId, workflow: workflow.name });
    },
    async fault(service, fault) {
      const headers = { ...FAULT_HEADERS, "content-type": "application/json" };
      const url = `${app.stack.addresses.remotes[service]}/$faults`;
      const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(fault) });
      if (!response.ok) throw new Error(`${service} takes no such fault: ${await response.text()}`);
    },
  };
}

/** The local services' switches take this key, which no page of a browser can send. */
const FAULT_HEADERS = { authorization: "local" };

/** @returns those that were to come and did not, in words */
async function liftFaults(remotes: StackAddresses["remotes"]): Promise<string[]> {
  const left = Object.entries(remotes).map(async ([service, url]) => {
    const { faults } = (await (await fetch(`${url}/$faults`)).json()) as {
      faults: { kind: string; calls?: number; callsLeft: number | null }[];
    };
    await fetch(`${url}/$faults`, { method: "DELETE", headers: FAULT_HEADERS });
    return faults.flatMap(({ kind, calls, callsLeft }) =>
      callsLeft !== null && callsLeft === calls ? [`${service} was never asked: its fault ${kind} did not come`] : [],
    );
  });
  return (await Promise.all(left)).flat();
}
