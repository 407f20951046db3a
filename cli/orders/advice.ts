// What the steps of a workflow took in the last week, and what their times could be, for the terminal: nothing is changed.
import type { Advice } from "@scheduler-agent-supervisor/operator/internal/messaging/console-contract";
import { words } from "../../shared/words.ts";
import { type App, queryOf } from "./app.ts";
import { printTable } from "./table.ts";
import { countedOrders, say, sayJson } from "./text.ts";

type Step = Advice["workflows"][number]["steps"][number];

/** The app looks through a week once in ten minutes. */
const ADVICE_MS = 900_000;

export async function showAdvice(
  app: App,
  asked: { readonly [name: string]: string | undefined },
  asJson: boolean,
): Promise<void> {
  const found = await app.get<Advice>(`advice${queryOf(asked)}`, ADVICE_MS);
  if (asJson) return sayJson(found);
  say(`A sample of ${countedOrders(found.sampled)} (at most ${found.mostSampled}) that ended in the last week.`);
  for (const { name, version, jobs, steps } of found.workflows) {
    say(`${name} v${version}: ${countedOrders(jobs)}`);
    printTable(
      ["step", "start p99", "work p50", "p99", "timeouts", "now", "proposed", "why", "would time out", "give up"],
      steps.map((step) => [
        step.step,
        secondsOf(step.start?.p99Ms),
        secondsOf(step.work?.p50Ms),
        secondsOf(step.work?.p99Ms),
        String(step.timeouts),
        inWords(step.current),
        step.proposed ? inWords(step.proposed) : "",
        step.because,
        ...outlookOf(step),
      ]),
    );
  }
  say(
    `now and proposed: startWithin / completeWithin. The last two: ${words.many} of the sample, with the proposed or the asked times.`,
  );
}

const inWords = ({ startWithin, completeWithin }: Step["current"]) => `${startWithin} / ${completeWithin}`;
const secondsOf = (ms: number | undefined) => (ms === undefined ? "" : `${Math.round(ms / 10) / 100} s`);

function outlookOf({ outlook: { asked, proposed } }: Step): string[] {
  const shown = asked ?? proposed;
  return shown ? [`${shown.timedOut} of ${shown.jobs}`, String(shown.exhausted)] : ["", ""];
}
