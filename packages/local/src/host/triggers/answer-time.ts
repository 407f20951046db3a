// The time that Azure's front end gives an HTTP function to begin its answer.
import type { ServerResponse } from "node:http";
import { url as inspectorUrl } from "node:inspector";
import { HOST_LIMITS } from "../limits.ts";

/** The caller gets 504 then, and the function goes on. Not while somebody debugs the app, who may stand at a breakpoint. */
export function limitAnswerTime(response: ServerResponse): void {
  if (inspectorUrl() !== undefined) return;
  const timer = setTimeout(() => {
    if (!response.headersSent) response.writeHead(504, { connection: "close" }).end();
  }, HOST_LIMITS.answerMs.value);
  response.once("close", () => clearTimeout(timer));
}
