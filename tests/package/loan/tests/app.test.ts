// The app can start: its settings as the sample has them, and its workflow against its agents.
import { startFaults } from "@scheduler-agent-supervisor/core/app";
import { expect, test } from "vitest";
import sample from "../local.settings.sample.json" with { type: "json" };
import { business } from "../shared/business.ts";

test("its settings and workflows have no fault", () => {
  expect(startFaults(business, sample.Values)).toEqual([]);
});
