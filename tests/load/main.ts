// A service that takes less than is asked of it, or a neighbour's burst, by the figures that one likes.
import { styleText } from "node:util";
import { ENGINES, TOPOLOGIES } from "@scheduler-agent-supervisor/local";
import { build } from "../../cli/build.ts";
import { choiceOf, numberOf, readArguments, runCommand } from "../../cli/every-app/arguments.ts";
import { runBurst } from "./burst.ts";
import { runOverload } from "./overload.ts";

const USAGE = `npm run node -- tests/load/main.ts [--orders N] [--rate R] [--places P] [--delay MS] [--cpu C] [--topology T] [--engine E]
  --orders N     how many orders (1500)
  --rate R       orders a second; all at once without it
  --places P     how many calls the shipping service takes at once (8)
  --delay MS     how long each takes it (150)
  --cpu C        the part of a processor's time that the host gets, in percent (100)
  --start S      how many seconds a step may wait for its agent before it may be scheduled again (30)
  --topology T   ${TOPOLOGIES.join(" or ")} (single)
  --engine E     ${ENGINES.join(" or ")} (fast)
A neighbour's burst instead: npm run node -- tests/load/main.ts --burst N [--share S] [--delay MS] [--topology T] [--engine E]
  --burst N      how many urgent orders one customer sends at once, while another one sends a few
  --share S      the part of the places in flight that one customer may hold meanwhile, in percent (50)
  --delay MS     how long each call takes at each service (they answer at once)`;
/** Orders of the other customer, alone. */
const OTHERS = 30;
const WITHIN_MS = 3_600_000;

await runCommand(async () => {
  const text = { type: "string" } as const;
  const { values } = readArguments(
    {
      orders: text,
      burst: text,
      share: text,
      rate: text,
      places: text,
      delay: text,
      cpu: text,
      start: text,
      topology: text,
      engine: text,
    },
    USAGE,
  );
  const chosen = {
    topology: choiceOf(values, "topology", TOPOLOGIES),
    engine: choiceOf(values, "engine", ENGINES),
  };
  const burst = numberOf(values, "burst", 1, 100_000);
  build();
  if (burst !== undefined) {
    const { faults, ...report } = await runBurst(
      {
        burst,
        share: (numberOf(values, "share", 1, 100) ?? 50) / 100,
        delayMs: numberOf(values, "delay", 0, 60_000) ?? 0,
        others: OTHERS,
        withinMs: WITHIN_MS,
        stack: chosen,
      },
      (line) => console.log(line),
    );
    console.log(report);
    for (const fault of faults) console.log(styleText("red", fault));
    return faults.length === 0 ? 0 : 1;
  }
  const rate = numberOf(values, "rate", 1, 10_000);
  const start = numberOf(values, "start", 1, 3600);
  const { faults, ...report } = await runOverload(
    {
      orders: numberOf(values, "orders", 1, 1e6) ?? 1500,
      ...(rate !== undefined && { rate }),
      service: {
        delayMs: numberOf(values, "delay", 1, 60_000) ?? 150,
        places: numberOf(values, "places", 1, 1000) ?? 8,
      },
      cpu: numberOf(values, "cpu", 1, 99),
      ...(start !== undefined && { startWithin: `PT${start}S`, mostAttempts: 2 }),
      withinMs: WITHIN_MS,
      stack: chosen,
    },
    (line) => console.log(line),
  );
  console.log(report);
  for (const fault of faults) console.log(styleText("red", fault));
  if (faults.length === 0)
    console.log(styleText("green", "Every order was processed in as many attempts as it may have."));
  return faults.length === 0 ? 0 : 1;
});
