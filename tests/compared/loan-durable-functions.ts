// The loan in Durable Functions alone: an orchestrator, its activities, and the functions that start it and take reports.
import { app } from "@azure/functions";
import { ContainerClient } from "@azure/storage-blob";
import * as df from "durable-functions";
import { z } from "zod";
import { DECLINED_BELOW, loanMembers, SURE_FROM } from "./loan.ts";

const schema = z.strictObject({ loanId: z.string().min(1).max(100), ...loanMembers });
type Loan = z.infer<typeof schema>;

/** A service's decision, which no retry changes: an activity's error would be retried. */
interface Declined {
  readonly declined: string;
}
type Answer = Declined | { readonly id: string; readonly score?: number; readonly value?: number };
type Done = Exclude<Answer, Declined>;

interface Post {
  readonly service: string;
  readonly path: string;
  readonly key: string;
  readonly body: object;
}

const TRY_TIMEOUT_MS = 10_000;
const retry = new df.RetryOptions(1000, 5);
retry.backoffCoefficient = 2;
retry.maxRetryIntervalInMilliseconds = 60_000;

async function post({ service, path, key, body }: Post): Promise<Answer> {
  const response = await fetch(`${process.env[`${service}Endpoint`]}/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TRY_TIMEOUT_MS),
  });
  if (response.status === 422) return { declined: `${service} declines: ${await response.text()}` };
  if (!response.ok) throw new Error(`${service}: HTTP ${response.status}`);
  return (await response.json()) as Done;
}
df.app.activity("post", { handler: post });

/** An activity may run twice. The bank knows no keys: whoever began before may have paid, and a person has to look. */
async function payOut(asked: Post): Promise<Answer | { readonly unknown: string }> {
  const begun = new ContainerClient(process.env["AzureWebJobsStorage"] ?? "", "payouts").getBlockBlobClient(asked.key);
  try {
    await begun.upload("", 0, { conditions: { ifNoneMatch: "*" } });
  } catch (cause) {
    if ((cause as { statusCode?: number }).statusCode !== 409) throw cause;
    return { unknown: "the payout was begun before" };
  }
  try {
    return await post(asked);
  } catch (cause) {
    return { unknown: String(cause) };
  }
}
df.app.activity("payOut", { handler: payOut });

class Stopped extends Error {}

function done(answer: Answer): Done {
  if ("declined" in answer) throw new Stopped(answer.declined);
  return answer;
}

df.app.orchestration("loan", function* (context) {
  const loan = context.df.getInput<Loan>();
  const { instanceId } = context.df;
  const { loanId, applicant, amount, collaterals } = loan;
  const asked = (step: string, service: string, path: string, body: object): Post => {
    return { service, path, key: `${instanceId}-${step}`, body: { loanId, ...body } };
  };
  const calls = (...posts: Post[]) =>
    context.df.Task.all(posts.map((one) => context.df.callActivityWithRetry("post", retry, one)));
  const compensations: Post[] = [];
  const reportTo = (event: string) => `${process.env["ReportsUrl"]}/${instanceId}/${event}`;

  function* reported(event: string, days: number): Generator<df.Task, Answer, unknown> {
    const until = new Date(context.df.currentUtcDateTime.getTime() + days * 86_400_000);
    const timer = context.df.createTimer(until);
    const report = context.df.waitForExternalEvent(event);
    const first = yield context.df.Task.any([report, timer]);
    if (first !== report) throw new Stopped(`no report of ${event} within ${days} days`);
    timer.cancel();
    return report.result as Answer;
  }

  try {
    const appraisals = collaterals.map((one, at) => {
      const appraisal = asked(`appraise-${at}`, "Surveyor", "appraisals", one);
      // Before it is called: it may have an effect without an answer.
      compensations.push(asked(`withdraw-${at}`, "Surveyor", `appraisals/key:${appraisal.key}/withdraw`, {}));
      return appraisal;
    });
    const first: Answer[] = yield calls(
      asked("identity", "Registry", "checks", { applicant }),
      asked("score", "Bureau", "scores", { applicant }),
      ...appraisals,
    );
    const [identity, score, ...values] = first;
    if (identity) done(identity);
    const points = score ? (done(score).score ?? 0) : 0;
    const worth = values.reduce((sum, value) => sum + (done(value).value ?? 0), 0);
    if (points < DECLINED_BELOW || worth < amount) throw new Stopped("declined");

    if (points < SURE_FROM) {
      context.df.setCustomStatus("waits for an approval");
      const body = { applicant, amount, reportTo: reportTo("approved") };
      const [question]: Answer[] = yield calls(asked("approve", "Desk", "questions", body));
      if (question) done(question);
      done(yield* reported("approved", 2));
    }

    context.df.setCustomStatus("waits for the signature");
    const body = { applicant, amount, reportTo: reportTo("signed") };
    const contract = asked("sign", "Office", "contracts", body);
    compensations.push(asked("withdraw-contract", "Office", `contracts/key:${contract.key}/withdraw`, {}));
    const [sent]: Answer[] = yield calls(contract);
    if (sent) done(sent);
    done(yield* reported("signed", 14));

    const paid: Answer | { unknown: string } = yield context.df.callActivity(
      "payOut",
      asked("payOut", "Bank", "payouts", { applicant, amount }),
    );
    if ("unknown" in paid) {
      context.df.setCustomStatus(`somebody has to look: ${paid.unknown}`);
      const found: Answer = yield context.df.waitForExternalEvent("paid");
      return { status: "Completed", payout: done(found).id };
    }
    return { status: "Completed", payout: done(paid).id };
  } catch (cause) {
    for (const one of compensations.reverse()) yield calls(one);
    return { status: "Compensated", because: String(cause) };
  }
});

app.serviceBusQueue("submit", {
  queueName: "loans",
  connection: "ServiceBus",
  extraInputs: [df.input.durableClient()],
  handler: async (message, context) => {
    const loan = schema.parse(message);
    const client = df.getClient(context);
    // A message may come twice.
    const known = await client.getStatus(loan.loanId).catch(() => undefined);
    if (!known) await client.startNew("loan", { instanceId: loan.loanId, input: loan });
  },
});

app.http("report", {
  route: "reports/{instance}/{event}",
  methods: ["POST"],
  authLevel: "function",
  extraInputs: [df.input.durableClient()],
  handler: async (request, context) => {
    const { instance = "", event = "" } = request.params;
    await df.getClient(context).raiseEvent(instance, event, await request.json());
    return { status: 202 };
  },
});
