// The cases that the page offers as links.

export interface ReadyCase {
  readonly title: string;
  readonly address: string;
}

export const READY: readonly ReadyCase[] = [
  { title: "Kill the scheduler in mid-order", address: "seed=1&do=5.kill.scheduler&step=5" },
  { title: "Payment is down for a minute", address: "seed=1&do=5.down.payment~45.up.payment&step=5" },
  { title: "Every message comes twice", address: "seed=1&do=0.all-twice&step=0" },
];
