// The explorer finds each planted fault, soon and by what it leads to: so the guards are needed, and it looks at the right things.

import { describe, expect, test } from "vitest";
import { exploreStates } from "../../src/model/explorer.ts";
import { Model } from "../../src/model/model.ts";
import { PLANTED, SPARED } from "./mutants.ts";

const SOON = 20_000;
const TIMEOUT_MS = 300_000;

/** With the reductions and without them. */
describe.each([false, true])("unreduced: %s", (isUnreduced) => {
  test.each(PLANTED)(
    "P20 found: $setting.name",
    async ({ setting, leadsTo }) => {
      const { finding } = await exploreStates(new Model({ ...setting, isUnreduced }), { states: SOON });
      expect(finding?.fault).toContain(leadsTo);
      expect(finding?.trace.length).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );
});

test.each(PLANTED)(
  "without it, nothing is found there: $setting.name",
  async ({ setting: { mutant, ...setting } }) => {
    const { finding } = await exploreStates(new Model(setting), { states: SOON });
    expect(finding?.fault).toBeUndefined();
  },
  TIMEOUT_MS,
);

test.each(SPARED)(
  "another guard says the same: $name",
  async (setting) => {
    const { finding, complete } = await exploreStates(new Model(setting), { states: 500_000 });
    expect([finding?.fault, complete]).toEqual([undefined, true]);
  },
  TIMEOUT_MS,
);
