// A documented limit of an Azure service: what docs/reference/limits.md shows, and where the code that holds to it takes its number.

export interface Limit {
  /** What is limited: also the name of its test. */
  readonly what: string;
  readonly value: number;
  readonly unit: "bytes" | "characters" | "ms" | "s" | "";
  /** A value below is refused, not one above. */
  readonly isLeast?: true;
  /** What this stack does with what is beyond it. */
  readonly answer: string;
  /** The page that documents it, and its section. */
  readonly source: string;
}

/** A documented limit of which this stack takes more, or less: listed, so that nobody takes it for kept. */
export interface OtherLimit {
  /** What is limited: also the name of its test. */
  readonly what: string;
  /** In the words of the page. */
  readonly limit: string;
  /** What happens here. */
  readonly instead: string;
  readonly source: string;
}

/** What Azure rejects whatever its size, and this stack as well. */
export interface Rejection {
  /** What is rejected: also the name of its test. */
  readonly what: string;
  /** What this stack answers. */
  readonly answer: string;
  /** The page or the file that says so of Azure. */
  readonly source: string;
}

export function limit(what: string, value: number, unit: Limit["unit"], answer: string, source: string): Limit {
  return { what, value, unit, answer, source };
}

export function rejection(what: string, answer: string, source: string): Rejection {
  return { what, answer, source };
}

export function otherLimit(what: string, limit: string, instead: string, source: string): OtherLimit {
  return { what, limit, instead, source };
}

/** Why so many are too many; undefined where there is room. */
export function quotaFault({ what, value }: Limit, wanted: number): string | undefined {
  return wanted > value ? `${what}: ${value} at most. The quota is exceeded.` : undefined;
}
