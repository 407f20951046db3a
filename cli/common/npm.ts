// npm without a shell: on Windows its command is a script, which only a shell runs.
import { spawnSync } from "node:child_process";

/** The file of the npm that started this command. */
export function npmFile(): string {
  const file = process.env["npm_execpath"];
  if (!file) throw new Error("Start this by npm: npm run …");
  return file;
}

const ASKED = ["view", "zod", "version", "--prefer-online", "--fetch-retries=0", "--fetch-timeout=15000"];
const NO_NETWORK = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|SOCKET_TIMEOUT/;

/** Asked once and for seconds: npm itself tries for minutes, library after library, before it says that there is no network. */
export function hasRegistry(): boolean {
  const { status, stderr } = spawnSync(process.execPath, [npmFile(), ...ASKED], { encoding: "utf8" });
  const isThere = status === 0 || !NO_NETWORK.test(stderr);
  if (!isThere) console.error("npm's registry does not answer: there is no network. Looking in npm's own cache.");
  return isThere;
}
