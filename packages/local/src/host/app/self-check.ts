// Looks, before anything runs, whether the inner parts of the app's libraries that this host leans on are where they are in the pinned versions.
import { createRequire } from "node:module";
import { join } from "node:path";
import type { ProgrammingModel } from "./core-module.ts";

const PINNED: Readonly<Record<string, string>> = { "@azure/functions": "4.16.5", "durable-functions": "3.5.0" };

const EXECUTOR = "durable-functions/lib/src/orchestrations/TaskOrchestrationExecutor";
const EXECUTOR_METHODS = ["execute", "processEvent", "trackOpenTask", "isDoneExecuting", "addToActions"];
const EXECUTOR_FIELDS = [
  "actions",
  "openTasks",
  "openEvents",
  "sequenceNumber",
  "willContinueAsNew",
  "orchestratorReturned",
];

const MODEL_METHODS = ["getArguments", "invokeFunction", "getResponse"];

/** Checks that the library's programming model invokes in the steps that this host takes. Throws otherwise. */
export function checkModel(model: ProgrammingModel): void {
  const metadata = { name: "check", bindings: { trigger: { type: "httpTrigger", direction: "in" } } } as const;
  let invocation: object = {};
  try {
    const request = { invocationId: "", functionId: "", inputData: [] };
    const unset = {
      triggerMetadata: undefined,
      traceContext: { traceParent: "", traceState: "", attributes: {} },
      retryContext: undefined,
    };
    const core = {
      invocationId: "",
      metadata,
      state: undefined,
      request: { ...request, ...unset },
      log: () => undefined,
    };
    invocation = model.getInvocationModel(core);
  } catch {
    // What it lacks is told below.
  }
  const absent = MODEL_METHODS.filter((name) => typeof Reflect.get(invocation, name) !== "function");
  if (absent.length === 0) return;
  const found = `${model.name} ${model.version}`;
  throw new Error(
    `The invocation model of ${found} has no ${absent.join(", ")}: use @azure/functions ${PINNED["@azure/functions"]}.`,
  );
}

/** Checks the libraries as the app in `appDir` sees them; `warn` is told of versions that this host was not tried with. */
export function checkLibraries(appDir: string, usesDurable: boolean, warn: (text: string) => void): void {
  const require = createRequire(join(appDir, "package.json"));
  const names = usesDurable ? Object.keys(PINNED) : ["@azure/functions"];
  for (const name of names) {
    const found = versionOf(require, name);
    if (found === undefined) {
      warn(`The app has ${name} inside its own files: this host, made for ${PINNED[name]}, can't see which version.`);
    } else if (found !== PINNED[name]) {
      warn(`The app uses ${name} ${found}; this host is made for ${PINNED[name]} and was not tried with it.`);
    }
  }
  if (usesDurable && versionOf(require, "durable-functions") !== undefined) checkExecutor(require);
}

function checkExecutor(require: NodeJS.Require): void {
  const place = `${EXECUTOR} of durable-functions ${versionOf(require, "durable-functions") ?? ""}`;
  let executor: Record<string, unknown>;
  try {
    const { TaskOrchestrationExecutor } = require(EXECUTOR) as { TaskOrchestrationExecutor: new () => object };
    executor = new TaskOrchestrationExecutor() as Record<string, unknown>;
  } catch (cause) {
    throw new Error(`${place} is not what this host leans on (made for ${PINNED["durable-functions"]}).`, { cause });
  }
  const absent = [
    ...EXECUTOR_METHODS.filter((name) => typeof executor[name] !== "function"),
    ...EXECUTOR_FIELDS.filter((name) => !(name in executor)),
  ];
  if (absent.length > 0) {
    throw new Error(
      `${place} has no ${absent.join(", ")}, which this host leans on: use durable-functions ${PINNED["durable-functions"]}.`,
    );
  }
}

function versionOf(require: NodeJS.Require, name: string): string | undefined {
  try {
    return (require(`${name}/package.json`) as { version?: string }).version;
  } catch {
    return undefined;
  }
}
