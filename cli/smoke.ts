// Sends one order, waits for its end, and checks that telemetry of it arrived; says what is missing if not.
import { join } from "node:path";
import { openTraces } from "@scheduler-agent-supervisor/local/traces";
import { azdDeployment, namedDeployment } from "./common/azure.ts";
import { numberOf, readArguments, runCommand, UsageError } from "./every-app/arguments.ts";
import { DEFAULT_DATA } from "./every-app/stack-file.ts";
import { currentSettings } from "./settings.ts";
import { reportSmoke, SMOKE_WORKFLOW, smokeAzure, smokeOrder } from "./smoke/smoke-azure.ts";
import { withSmokeTarget } from "./smoke/smoke-target.ts";
import { smokeTest } from "./smoke/smoke-test.ts";

const USAGE = `npm run node -- cli/smoke.ts             on the local stack
npm run node -- cli/smoke.ts --azure     on the deployed app of azd's environment, with azd's sign-in
  --deployment NAME  on what az deployment sub create deployed, with the Azure CLI's sign-in
  --workflow NAME    the workflow of the order (${SMOKE_WORKFLOW}): one without effects
  --within S         how long the order may take (30; 180 in Azure)
  --data DIR         the state folder of the stack (.local)`;
const LONGEST_S = 3600;
const USUAL_S = 30;
/** The local stack sends spans every half second. */
const ARRIVES_WITHIN_MS = 5000;

await runCommand(async () => {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const options = { azure: flag, deployment: text, workflow: text, within: text, data: text };
  const { values } = readArguments(options, USAGE);
  const within = numberOf(values, "within", 1, LONGEST_S);
  const workflow = String(values["workflow"] ?? SMOKE_WORKFLOW);
  const places = ["azure", "deployment", "data"].filter((name) => values[name] !== undefined);
  if (places.length > 1)
    throw new UsageError(`${places.map((name) => `--${name}`).join(" and ")} can't be used together.\n\n${USAGE}`);
  const named = values["deployment"];
  if (values["azure"] || named !== undefined) {
    const deployment = named === undefined ? azdDeployment() : namedDeployment(String(named));
    return smokeAzure(deployment, workflow, ...(within === undefined ? [] : [within * 1000]));
  }
  const data = String(values["data"] ?? DEFAULT_DATA);
  const known = {
    telemetry: async (orderId: string) => spansOf(orderId, data),
    telemetryWithinMs: ARRIVES_WITHIN_MS,
    // The traces of two hosts are in one place.
    taskHub: undefined,
    pauseMs: 0,
  };
  return reportSmoke(
    await withSmokeTarget(currentSettings(data), known, (target) =>
      smokeTest(target, () => smokeOrder(workflow), (within ?? USUAL_S) * 1000),
    ),
  );
});

function spansOf(orderId: string, data: string): number {
  const reader = openTraces(join(data, "traces"));
  try {
    return reader?.tracesWith("jobId", orderId).reduce((sum, { spans }) => sum + spans.length, 0) ?? 0;
  } finally {
    reader?.close();
  }
}
