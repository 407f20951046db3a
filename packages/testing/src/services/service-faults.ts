// The faults of a world's services, in the words that the local stack's simulated services take over HTTP: one vocabulary for worlds, the stack, kills and chaos.

/** A fault that is switched on at a service: docs/reference/commands.md lists the kinds. Without limits it applies to each call until it is switched off. */
export interface ServiceFault {
  /** `double`: of a worker, which replies twice. */
  readonly kind: "down" | "slow" | "hang" | "reject" | "loseReply" | "gateway" | "late" | "accept" | "double";
  /** An agent's operation; in a world alone, where it is known. */
  readonly operation?: string;
  // `/reservations`, `/reservations/*/release`, or the name of the queue that a worker takes from.
  readonly path?: string;
  /** Members of the request's body that have these values. */
  readonly match?: { readonly [member: string]: string | number | boolean | null };
  /** For how many calls. */
  readonly calls?: number;
  /** For how long, in milliseconds. */
  readonly forMs?: number;
  /** Of `slow` and `late`: milliseconds. */
  readonly delayMs?: number;
  /** Of `down`, `reject` and `gateway`: the answer. */
  readonly status?: number;
  readonly code?: string;
  readonly message?: string;
  readonly retryAfterS?: number;
}

/** A call that a fault may befall. */
export interface FaultTarget {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

interface Active {
  readonly fault: ServiceFault;
  callsLeft: number;
  /** Milliseconds since 1970. */
  readonly until: number;
}

export class ServiceFaults {
  readonly #now: () => number;
  #active: readonly Active[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  /** @returns how to switch it off */
  add(fault: ServiceFault): () => void {
    const { kind, delayMs, forMs = Number.POSITIVE_INFINITY, calls = Number.POSITIVE_INFINITY } = fault;
    if ((kind === "slow" || kind === "late") && delayMs === undefined) throw new Error(`${kind} needs delayMs`);
    const active = { fault, callsLeft: calls, until: this.#now() + forMs };
    this.#active = [...this.#active, active];
    return () => {
      this.#active = this.#active.filter((other) => other !== active);
    };
  }

  /** Switches off those of an operation, or all. */
  remove(operation?: string): void {
    this.#active = this.#active.filter(({ fault }) => operation !== undefined && fault.operation !== operation);
  }

  /** The oldest of that kind that fits; it has spent one of its calls. A query is befallen by `down` alone, and by what names its operation. */
  take(kind: ServiceFault["kind"], target: FaultTarget): ServiceFault | undefined {
    const isQuery = target.method === "GET" && kind !== "down";
    return this.#spend(
      ({ fault }) => fault.kind === kind && fits(fault, target) && (!isQuery || fault.operation !== undefined),
    );
  }

  /** The same at the queue of that name; `double` is so in any case. */
  takeAt(queue: string, kind: ServiceFault["kind"], body: unknown): ServiceFault | undefined {
    return this.#spend(
      ({ fault }) =>
        fault.kind === kind &&
        (fault.path === queue || (kind === "double" && fault.path === undefined)) &&
        matches(fault, body),
    );
  }

  /** Until when nothing is taken from that queue: milliseconds since 1970, infinite while nobody says. */
  downAtUntil(queue: string): number | undefined {
    const found = this.#current().filter(({ fault }) => fault.kind === "down" && fault.path === queue);
    return found.length === 0 ? undefined : Math.max(...found.map(({ until }) => until));
  }

  #spend(holds: (active: Active) => boolean): ServiceFault | undefined {
    const found = this.#current().find(holds);
    if (found) found.callsLeft -= 1;
    return found?.fault;
  }

  #current(): readonly Active[] {
    this.#active = this.#active.filter(({ callsLeft, until }) => callsLeft > 0 && until > this.#now());
    return this.#active;
  }
}

function fits(fault: ServiceFault, { operation, method, path, body }: FaultTarget): boolean {
  if (fault.operation !== undefined && fault.operation !== operation) return false;
  return (fault.path === undefined || isAt(fault.path, method, path)) && matches(fault, body);
}

function matches({ match = {} }: ServiceFault, body: unknown): boolean {
  const members = (body ?? {}) as { readonly [member: string]: unknown };
  return Object.entries(match).every(([member, value]) => members[member] === value);
}

/** A query belongs to the path of what it asks for. */
function isAt(pattern: string, method: string, path: string): boolean {
  const { pathname } = new URL(path, "http://service.test");
  if (method === "GET") return pathname === pattern || pathname.startsWith(`${pattern}/`);
  const [own, asked] = [pattern.split("/"), pathname.split("/")];
  return own.length === asked.length && own.every((part, at) => part === "*" || part === asked[at]);
}
