// Takes out of what was observed all that differs from run to run: ids, times, addresses, keys, places in sources.

/** Of the host that was asked. */
export interface ObservedHost {
  readonly url: string;
  /** Opens the durable webhooks. */
  readonly code: string;
}

const PATTERNS: readonly (readonly [what: RegExp, name: string])[] = [
  [/00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-/g, "<the caller's trace and span>-"],
  [/00-0af7651916cd43dd8448eb211c80319c-[\da-f]{16}-/g, "<the caller's trace, a span>-"],
  [/00-[\da-f]{32}-[\da-f]{16}-/g, "<a trace and a span>-"],
  [/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, "<id>"],
  [/(?<![\da-f])[\da-f]{32}(?![\da-f])/g, "<id>"],
  [/(?!0001|9999)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+/g, "<time.f>"],
  [/(?!0001|9999)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/g, "<time>"],
  [/taskHub=\w+/g, "taskHub=<hub>"],
  [/,"StackTrace":" {3}at [^"]*"/g, ""],
  [/StackTrace: {4}at [\s\S]*$/g, "StackTrace: <.NET's stack>"],
  [/^ {3}at [\s\S]*$/g, "<.NET's stack>"],
  [/(?:\s*\n\s*at [^\n]*)+/g, " <stack>"],
];

/** In the history of a sub-orchestration that has not ended: the trace that the real host would record, were it asked to. */
const CLIENT_SPAN = "ClientSpanId";

/** How a .NET exception begins and ends in the texts of failures. */
const EXCEPTION = '{"$type":"System.Exception';
const EXCEPTIONS_END = '"WatsonBuckets":null}';

export function normalised(value: unknown, host: ObservedHost): unknown {
  if (typeof value === "string") return normalisedText(value, host);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => normalised(each, host));
  const members = Object.entries(value).filter(([name]) => name !== CLIENT_SPAN);
  return Object.fromEntries(members.map(([name, each]) => [name, normalised(each, host)]));
}

function normalisedText(text: string, host: ObservedHost): string {
  const start = text.indexOf(EXCEPTION);
  if (start >= 0) {
    const last = text.indexOf(EXCEPTIONS_END, start);
    const end = last < 0 ? text.length : last + EXCEPTIONS_END.length;
    const exception = normalised(JSON.parse(text.slice(start, end)), host);
    return `${normalisedText(text.slice(0, start), host)}${JSON.stringify(exception)}${normalisedText(text.slice(end), host)}`;
  }
  const { url, code } = host;
  let left = text.replaceAll(url, "<host>").replaceAll(encodeURIComponent(code), "<code>").replaceAll(code, "<code>");
  for (const [what, name] of PATTERNS) left = left.replaceAll(what, name);
  return left;
}
