// The loan's workflow in Temporal.
import { DECLINED_BELOW, SURE_FROM } from "./loan.ts";
import type { Activities, Answer, Loan } from "./loan-temporal-worker.ts";
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  defineSignal,
  proxyActivities,
  setHandler,
} from "./temporal-sdk.ts";

export const approved = defineSignal<[Answer]>("approved");
export const signed = defineSignal<[Answer]>("signed");
export const paid = defineSignal<[Answer]>("paid");

const retry = { initialInterval: "1s", backoffCoefficient: 2, maximumInterval: "1m" } as const;
const { post } = proxyActivities<Activities>({ startToCloseTimeout: "10s", retry: { ...retry, maximumAttempts: 5 } });
const compensating = proxyActivities<Activities>({ startToCloseTimeout: "10s", retry });
/** Not repeated: the bank knows no keys. */
const once = proxyActivities<Activities>({ startToCloseTimeout: "10s", retry: { maximumAttempts: 1 } });

const declined = (message: string) => ApplicationFailure.nonRetryable(message, "Declined");

export async function loan({ loanId, applicant, amount, collaterals }: Loan): Promise<object> {
  const compensations: (() => Promise<unknown>)[] = [];
  const reports = new Map<string, Answer>();
  setHandler(approved, (answer) => void reports.set("approved", answer));
  setHandler(signed, (answer) => void reports.set("signed", answer));
  setHandler(paid, (answer) => void reports.set("paid", answer));

  const asked = (step: string, service: string, path: string, body: object = {}) => {
    return { service, path, key: `${loanId}-${step}`, body: { loanId, ...body } };
  };

  async function reported(name: "approved" | "signed", within: string): Promise<void> {
    if (!(await condition(() => reports.has(name), within))) throw declined(`no report of ${name} within ${within}`);
    const declinedBecause = reports.get(name)?.declined;
    if (declinedBecause !== undefined) throw declined(declinedBecause);
  }

  /** Before the call: it may have an effect without an answer. */
  const compensate = (step: string, { service, path, key }: ReturnType<typeof asked>) =>
    compensations.push(() => compensating.post(asked(step, service, `${path}/key:${key}/withdraw`)));

  async function appraised(at: number, collateral: object): Promise<number> {
    const appraisal = asked(`appraise-${at}`, "Surveyor", "appraisals", collateral);
    compensate(`withdraw-${at}`, appraisal);
    const { value = 0 } = await post(appraisal);
    return value;
  }

  try {
    const all = await Promise.allSettled([
      post(asked("identity", "Registry", "checks", { applicant })).then(() => 0),
      post(asked("score", "Bureau", "scores", { applicant })).then(({ score = 0 }) => score),
      ...collaterals.map((one, at) => appraised(at, one)),
    ]);
    const [, score = 0, ...values] = all.map((one) => {
      if (one.status === "rejected") throw one.reason;
      return one.value;
    });
    const worth = values.reduce((sum, value) => sum + value, 0);
    if (score < DECLINED_BELOW || worth < amount) throw declined("declined");

    if (score < SURE_FROM) {
      await post(asked("approve", "Desk", "questions", { applicant, amount, signal: "approved" }));
      await reported("approved", "2 days");
    }

    const contract = asked("sign", "Office", "contracts", { applicant, amount, signal: "signed" });
    compensate("withdraw-contract", contract);
    await post(contract);
    await reported("signed", "14 days");

    try {
      const { id } = await once.post(asked("payOut", "Bank", "payouts", { applicant, amount }));
      return { status: "Completed", payout: id };
    } catch (cause) {
      if (cause instanceof ActivityFailure && (cause.cause as ApplicationFailure).type === "Declined") throw cause;
      // It may have paid: a person has to look, and signals what was found.
      await condition(() => reports.has("paid"));
      const found = reports.get("paid");
      if (found?.declined !== undefined) throw declined(found.declined);
      return { status: "Completed", payout: found?.id };
    }
  } catch (cause) {
    await CancellationScope.nonCancellable(async () => {
      for (const withdraw of compensations.reverse()) await withdraw();
    });
    return { status: "Compensated", because: String(cause) };
  }
}
