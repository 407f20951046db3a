import { createHash } from "node:crypto";
import { ApplicationInsightsSampler } from "@azure/monitor-opentelemetry-exporter";
import { ROOT_CONTEXT } from "@opentelemetry/api";
import { SamplingDecision } from "@opentelemetry/sdk-trace";
import { expect, test } from "vitest";
import { PartSampler } from "./sdk.ts";

const ids = Array.from({ length: 5000 }, (_, seed) => createHash("md5").update(String(seed)).digest("hex"));

test.each([0.1, 0.25, 0.5])(
  "%d: the same traces are kept as by the SDK of Application Insights, with its rate",
  (part) => {
    const [ours, theirs] = [new PartSampler(part), new ApplicationInsightsSampler(part)];
    const kept = ids.filter((id) => {
      const own = ours.shouldSample(ROOT_CONTEXT, id);
      const attributes = {};
      const other = theirs.shouldSample(ROOT_CONTEXT, id, "span", 0, attributes, []);
      expect(own.decision).toBe(other.decision);
      if (own.decision === SamplingDecision.RECORD_AND_SAMPLED) expect(own.attributes).toEqual(attributes);
      return own.decision === SamplingDecision.RECORD_AND_SAMPLED;
    });
    expect(kept.length / ids.length).toBeGreaterThan(part - 0.03);
    expect(kept.length / ids.length).toBeLessThan(part + 0.03);
  },
);
