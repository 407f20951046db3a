// The smoke test of the deployed app: with the sign-in of who deployed it, and telemetry asked for in the Log Analytics workspace.
import { styleText } from "node:util";
import type { TokenCredential } from "@azure/identity";
import { z } from "zod";
import { azureSettings, type Deployment, signInOf } from "../common/azure.ts";
import { type MadeJob, madeJob } from "../common/shop.ts";
import { withSmokeTarget } from "./smoke-target.ts";
import { type SmokeOutcome, smokeTest } from "./smoke-test.ts";

/** The one of the sample that has no effect anywhere. */
export const SMOKE_WORKFLOW = "smoke";

/** A cold start of each of the functions on the way, and roles that still spread. */
const ENDS_WITHIN_MS = 180_000;
/** "Log data ingestion time in Azure Monitor": 20 s to 3 minutes on average. */
const ARRIVES_WITHIN_MS = 300_000;
/** An app that starts after the first order may take the next. */
const PAUSE_MS = 5000;
const LOGS = "https://api.loganalytics.io";

/** Runs it and prints what came of it. @returns the exit code. */
export async function smokeAzure(
  deployment: Deployment,
  workflow: string,
  timeoutMs = ENDS_WITHIN_MS,
): Promise<number> {
  const { values, signIn } = deployment;
  const workspace = values.get("LOG_WORKSPACE_ID");
  if (!workspace) throw new Error("The deployment has no LOG_WORKSPACE_ID: provision it again.");
  const credential = signInOf(signIn);
  const known = {
    telemetry: (orderId: string) => telemetryOf(credential, workspace, orderId),
    telemetryWithinMs: ARRIVES_WITHIN_MS,
    taskHub: values.get("TASK_HUB"),
    pauseMs: PAUSE_MS,
  };
  console.log(`Sending an order through the workflow ${workflow}. Telemetry may take minutes to arrive.`);
  return reportSmoke(
    await withSmokeTarget(azureSettings(deployment), known, (target) =>
      smokeTest(target, () => smokeOrder(workflow), timeoutMs),
    ),
  );
}

export function smokeOrder(workflow: string): MadeJob {
  const { id, content } = madeJob(`smoke-${Date.now().toString(36)}`);
  return { id, content: { ...content, workflow } };
}

export function reportSmoke({ ok, lines }: SmokeOutcome): number {
  for (const line of lines) console.log(ok ? line : styleText("red", line));
  return ok ? 0 : 1;
}

const answer = z.object({ tables: z.array(z.object({ rows: z.array(z.array(z.unknown())) })) });

/** Counts the requests, events and calls that name the job. */
export const telemetryQuery = (jobId: string): string =>
  `union AppRequests, AppDependencies, AppEvents | where tostring(Properties.jobId) == "${jobId}" | count`;

/** @throws where the workspace does not answer. */
export async function telemetryOf(
  credential: TokenCredential,
  workspace: string,
  jobId: string,
  address = LOGS,
): Promise<number> {
  const token = await credential.getToken(`${LOGS}/.default`);
  const response = await fetch(`${address}/v1/workspaces/${encodeURIComponent(workspace)}/query`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token?.token ?? ""}` },
    body: JSON.stringify({
      query: telemetryQuery(jobId),
      timespan: "PT1H",
    }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`the workspace answered ${response.status}: ${text.slice(0, 300)}`);
  return Number(answer.parse(JSON.parse(text)).tables[0]?.rows[0]?.[0] ?? 0);
}
