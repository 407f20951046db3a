// Alerts, workbook and sign-in in the words of an app: those of the sample are what they were, and another app's have nothing of it.
import { expect, test } from "vitest";
import type { Files } from "./compiler.ts";
import { deploy, read } from "./deploy.ts";

const spoken = async (words: object) => {
  const files: Files = { "infra/words.json": JSON.stringify(words) };
  const { all } = await deploy({ CREATE_SIGN_IN: "true", AZURE_ENV_NAME: "dev" }, files);
  const types = ["scheduledQueryRules", "metricAlerts", "workbooks"].map((type) => `Microsoft.Insights/${type}`);
  return [...types, "Microsoft.Graph/applications"].flatMap((type) =>
    all(type).map(({ name, body }) => ({ name, body })),
  );
};

test("alerts, workbook and sign-in say what a job is called in this app", async () => {
  const sample = await spoken({ one: "order", many: "orders", title: "Orders", client: "shop" });
  expect(await spoken(JSON.parse(read("infra/words.json")))).toEqual(sample);
  const names = sample.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(["job-in-error", "jobs-left-in-error", "jobs-overdue", "client-unreachable"]),
  );
  const text = JSON.stringify(sample);
  for (const said of ["Orders are in Error and wait", "Too many orders take", "Operate orders", "# Orders\\\\nWhat"])
    expect(text).toContain(said);
  const other = await spoken({
    one: "loan application",
    many: "loan applications",
    title: "Loan applications",
    client: "bank",
  });
  const others = JSON.stringify(other);
  // Runbooks name alerts: they are called the same in every app.
  expect(other.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["job-in-error", "jobs-left-in-error", "jobs-overdue", "client-unreachable"]),
  );
  for (const said of ["Loan applications are in Error", "Operate loan applications"]) expect(others).toContain(said);
  // The workflow whose time is an objective is named in two queries.
  expect(others.match(/\border(?!s? by|-fulfilment)\w*|\bshop\b|\{(one|many|title|client)\}/gi)).toBeNull();
});
