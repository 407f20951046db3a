// A person reads what the app calls a job, and the app says what that is: the library's sentences have its noun as a value, or do without one.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../cli/settings.ts";

/** Sentences that no operator reads: those of the API's description, of telemetry, and for who builds the app. */
const NOT_FOR_OPERATORS: readonly (readonly [file: RegExp, why: string])[] = [
  [/^packages\/operator\/src\/openapi\//, "it describes the API, whose member is the job"],
  [/^packages\/operator\/src\/operations\/measure-gauges\.ts$/, "the names of counts in telemetry"],
  [/^packages\/core\/src\/telemetry\//, "telemetry"],
  [/^packages\/core\/src\/store\/cosmos-(documents|job-store)\.ts$/, "the names of reads and writes in telemetry"],
  [/^packages\/core\/src\/store\/workflow-register\.ts$/, "a query"],
  [/^packages\/core\/src\/scheduler\/admission\/admission\.ts$/, "a warning in telemetry"],
  [/^packages\/core\/src\/app\/check-workflows\.ts$/, "the app doesn't start"],
  [/^packages\/core\/src\/domain\/workflows\/workflow-faults\.ts$/, "a workflow can't be loaded"],
  [/^packages\/core\/src\/domain\/record\/deadline\.ts$/, "a workflow can't be loaded"],
  [/^packages\/core\/src\/submission\/owned-queue\.ts$/, "a setting's fault"],
];

const QUOTED = /"(?:[^"\\]|\\.)*"|`[^`]*`/g;
/** A path of the request's members, and the names in the values that are put in. */
const MEMBERS = /^job: |\$\{[^}]*\}/g;

/** Each sentence in a source that says job, with its line. A bug's own message is for who reads the stack. */
function sentencesIn(file: string, source: string): string[] {
  return source.split("\n").flatMap((line, at) => {
    if (/^\s*(\/\/|\/?\*|import |\} from )|throw new (Error|JobNotRecorded)\(/.test(line)) return [];
    return (line.match(QUOTED) ?? []).flatMap((quoted) => {
      const text = quoted.slice(1, -1).replaceAll(MEMBERS, "");
      return /\bjobs?\b(?![\w/-]|\.[A-Z])/i.test(text) && /\w \w/.test(text) && !/\bc\.\w|^(GET|POST) /.test(text)
        ? [`${file}:${at + 1}: ${text}`]
        : [];
    });
  });
}

const isForOperators = (file: string) => !NOT_FOR_OPERATORS.some(([pattern]) => pattern.test(file));

test("no sentence of the API that people read says job", () => {
  const files = globSync("packages/{core,operator}/src/**/*.ts", { cwd: ROOT }).filter(
    (file) => !file.endsWith(".test.ts"),
  );
  expect(files.length).toBeGreaterThan(200);
  const found = files.flatMap((file) => sentencesIn(file, readFileSync(join(ROOT, file), "utf8")));
  expect(found.filter((one) => isForOperators(one.split(":")[0] ?? ""))).toEqual([]);
  // An exemption that nothing needs would hide the next one.
  for (const [pattern, why] of NOT_FOR_OPERATORS)
    expect([why, found.some((one) => pattern.test(one.split(":")[0] ?? ""))]).toEqual([why, true]);
});

test("planted: a sentence is found, and a member of a request or a value is not", () => {
  const reason = "$" + "{kind} is for a job that is closed";
  expect(sentencesIn("a.ts", `  return rejected(\`${reason}\`);`)).toHaveLength(1);
  expect(sentencesIn("a.ts", 'const why = "The job has changed.";')).toHaveLength(1);
  expect(sentencesIn("a.ts", '  faults.push("job: lines: has to keep its items");')).toEqual([]);
  expect(sentencesIn("a.ts", `  // "a job is closed"`)).toEqual([]);
});
