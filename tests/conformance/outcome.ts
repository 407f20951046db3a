// What a suite said of the local stack, test by test, and how its answers are told apart.

export type Outcome = "passed" | "refused" | "failed" | "skipped";

export interface TestOutcome {
  /** The file of the suite, or the group. */
  readonly file: string;
  readonly name: string;
  readonly outcome: Outcome;
  /** Of what did not pass: the first line that the suite wrote. */
  readonly error?: string;
}

/** One run of one suite, as it is kept and as the page shows it. */
export interface SuiteRun {
  readonly suite: string;
  /** When it was run: a date. */
  readonly on: string;
  /** Of what: packages and sources with their versions. */
  readonly versions: Readonly<Record<string, string>>;
  readonly tests: readonly TestOutcome[];
}

/** How the parts name what they do not serve. */
const REFUSAL =
  /(?:is|are) not (?:supported|served)|Only the .* is supported by this server|needs a partition key|this host has no/;
const LONGEST_ERROR = 240;

/** A test that ended with a refusal that says what is not there. */
export function outcomeOf(error: string | undefined): Pick<TestOutcome, "outcome" | "error"> {
  if (error === undefined) return { outcome: "passed" };
  const found = REFUSAL.exec(error);
  return { outcome: found ? "refused" : "failed", error: shortened(error) };
}

function shortened(error: string): string {
  // Colours of a terminal, names that a suite makes up anew at each run, and where the run was.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with an escape.
  const plain = error.replaceAll(/\u001b\[[\d;]*m/g, "").replaceAll(/\d{4,}/g, "#");
  const [first = ""] = plain.split(/\n\s*at /, 1);
  const line = first.replaceAll(/\s+/g, " ").trim();
  return line.length > LONGEST_ERROR ? `${line.slice(0, LONGEST_ERROR)}…` : line;
}

/** What a refusal names, without what a test made up for itself. */
export function refusalOf(error: string): string {
  const [what = ""] = error
    .replace(/^(?:\w*Error|Failed): "?/, "")
    .replace(/^The function is not supported by this server: (\w+)\.$/, "The function $1")
    .replace(/^.*?(?=this host has no |(?:Topics, subscriptions and|Authorization) rules are )/, "")
    .split(/(?<=supported|served| by this \w+)[:.,]|\.(?: |$)|; /, 1);
  return what
    .replace(/^Orchestrator function '\w+' failed: /, "")
    .replace(/,? (?:is|are) not supported by .*$/, "")
    .replace(/\."?$/, "");
}
