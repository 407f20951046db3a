// What stands around the loan's workflow in Temporal: its activities, the worker, and the HTTP server that submits loans and takes reports.
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { loanMembers } from "./loan.ts";
import { approved, loan, paid, signed } from "./loan-temporal.ts";
import { ApplicationFailure, Client, Worker } from "./temporal-sdk.ts";

const schema = z.strictObject({ loanId: z.string().min(1).max(100), ...loanMembers });
export type Loan = z.infer<typeof schema>;

export interface Answer {
  readonly id: string;
  readonly score?: number;
  readonly value?: number;
  readonly declined?: string;
}
interface Post {
  readonly service: string;
  readonly path: string;
  readonly key: string;
  readonly body: object;
}

const TASK_QUEUE = "loans";
const TRY_TIMEOUT_MS = 10_000;

const activities = {
  async post({ service, path, key, body }: Post): Promise<Answer> {
    const response = await fetch(`${process.env[`${service}Endpoint`]}/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TRY_TIMEOUT_MS),
    });
    if (response.status === 422) throw ApplicationFailure.nonRetryable(await response.text(), "Declined");
    if (!response.ok) throw new Error(`${service}: HTTP ${response.status}`);
    return (await response.json()) as Answer;
  },
};
export type Activities = typeof activities;

const client = new Client();
const signals = { approved, signed, paid };

const server = createServer(async (request, response) => {
  const [, what, id = "", event = ""] = (request.url ?? "").split("/");
  const body = await json(request);
  if (what === "loans") {
    const content = schema.parse(body);
    // One workflow for each id, also when it is sent again.
    const options = {
      taskQueue: TASK_QUEUE,
      workflowId: content.loanId,
      workflowIdReusePolicy: "REJECT_DUPLICATE",
    } as const;
    await client.workflow.start(loan, { ...options, workflowIdConflictPolicy: "USE_EXISTING", args: [content] });
  } else {
    await client.workflow.getHandle(id).signal(signals[event as keyof typeof signals], body as Answer);
  }
  response.writeHead(202).end();
});

const workflowsPath = fileURLToPath(new URL("./loan-temporal.ts", import.meta.url));
const worker = await Worker.create({ workflowsPath, activities, taskQueue: TASK_QUEUE });
server.listen(Number(process.env["PORT"] ?? 8080));
await worker.run();
