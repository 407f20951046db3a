// A case of the simulator: a seed, and what the reader did after which step. It is the page's address, and says all that happens.

export const DELAY_MS = 60_000;

/** What a reader does. `what`: a process, a service, or the number of a message. */
export interface Action {
  /** After how many steps. */
  readonly after: number;
  readonly kind: (typeof KINDS)[number];
  readonly what: string;
}

const KINDS = ["kill", "down", "up", "delay", "twice", "all-twice"] as const;

export interface Case {
  readonly seed: number;
  readonly actions: readonly Action[];
}

const MOST_ACTIONS = 200;
const LONGEST_SEED = 999_999;

/** As it stands behind the # of the address: `seed=1&do=7.kill.scheduler~9.delay.12&step=20`. */
export function addressOf({ seed, actions }: Case, step: number): string {
  const done = actions.map(({ after, kind, what }) => `${after}.${kind}${what && `.${what}`}`).join("~");
  return `seed=${seed}${done && `&do=${done}`}&step=${step}`;
}

/** What is not understood is left out: an address may be cut off on its way. */
export function caseIn(address: string): { readonly case: Case; readonly step: number } {
  const values = new URLSearchParams(address.replace(/^#/, ""));
  const actions = (values.get("do") ?? "").split("~").flatMap((text): Action[] => {
    const [, after, name, what = ""] = /^(\d{1,5})\.([a-z-]+)(?:\.([\w-]+))?$/.exec(text) ?? [];
    const kind = KINDS.find((one) => one === name);
    return kind === undefined ? [] : [{ after: Number(after), kind, what }];
  });
  actions.sort((one, other) => one.after - other.after);
  return {
    case: { seed: numberIn(values.get("seed"), LONGEST_SEED, 1), actions: actions.slice(0, MOST_ACTIONS) },
    step: numberIn(values.get("step"), MOST_STEPS, 0),
  };
}

/** An order whose services are away ends in fewer. */
export const MOST_STEPS = 2000;

function numberIn(text: string | null, most: number, otherwise: number): number {
  return text !== null && /^\d+$/.test(text) ? Math.min(Number(text), most) : otherwise;
}
