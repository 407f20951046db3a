import { expect, test } from "vitest";
import { describeOwnSettings, ownSettings } from "./own-settings.ts";

const sample = { StartWithin: "PT30S", JobsInFlight: "200", ServiceBus: "local" };

test("the environment stands above local.settings.json, and that above the sample, as with Functions Core Tools", () => {
  const file = { StartWithin: "PT1M", JobsInFlight: "200", Mine: "1" };
  const { values, sources } = ownSettings({ StartWithin: "PT2M", PATH: "/bin", Mine: undefined }, { sample, file });
  expect(values).toEqual({ StartWithin: "PT2M", Mine: "1" });
  expect(sources).toEqual([
    ["StartWithin", "environment"],
    ["Mine", "local.settings.json"],
  ]);
});

test("a name that the sample does not have is said, with the setting that may be meant", () => {
  const file = { START_WITHIN: "PT1M", startWithin: "PT1M", StratWithn: "PT1M", Mine: "1" };
  const own = ownSettings({}, { sample, file });
  const [, unknown] = describeOwnSettings(own, { ...sample, ...own.values });
  expect(unknown).toBe(
    "Not in local.settings.sample.json, which has every setting of the app: START_WITHIN (do you mean StartWithin?), startWithin (do you mean StartWithin?), StratWithn (do you mean StartWithin?), Mine",
  );
});

test("without a file and with an environment of other programs nothing differs, and nothing is printed", () => {
  const own = ownSettings({ PATH: "/bin", JobsInFlight: "200" }, { sample, file: {} });
  expect(own.values).toEqual({});
  expect(describeOwnSettings(own, sample)).toEqual([]);
});

test("a setting in whose place the stack has its own is named, and no value is printed", () => {
  const own = ownSettings({}, { sample, file: { ServiceBus: "secret", StartWithin: "PT1M" } });
  expect(describeOwnSettings(own, { ...sample, ...own.values, ServiceBus: "the stack's" })).toEqual([
    "Settings that differ from local.settings.sample.json: StartWithin (local.settings.json)",
    "Not used, because the local stack has its own: ServiceBus (local.settings.json)",
  ]);
});
