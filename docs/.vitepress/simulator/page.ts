// The simulator's page: the address says which case it is and at which step; the worker answers with what there is to see.
import { type Action, addressOf, type Case, caseIn, MOST_STEPS } from "./case.ts";
import { READY } from "./cases.ts";
import { button, element, show } from "./elements.ts";
import type { View } from "./view.ts";
import type { Answered, Asked } from "./worker.ts";

const STEP_MS = 500;

const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
let asked = 0;
let current = caseIn(location.hash);
let view: View | undefined;
let running: ReturnType<typeof setInterval> | undefined;
const waiting = new Map<number, (answered: Answered) => void>();

worker.onmessage = ({ data }: MessageEvent<Answered>) => {
  waiting.get(data.number)?.(data);
  waiting.delete(data.number);
};
worker.onerror = ({ message }) => say(`The simulator does not run: ${message}`);

function ask(wanted: Case, step: number): Promise<Answered> {
  asked += 1;
  const number = asked;
  return new Promise((resolve) => {
    waiting.set(number, resolve);
    worker.postMessage({ number, case: wanted, step } satisfies Asked);
  });
}

/** Shows that case at that step, or at its end, and keeps it in the address. */
async function go(wanted: Case, step: number): Promise<View | undefined> {
  const answered = await ask(wanted, step);
  if (answered.number !== asked) return view;
  if ("fault" in answered) {
    stop();
    say(answered.fault);
    return undefined;
  }
  view = answered.view;
  current = { case: wanted, step: view.step };
  history.replaceState(null, "", `#${addressOf(wanted, view.step)}`);
  show(view, act);
  controls(view);
  return view;
}

/** What the reader does at this step; what was done at later steps of the case is left out. */
function act(kind: Action["kind"], what: string): void {
  const after = view?.step ?? 0;
  const actions = [...current.case.actions.filter((one) => one.after <= after), { after, kind, what }];
  void go({ ...current.case, actions }, after);
}

const next = () => go(current.case, current.step + 1);

/** Goes on until the clock has moved: everything that happens at this instant, and the first thing of the next. */
async function skip(): Promise<void> {
  const from = view?.now;
  for (;;) {
    const seen = await next();
    if (!seen || seen.isOver || seen.now !== from) return;
  }
}

function run(): void {
  if (running !== undefined) {
    stop();
    return;
  }
  running = setInterval(async () => {
    const seen = await next();
    if (!seen || seen.isOver) stop();
  }, STEP_MS);
  if (view) controls(view);
}

function stop(): void {
  clearInterval(running);
  running = undefined;
  if (view) controls(view);
}

function restart(seed: number, actions: readonly Action[]): void {
  stop();
  void go({ seed, actions }, 0);
}

/** Made once, so that the focus stays where it is. */
const seedBox = element("input", { type: "number", min: "0", max: "999999", id: "seed" });
const stepButton = button("Step", () => void next(), "first");
const runButton = button("Run", run);
const skipButton = button("Skip to the next instant", () => void skip());
const endButton = button("To the end", () => {
  stop();
  void go(current.case, MOST_STEPS);
});
const twiceButton = button("Every message twice", () => act("all-twice", ""));
seedBox.addEventListener("change", () =>
  restart(Math.max(0, Math.floor(seedBox.valueAsNumber) || 0), current.case.actions),
);

document.querySelector("#controls")?.append(
  ...[stepButton, runButton, skipButton, endButton, twiceButton],
  button("Back one step", () => void go(current.case, Math.max(0, current.step - 1))),
  button("Again from the start", () => restart(current.case.seed, current.case.actions)),
  button("Reset", () => restart(current.case.seed, [])),
  element("label", { for: "seed" }, "Seed"),
  seedBox,
);
// It scrolls: the keyboard has to reach it.
document.querySelector("#story")?.setAttribute("tabindex", "0");
document
  .querySelector("#cases")
  ?.append(...READY.map(({ title, address }) => element("a", { href: `#${address}` }, title)));

function controls({ isOver }: View): void {
  const { actions, seed } = current.case;
  const isAtEnd = isOver && !actions.some(({ after }) => after > current.step);
  for (const one of [stepButton, skipButton, endButton]) one.disabled = isAtEnd;
  runButton.disabled = isAtEnd && running === undefined;
  runButton.textContent = running === undefined ? "Run" : "Pause";
  twiceButton.disabled = actions.some(({ kind, after }) => kind === "all-twice" && after <= current.step);
  seedBox.value = String(seed);
}

function say(text: string): void {
  const now = document.querySelector("#now");
  if (now) now.textContent = text;
}

addEventListener("hashchange", () => {
  stop();
  const wanted = caseIn(location.hash);
  void go(wanted.case, wanted.step);
});
void go(current.case, current.step);
