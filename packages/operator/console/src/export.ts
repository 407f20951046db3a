// A search as a file: all its pages up to a bound, as CSV.
import type { JobPage, JobSummary } from "./api/contract.ts";

/** So many jobs at most: what is more is no search, and the file would be too large for a browser. */
export const EXPORT_LIMIT = 10_000;
/** The most that the API gives at once. */
const PAGE = 200;

interface Exported {
  readonly jobs: readonly JobSummary[];
  /** False where there are more than the limit. */
  readonly isAll: boolean;
}

/**
 * @param read one page; throws where it can't be had, and when the operator stops the export
 * @param progress called with the jobs read so far
 */
export async function readAllPages(
  read: (limit: number, continuation: string | undefined) => Promise<JobPage>,
  progress: (count: number) => void,
): Promise<Exported> {
  const jobs: JobSummary[] = [];
  let continuation: string | undefined;
  do {
    const page = await read(Math.min(PAGE, EXPORT_LIMIT - jobs.length), continuation);
    jobs.push(...page.jobs);
    continuation = page.continuation;
    progress(jobs.length);
  } while (continuation !== undefined && jobs.length < EXPORT_LIMIT);
  return { jobs, isAll: continuation === undefined };
}

const COLUMNS: readonly (readonly [string, (job: JobSummary) => string | number | null | undefined])[] = [
  ["jobId", ({ jobId }) => jobId],
  ["workflow", ({ workflow }) => workflow.name],
  ["workflowVersion", ({ workflow }) => workflow.version],
  ["state", ({ processState }) => processState],
  ["direction", ({ direction }) => direction],
  ["attempt", ({ attempt }) => attempt],
  ["failureCount", ({ failureCount }) => failureCount],
  ["priority", ({ priority }) => priority],
  ["createdAt", ({ createdAt }) => createdAt],
  ["updatedAt", ({ updatedAt }) => updatedAt],
  ["errorKind", ({ error }) => error?.kind],
  ["errorStep", ({ error }) => error?.step],
  ["errorAgent", ({ error }) => error?.agent],
  ["errorAt", ({ error }) => error?.at],
  ["errorMessage", ({ error }) => error?.message],
];

/** Without it Excel takes the file for one in the system's own code page. */
const BYTE_JOB_MARK = "\uFEFF";

/** By RFC 4180. */
export function csvOf(jobs: readonly JobSummary[]): string {
  const rows = jobs.map((job) => COLUMNS.map(([, read]) => cellOf(read(job))));
  return BYTE_JOB_MARK + [COLUMNS.map(([name]) => name), ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}

/**
 * A spreadsheet takes a text that begins so for a formula, and would run what a service has written ("CSV Injection", OWASP). It takes a full-width
 * or small sign for the usual one, and overlooks what cannot be seen before it. Where the list separator is a semicolon or a tab, a cell begins after each.
 */
const FORMULA_WITHIN = /(?:[;\r\n]|(?<!^)\t)(?=[\s\p{Z}\p{C}]*[=+\-@＝＋－＠﹦﹢﹣﹫−])/gu;
const FORMULA = /^(?=[\t\r\n]|[\s\p{Z}\p{C}]*[=+\-@＝＋－＠﹦﹢﹣﹫−])/u;

function cellOf(value: string | number | null | undefined): string {
  if (typeof value === "number") return String(value);
  const text = (value ?? "").replace(FORMULA_WITHIN, "$&'").replace(FORMULA, "'");
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
