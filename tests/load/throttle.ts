// A busy machine: of each tenth of a second a host runs for its part only.
import { setTimeout as sleep } from "node:timers/promises";

const SLICE_MS = 100;

/** @param signal reaches the host's processes. @param percent the part of their time that they get; disposed of, they get all of it again */
export function throttle(
  signal: (name: "SIGSTOP" | "SIGCONT") => Promise<void> | void,
  percent: number,
): AsyncDisposable {
  let isOver = false;
  const slices = async () => {
    while (!isOver) {
      await signal("SIGSTOP");
      await sleep(SLICE_MS * (1 - percent / 100));
      await signal("SIGCONT");
      await sleep((SLICE_MS * percent) / 100);
    }
  };
  const running = slices();
  return {
    [Symbol.asyncDispose]() {
      isOver = true;
      return running;
    },
  };
}
