// The workflows: what may run with which rights, that nothing is deployed untested or unasked, and that actions are pinned.
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { agents, read } from "./deploy.ts";

const root = join(import.meta.dirname, "../..");

interface Step {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly name?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}
interface Job {
  readonly needs?: string | readonly string[];
  readonly if?: string;
  readonly uses?: string;
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly steps?: readonly Step[];
}
interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

/** azd pipeline config looks for this name, and otherwise adds a pipeline of its own, which deploys without tests. */
const PIPELINE = ".github/workflows/azure-dev.yml";
const files = globSync(".github/workflows/*.yml", { cwd: root });
const workflow = (file: string) => parseYaml(read(file)) as Workflow;
const deploy = workflow(PIPELINE);
const ci = workflow(".github/workflows/ci.yml");

const usesOf = ({ steps = [] }: Job) => steps.flatMap(({ uses }) => uses ?? []);
const checksOut = (job: Job) => usesOf(job).some((uses) => uses.startsWith("actions/checkout@"));
const hasIdentity = ({ permissions }: Job) => permissions?.["id-token"] === "write";
const onPullRequests = ({ if: when = "", needs }: Job) => /== 'pull_request'/.test(when) || needs === "template";

test.each(files)("%s: each action is pinned to a commit, with its version beside it", (file) => {
  const lines = read(file)
    .split("\n")
    .filter((line) => /\buses:/.test(line) && !line.includes("./.github/"));
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test.each(files)("%s: by itself a job may read the repository and nothing else", (file) => {
  expect(workflow(file).permissions).toEqual({ contents: "read" });
});

test("no job with an identity runs a pull request's code", () => {
  const jobs = Object.entries(deploy.jobs).filter(([, job]) => hasIdentity(job) && onPullRequests(job));
  expect(jobs.map(([name]) => name)).toEqual(["preview"]);
  for (const [name, job] of jobs) {
    expect(checksOut(job), name).toBe(false);
    for (const { run = "" } of job.steps ?? []) expect(run, name).not.toMatch(/\bnpm\b|\bnode\b|\bazd\b|\.\//);
  }
  expect(deploy.jobs["preview"]?.environment).toBe("preview");
});

test("what runs a pull request's code has no identity", () => {
  for (const job of [...Object.values(ci.jobs), ...["template", "choices", "build"].map((name) => deploy.jobs[name])])
    expect(job && hasIdentity(job)).toBe(false);
});

test("what is deployed has passed the tests, was built without an identity, and a reviewer has agreed", () => {
  const job = deploy.jobs["deploy"];
  expect(job?.needs).toEqual(["ci", "choices", "build"]);
  expect(job?.environment).toBe("production");
  expect(deploy.jobs["ci"]?.uses).toBe("./.github/workflows/ci.yml");
  expect(ci.on).toHaveProperty("workflow_call");
  expect(deploy.jobs["build"]?.needs).toBe("ci");
  expect(job?.steps?.some(({ run = "" }) => run.includes("--from-package .package/app.zip"))).toBe(true);
  expect(job?.steps?.some(({ run = "" }) => /npm run (package|build)|npm test/.test(run))).toBe(false);
});

test("the pipeline gets no right to the data, and deploys once more where the first try came too soon", () => {
  const job = deploy.jobs["deploy"];
  expect(job?.env?.["GRANT_DEVELOPER_ACCESS"]).toBe("false");
  const run = job?.steps?.find(({ name }) => name === "Deploy")?.run ?? "";
  expect(run.match(/azd deploy app/g)).toHaveLength(2);
});

/** What the jq of a step makes of the parameters file, with the variables of GitHub in the place of `$CHOICES`. */
function filtered(job: string, step: string, variables: Record<string, string>, ...args: string[]) {
  const { run = "" } = deploy.jobs[job]?.steps?.find(({ name }) => name === step) ?? {};
  const [, filter = ""] = /\bjq [^']*'([^']*)'/.exec(run) ?? [];
  const given = ["--argjson", "vars", JSON.stringify(variables), ...args, filter];
  return spawnSync("jq", [...given, join(root, "infra/main.parameters.json")], { encoding: "utf8" });
}
const choicesOf = (variables: Record<string, string>) => filtered("choices", "Choices", variables);
const hasJq = spawnSync("jq", ["--version"]).status === 0;

test("only choices of the parameters file, of one line each, become the environment of the job with the identity", ({
  skip,
}) => {
  skip(!hasJq, "there is no jq here");
  const names = [...read("infra/main.parameters.json").matchAll(/"\$\{(\w+)\}"/g)].map(([, name = ""]) => name);
  const strange = ["BASH_ENV", "LD_PRELOAD", "PATH", "NODE_OPTIONS", "SMOKE_TEST", "GITHUB_ENV"];
  const variables = Object.fromEntries([...names, ...strange].map((name) => [name, "1"]));
  const passed = Object.keys(JSON.parse(choicesOf({ ...variables, NETWORK: "" }).stdout));
  // What the job itself sets, whatever the variables say.
  const fixed = ["GRANT_DEVELOPER_ACCESS", "AZURE_PRINCIPAL_TYPE", "NETWORK"];
  expect(passed.sort()).toEqual(names.filter((name) => !fixed.includes(name)).sort());
  for (const value of ["a\nBASH_ENV=b", "a\r"]) {
    const { status, stderr } = choicesOf({ NETWORK: value });
    expect(status).not.toBe(0);
    expect(stderr).toContain("NETWORK has a line break");
  }
  // No other step of that job writes to its environment, or is given the variables.
  for (const { name, run = "", env = {} } of deploy.jobs["deploy"]?.steps ?? []) {
    expect(run.includes("GITHUB_ENV"), name).toBe(name === "Choices");
    expect(JSON.stringify(env)).not.toContain("toJSON(vars)");
  }
  expect(checksOut(deploy.jobs["choices"] ?? {})).toBe(true);
  expect(JSON.stringify(deploy.jobs["choices"])).not.toContain("npm");
});

test("azd's hooks run with the libraries that the pipeline installs: those of the app", () => {
  const job = deploy.jobs["deploy"];
  expect(job?.steps?.some(({ run = "" }) => run.startsWith("npm ci --omit=dev"))).toBe(true);
  const { dependencies } = JSON.parse(read("package.json")) as { dependencies: Record<string, string> };
  const used = librariesOf("cli/azure-hook.ts");
  expect(used.size).toBeGreaterThan(3);
  const core = JSON.parse(read("packages/core/package.json")) as { dependencies: Record<string, string> };
  expect(Object.keys({ ...dependencies, ...core.dependencies })).toEqual(expect.arrayContaining([...used]));
});

/** All that a file imports when it runs, and what those import in turn. */
function librariesOf(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return new Set();
  seen.add(file);
  const imports = [...read(file).matchAll(/^(?:import|export) (?!type\b)(?:[^;"]*? from )?"([^"]+)";/gm)];
  const found = imports.flatMap(([, name = ""]) => {
    if (name.startsWith("node:")) return [];
    const [, own, path] = /^@scheduler-agent-supervisor\/(\w+)\/(.+)$/.exec(name) ?? [];
    if (own) return [...librariesOf(`packages/${own}/src/${path?.replace(/^internal\//, "")}.ts`, seen)];
    if (name.startsWith(".")) return [...librariesOf(join(dirname(file), name), seen)];
    return [name.split("/", name.startsWith("@") ? 2 : 1).join("/")];
  });
  return new Set(found);
}

test("the package goes out with the list of what is in it, and both are signed", () => {
  const kept = deploy.jobs["build"]?.steps?.flatMap(({ with: { path } = {} }) => (path ? [path] : []));
  expect(kept?.join("\n").trim().split("\n")).toEqual([".package/app.zip", ".package/app.sbom.json"]);
  const actions = usesOf(deploy.jobs["attest"] ?? {}).map((uses) => uses.split("@")[0]);
  expect(actions).toEqual(expect.arrayContaining(["actions/attest-build-provenance", "actions/attest-sbom"]));
});

test("libraries, modules and extensions are named by exact versions", () => {
  for (const file of ["package.json", ...globSync("packages/*/package.json", { cwd: root })]) {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read(file)) as Record<
      string,
      Record<string, string>
    >;
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }))
      expect(version, `${file}: ${name}`).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$|^file:instead\//);
  }
  const { packages } = JSON.parse(read("package-lock.json")) as {
    packages: Record<string, { readonly integrity?: string; readonly link?: boolean }>;
  };
  for (const [place, { integrity, link }] of Object.entries(packages))
    if (place.includes("node_modules/") && !link) expect(integrity, place).toMatch(/^sha(512|1)-/);
  // Of a registry's modules and extensions the tag is part of the name; the others are files of this repository.
  const { extensions } = JSON.parse(read("bicepconfig.json")) as { extensions: Record<string, string> };
  for (const name of Object.values(extensions)) expect(name).toMatch(/:\d+\.\d+\.\d+$/);
  for (const file of globSync("infra/**/*.bicep", { cwd: root }))
    for (const [, name = ""] of read(file).matchAll(/^module \w+ '([^']+)'/gm))
      expect(name, file).toMatch(/^[\w./-]+\.bicep$|^br[:/].*:\d+\.\d+\.\d+$/);
  for (const file of files)
    for (const [command] of read(file).matchAll(/az bicep install.*/g))
      expect(command).toMatch(/--version v\d+\.\d+\.\d+/);
});

/** Actions that install a tool of the version that they are given, and otherwise the newest. */
const INSTALLS: { readonly [action: string]: string } = {
  "actions/setup-node": "node-version",
  "Azure/setup-azd": "version",
};

/** Commands that bring a program onto the machine. */
const INSTALLERS =
  /^.*(?:Install-(?:Module|PSResource|Script|Package)|Invoke-(?:WebRequest|RestMethod)|\biwr\b|\birm\b|az bicep (?:install|upgrade)|az extension add|az upgrade|azd extension install|npm (?:i|install|add)\b.*(?: -g| --global)|npx |npm exec|(?:yarn|pnpm) dlx|pipx? install|uv(?:x| tool)|dotnet tool (?:install|update)|go install|cargo install|gh extension install|(?:apt|apt-get|brew|choco|winget|snap) (?:-y )?install|docker (?:run|pull)|curl|wget).*$/gm;

const VERSION_NAMED =
  /-RequiredVersion \d+\.\d+\.\d+|--version v?\d+\.\d+\.\d+|[@=]=?v?\d+\.\d+\.\d+|@sha256:[0-9a-f]{64}/;

/** What a step installs without saying which version. */
function unpinnedIn({ uses = "", with: inputs = {}, run = "" }: Step, before: string): string[] {
  const [action = ""] = uses.split("@");
  const input = /\/setup-/.test(action) ? INSTALLS[action] : undefined;
  const given = input === undefined ? "" : String(inputs[input] ?? "");
  const modules = String(inputs["modules"] ?? "")
    .split(",")
    .filter(Boolean);
  return [
    ...(/\/setup-/.test(action) && !/^\d+(\.\d+\.\d+)?$/.test(given) ? [`${action} ${given}`] : []),
    ...modules.filter((name) => !new RegExp(`Install-Module ${name.trim()} -RequiredVersion \\d`).test(before)),
    ...[...run.matchAll(INSTALLERS)].flatMap(([line]) => (VERSION_NAMED.test(line) ? [] : [line.trim()])),
    ...(/^docker:/.test(uses) && !/@sha256:[0-9a-f]{64}$/.test(uses) ? [uses] : []),
  ];
}

function unpinned({ steps = [] }: Job): string[] {
  return steps.flatMap((step, at) =>
    unpinnedIn(
      step,
      steps
        .slice(0, at)
        .flatMap(({ run = "" }) => run)
        .join("\n"),
    ),
  );
}

test.each(files)("%s: each tool that a job installs is of a version that is named", (file) => {
  for (const [name, job] of Object.entries(workflow(file).jobs)) expect(unpinned(job), name).toEqual([]);
});

test("planted: a tool without a version is found", () => {
  const found = (step: Step) => unpinned({ steps: [step] });
  expect(found({ uses: "Azure/setup-azd@0b7e3a3" })).toHaveLength(1);
  expect(found({ uses: "Azure/setup-azd@0b7e3a3", with: { version: "latest" } })).toHaveLength(1);
  expect(found({ uses: "other/setup-thing@0b7e3a3", with: { version: "1.2.3" } })).toHaveLength(1);
  expect(found({ uses: "microsoft/ps-rule@46451b8", with: { modules: "PSRule.Rules.Azure" } })).toHaveLength(1);
  expect(found({ run: "Install-Module PSRule.Rules.Azure -Force" })).toHaveLength(1);
  for (const run of [
    "curl -fsSL https://example.com/install.sh | bash",
    "irm https://example.com/install.ps1 | iex",
    "npm install --global azd",
    "npx some-tool check",
    "pip install checkov",
    "pipx install checkov",
    "dotnet tool install -g some-tool",
    "az extension add --name some",
    "gh extension install some/one",
    "sudo apt-get -y install jq",
    "docker run some/image:latest",
  ])
    expect(found({ run }), run).toHaveLength(1);
  expect(found({ uses: "docker://some/image:1" })).toHaveLength(1);
  for (const run of ["npx some-tool@1.2.3", "pip install checkov==1.2.3", "npm install -g azd@1.2.3", "npm ci"])
    expect(found({ run }), run).toEqual([]);
});

test("the rules of Azure are checked with the version that is installed", () => {
  const [, version] =
    /Install-Module PSRule\.Rules\.Azure -RequiredVersion (\S+)/.exec(read(".github/workflows/ci.yml")) ?? [];
  const { requires } = parseYaml(read("infra/checks/ps-rule.yaml")) as { requires: Record<string, string> };
  expect(requires).toEqual({ "PSRule.Rules.Azure": `=${version}` });
});

test("the long suites run every night, and no deployment waits for them", () => {
  expect(ci.on["schedule"]).toHaveLength(1);
  // The event of a called workflow is its caller's.
  expect(ci.jobs["long"]?.if).toBe("github.event_name == 'schedule' || inputs.long");
  const long = (event: string) =>
    (ci.on[event] as { inputs?: { long?: { default?: boolean } } })?.inputs?.long?.default;
  expect([long("workflow_dispatch"), long("workflow_call")]).toEqual([true, false]);
  expect(deploy.jobs["ci"]).not.toHaveProperty("with");
  expect(ci.jobs["long"]?.steps?.map(({ run }) => run)).toContain("npm test -- long");
});

test("the preview gives the template what azd would: chosen values, each as its type", ({ skip }) => {
  skip(!hasJq, "there is no jq here");
  const fixed = /FIXED: '([^']*)'/.exec(read(PIPELINE))?.[1] ?? "";
  const { GRANT_DEVELOPER_ACCESS, AZURE_PRINCIPAL_TYPE } = deploy.jobs["deploy"]?.env ?? {};
  expect(JSON.parse(fixed)).toEqual({ GRANT_DEVELOPER_ACCESS, AZURE_PRINCIPAL_TYPE });
  const types = [...read("infra/main.bicep").matchAll(/^param (\w+) (\S+)/gm)].map(([, name = "", type = ""]) => {
    return [name, { type: type.endsWith("[]") ? "array" : type }] as const;
  });
  const template = JSON.stringify([{ parameters: Object.fromEntries(types) }]);
  const choices = {
    ...{ AZURE_ENV_NAME: "shop", ZONE_REDUNDANT: "true", MAXIMUM_INSTANCE_COUNT: "5", NODE_VERSION: "24" },
    ...{ COSMOS_SECONDARY_LOCATIONS: '["westus3"]', SETTING_OVERRIDES: '{"StartWithin":"PT1M"}', ALERT_EMAIL: "" },
    CAR_ENDPOINTS: "https://car.example",
  };
  const runbooks = "https://one.example/runbooks.md";
  const args = ["--argjson", "template", template, "--arg", "runbooks", runbooks, "--argjson", "fixed", fixed];
  const { stdout, stderr } = filtered("template", "Parameters", choices, ...args);
  expect(stderr).toBe("");
  const { parameters } = JSON.parse(stdout) as { parameters: Record<string, { value: unknown }> };
  expect(Object.fromEntries(Object.entries(parameters).map(([name, { value }]) => [name, value]))).toEqual({
    ...{ environmentName: "shop", principalType: "ServicePrincipal", grantDeveloperAccess: false },
    agentEndpoints: { ...Object.fromEntries(agents.map(({ name }) => [name, ""])), car: "https://car.example" },
    ...{ zoneRedundant: true, maximumInstanceCount: 5, nodeVersion: "24", runbooks },
    ...{ cosmosSecondaryLocations: ["westus3"], settingOverrides: { StartWithin: "PT1M" } },
  });
});
