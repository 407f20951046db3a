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
