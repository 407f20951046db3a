// What azd calls before it provisions, before it deploys and after it has deployed (azure.yaml).
import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { business } from "../shared/business.ts";
import { choiceFor } from "./agents/generated.ts";
import { waitForPackageRole } from "./azure-hooks/await-package-role.ts";
import { lockFault } from "./azure-hooks/check-locks.ts";
import { regionChoices, regionFaults } from "./azure-hooks/check-region.ts";
import { providersNeeded, registerProviders } from "./azure-hooks/register-providers.ts";
import { openResourceManager, type ResourceManager } from "./azure-hooks/resource-manager.ts";
import { smokeObstacle } from "./azure-hooks/smoke-obstacle.ts";
import { runbooksAt, unaskedChoices } from "./azure-hooks/unasked.ts";
import { azdDeployment, setAzdValue, signInOf } from "./common/azure.ts";
import { readArguments, runCommand, UsageError } from "./every-app/arguments.ts";
import { ROOT } from "./every-app/root.ts";
import { SMOKE_WORKFLOW, smokeAzure } from "./smoke/smoke-azure.ts";

const USAGE = `npm run node -- cli/azure-hook.ts preprovision|predeploy|postdeploy
  preprovision  names the services without an address, lets alerts lead to the runbooks of a repository on
                GitHub (RUNBOOKS), checks the right to make locks (LOCK_DATA), registers the
                resource providers of the template, and lists the choices that the region does not support;
                CHECK_REGION=false in azd's environment skips the last
  predeploy     waits until the role for writing the package has propagated
  postdeploy    sends an order through the workflow smoke, if the person who deploys may send orders; SMOKE_TEST=false
                in azd's environment skips it, and true always sends it`;

await runCommand(async () => {
  const { positionals } = readArguments({}, USAGE, "words");
  switch (positionals.join(" ")) {
    case "preprovision":
      return preprovision();
    case "predeploy":
      return predeploy();
    case "postdeploy":
      return postdeploy();
    default:
      throw new UsageError(USAGE);
  }
});

async function preprovision(): Promise<number> {
  const subscription = chosen("AZURE_SUBSCRIPTION_ID");
  if (!subscription) throw new Error("azd's environment has no AZURE_SUBSCRIPTION_ID: azd env set it, or run azd up.");
  const lacking = lackingAddresses();
  if (lacking.length > 0)
    throw new Error(
      `Where do these services answer? azd env set each of ${lacking.join(", ")}, as https://one.example`,
    );
  chooseRunbooks();
  for (const sentence of unaskedChoices(chosen)) console.log(sentence);
  const manager = openManager();
  const unlocked = await lockFault(manager, subscription, chosen);
  if (unlocked) throw new Error(unlocked);
  const registered = await registerProviders(manager, subscription, providersNeeded());
  console.log(
    registered.length > 0 ? `Registered: ${registered.join(", ")}` : "All resource providers are registered.",
  );
  const location = chosen("AZURE_LOCATION");
  if (!location || chosen("CHECK_REGION") === "false") return 0;
  const faults = await regionFaults(manager, subscription, regionChoices(location, chosen));
  if (faults.length === 0) return 0;
  throw new Error(
    `${location} does not have what is chosen:\n  ${faults.join("\n  ")}\nazd env set another choice; CHECK_REGION=false deploys all the same.`,
  );
}

async function predeploy(): Promise<number> {
  const assignment = chosen("PACKAGE_ROLE_ASSIGNMENT_ID");
  if (!assignment) return 0;
  const waitMs = await waitForPackageRole(openManager(), assignment, Date.now());
  if (waitMs > 0) console.log(`Waiting ${Math.ceil(waitMs / 1000)} s: the role that writes the package is new.`);
  await sleep(waitMs);
  return 0;
}

async function postdeploy(): Promise<number> {
  if (chosen("SMOKE_TEST") === "false") return 0;
  const obstacle = smokeObstacle(chosen);
  if (obstacle !== undefined) {
    console.log(obstacle);
    return 0;
  }
  return smokeAzure(azdDeployment(), SMOKE_WORKFLOW);
}

/** In azd's environment, which it reads again after a hook, and in this process, which was given the old one. */
function chooseRunbooks(): void {
  if (chosen("RUNBOOKS")) return;
  const { stdout } = spawnSync("git", ["remote", "get-url", "origin"], { cwd: ROOT, encoding: "utf8" });
  const address = runbooksAt(String(stdout).trim());
  if (!address) return;
  setAzdValue("RUNBOOKS", address);
  process.env["RUNBOOKS"] = address;
}

/** The choices of the services that the app does not start without: azd asks for no member of an object. */
function lackingAddresses(): string[] {
  if (chosen("SIMULATED_SERVICES") === "true") return [];
  return business.serviceAgents.flatMap(({ service: { setting, isOptional } }) =>
    isOptional || chosen(choiceFor(setting)) ? [] : [choiceFor(setting)],
  );
}

/** Whoever azd deploys as: the Azure CLI may be signed in as somebody else. */
function openManager(): ResourceManager {
  return openResourceManager(signInOf("azd"));
}

/** azd gives its values to hooks as their environment; whoever calls one manually has azd's environment read. */
function chosen(name: string): string | undefined {
  return process.env[name] ?? azdDeployment().values.get(name);
}
