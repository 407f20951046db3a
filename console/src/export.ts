// A search as a file: all its pages up to a bound, as CSV or as JSON lines.
import type { OrderPage, OrderSummary } from "./api/contract.ts";

/** So many orders at most: what is more is no search, and the file would be too large for a browser. */
export const EXPORT_LIMIT = 10_000;
/** The most that the API gives at once. */
const PAGE = 200;

interface Exported {
  readonly orders: readonly OrderSummary[];
  /** False where there are more than the limit. */
  readonly isAll: boolean;
}

/**
 * @param read one page; throws where it can't be had, and when the operator stops the export
 * @param progress called with the orders read so far
 */
export async function readAllPages(
  read: (limit: number, continuation: string | undefined) => Promise<OrderPage>,
  progress: (count: number) => void,
): Promise<Exported> {
  const orders: OrderSummary[] = [];
  let continuation: string | undefined;
  do {
    const page = await read(Math.min(PAGE, EXPORT_LIMIT - orders.length), continuation);
    orders.push(...page.orders);
    continuation = page.continuation;
    progress(orders.length);
  } while (continuation !== undefined && orders.length < EXPORT_LIMIT);
  return { orders, isAll: continuation === undefined };
}

const COLUMNS: readonly (readonly [string, (order: OrderSummary) => string | number | null | undefined])[] = [
  ["orderId", ({ orderId }) => orderId],
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
const BYTE_ORDER_MARK = "\uFEFF";

/** By RFC 4180. */
export function csvOf(orders: readonly OrderSummary[]): string {
  const rows = orders.map((order) => COLUMNS.map(([, read]) => cellOf(read(order))));
  return BYTE_ORDER_MARK + [COLUMNS.map(([name]) => name), ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}

/** A spreadsheet takes a text that begins so for a formula, and would run what a service has written ("CSV Injection", OWASP). */
const FORMULA = /^[=+\-@\t\r\n]/;

function cellOf(value: string | number | null | undefined): string {
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(value ?? "") ? `'${value}` : (value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function jsonLinesOf(orders: readonly OrderSummary[]): string {
  return orders.map((order) => `${JSON.stringify(order)}\n`).join("");
}
