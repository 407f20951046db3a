// Runs the simulation away from the page: a world replaces this thread's timers while it goes on.
import "./shims/globals.ts";
import type { Case } from "./case.ts";
import { replay, type Simulation } from "./simulation.ts";
import type { View } from "./view.ts";

/** What the page asks for: the state of a case after so many steps. */
export interface Asked {
  readonly number: number;
  readonly case: Case;
  readonly step: number;
}

export type Answered = { readonly number: number } & ({ readonly view: View } | { readonly fault: string });

let simulation: Simulation | undefined;
/** The case in which it stands. */
let stands = "";
let before: Promise<void> = Promise.resolve();

/** The next step of the same case goes on from where it stands; all else begins anew. */
async function answer(asked: Asked): Promise<Answered> {
  const { number, case: wanted, step } = asked;
  const { seed } = wanted;
  const same = JSON.stringify({ seed, actions: wanted.actions.filter(({ after }) => after <= step) });
  try {
    const isNext = simulation && same === stands && simulation.steps <= step;
    if (!simulation || !isNext) simulation = await replay(wanted, step);
    while (simulation.steps < step && (await simulation.step()));
    stands = same;
    return { number, view: simulation.view() };
  } catch (cause) {
    simulation = undefined;
    return { number, fault: cause instanceof Error ? cause.message : String(cause) };
  }
}

addEventListener("message", ({ data }: MessageEvent<Asked>) => {
  before = before.then(async () => postMessage(await answer(data)));
});
