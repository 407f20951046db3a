// Serves the operators' console, and the simulator below it: static files without any data. The API returns data only to authorised callers.
import type { HttpRequest, HttpResponseInit } from "@azure/functions";
import { isWantedVersion } from "@scheduler-agent-supervisor/core/store";
import { parseIfMatch } from "../messaging/entity-tag.ts";
import { type ConsoleFile, consoleFile, encodedContent } from "./console-files.ts";

const INDEX = "index.html";
/** A page of its own, which needs nothing of the app. */
const SIMULATOR = "simulator";
/** The first part of each view's address; the page reads the rest. */
const VIEWS: ReadonlySet<string> = new Set([
  "",
  "overview",
  "jobs",
  "search",
  "supervision",
  "dead-letters",
  "discarded",
  "awaiting",
  "bulk",
  "agents",
]);

/**
 * Fluent UI adds its styles by rules to style elements that are empty when they are inserted. The hash is that of the empty text, so no inline
 * style with any content is allowed (docs/explanation/adr/0013).
 */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='; " +
  "img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const SECURITY = {
  "Content-Security-Policy": POLICY,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
};

/** The HTTP function of the operators' console: returns a file of it or of the simulator, or the page for one of its views. They contain no data. */
export async function serveConsole(request: HttpRequest): Promise<HttpResponseInit> {
  const path = request.params["path"] ?? "";
  const asset = path.endsWith(INDEX) ? undefined : consoleFile(path);
  if (asset) return answer(request, path, asset, "public, max-age=31536000, immutable");
  const [view = "", ...rest] = path.split("/");
  const simulator = view === SIMULATOR && rest.join("") === "" ? consoleFile(`${SIMULATOR}/${INDEX}`) : undefined;
  if (simulator) return answer(request, `${SIMULATOR}/${INDEX}`, simulator, "no-cache");
  const index = VIEWS.has(view) ? consoleFile(INDEX) : undefined;
  if (index) return answer(request, INDEX, index, "no-cache");
  const page = isPage(path) ? consoleFile(INDEX) : undefined;
  // The page itself says that there is no such view, with the way to the others.
  if (page) {
    const { status = 404, ...found } = answer(request, INDEX, page, "no-cache");
    return { ...found, status };
  }
  return {
    status: 404,
    headers: { ...SECURITY, "Content-Type": "text/plain; charset=utf-8" },
    body: "There is no such page.\n",
  };
}

/** Not a file: whoever asks for one can do nothing with a page. */
const isPage = (path: string): boolean => !path.includes(".") && !path.startsWith("assets");

function answer(request: HttpRequest, path: string, file: ConsoleFile, cacheControl: string): HttpResponseInit {
  const headers = { ...SECURITY, "Cache-Control": cacheControl, ETag: file.etag, Vary: "Accept-Encoding" };
  const known = parseIfMatch(request.headers.get("if-none-match") ?? '""');
  if (known.kind === "valid" && isWantedVersion(file.etag, known.value)) return { status: 304, headers };
  const { encoding, body } = encodedContent(path, file, request.headers.get("accept-encoding") ?? "");
  return {
    headers: { ...headers, "Content-Type": file.type, ...(encoding && { "Content-Encoding": encoding }) },
    body,
  };
}
