// Sends one order, waits for its end, and checks that telemetry of it arrived; says what is missing if not.
import { join } from "node:path";
import { openTraces } from "@scheduler-agent-supervisor/local/traces";
import { numberOf, readArguments, runCommand, UsageError } from "./every-app/arguments.ts";
import { DEFAULT_DATA } from "./every-app/stack-file.ts";
import { currentSettings } from "./settings.ts";
import { reportSmoke, SMOKE_WORKFLOW, smokeAzure, smokeOrder } from "./smoke/smoke-azure.ts";
import { withSmokeTarget } from "./smoke/smoke-target.ts";
import { smokeTest } from "./smoke/smoke-test.ts";

const USAGE = `npm run node -- cli/smoke.ts             on the local stack
npm run node -- cli/smoke.ts --azure     on the deployed app of azd's environment, with your own sign-in
  --workflow NAME  the workflow of the order (${SMOKE_WORKFLOW}): one without effects
  --within S       how long the order may take (30; 180 in Azure)
  --data DIR       the state folder of the stack (.local)`;
const LONGEST_S = 3600;
const USUAL_S = 30;
/** The local stack sends spans every half second. */
const ARRIVES_WITHIN_MS = 5000;

await runCommand(async () => {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const { values } = readArguments({ azure: flag, workflow: text, within: text, data: text }, USAGE);
  const within = numberOf(values, "within", 1, LONGEST_S);
  const workflow = String(values["workflow"] ?? SMOKE_WORKFLOW);
  if (values["azure"]) {
    if (values["data"] !== undefined) throw new UsageError(`--azure cannot be used with --data.\n\n${USAGE}`);
    return smokeAzure(workflow, ...(within === undefined ? [] : [within * 1000]));
  }
  const data = String(values["data"] ?? DEFAULT_DATA);
  const telemetry = { of: async (orderId: string) => spansOf(orderId, data), withinMs: ARRIVES_WITHIN_MS };
  const order = smokeOrder(workflow);
  return reportSmoke(
    await withSmokeTarget(currentSettings(data), telemetry, (target) =>
      smokeTest(target, order, (within ?? USUAL_S) * 1000),
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
