// Whether `npm start` sends the sample orders: once to each stack, unless the caller says otherwise.
import { UsageError, type Values } from "../every-app/arguments.ts";

/** `once`: only to a stack that holds no orders yet. */
export type SampleChoice = "always" | "once" | "never";

/** @throws UsageError where options contradict each other */
export function sampleChoiceOf(values: Values): SampleChoice {
  const { samples, "no-samples": none, exit } = values;
  if (none && samples) throw new UsageError("--samples and --no-samples contradict each other");
  if (none && exit) throw new UsageError("--exit waits for the samples: it cannot be used with --no-samples");
  if (none) return "never";
  return samples || exit ? "always" : "once";
}

/** Why no samples are sent, in words; undefined where they are sent. */
export function reasonForNone(choice: SampleChoice, holdsOrders: boolean): string | undefined {
  if (choice === "never") return "No sample orders are sent.";
  if (choice === "once" && holdsOrders) {
    return "This stack has orders of an earlier start: the samples are not sent again (npm start -- --samples sends them).";
  }
  return undefined;
}
