// The app can start: its settings as the sample has them, and its workflows against its agents.
import { startFaults } from "@scheduler-agent-supervisor/core/app";
import { expect, test } from "vitest";
import sample from "../local.settings.sample.json" with { type: "json" };
import { business } from "../shared/business.ts";

test("its settings and workflows have no fault", () => {
  expect(startFaults(business, sample.Values)).toEqual([]);
});

test("no agent gets to know more than it declares", () => {
  const content = {
    registrationId: "r-1",
    workflow: "registration",
    priority: "normal",
    email: "ada@example.com",
  } as const;
  const registration = { ...content, plan: "team", password: "secret" };
  expect(business.contentFor("mail", registration)).toEqual({ registrationId: "r-1", email: "ada@example.com" });
});
