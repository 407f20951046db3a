// Runs suites on sources with one planted fault. The fault is in the modules as vite serves them, never in a file: a kill leaves nothing behind.
import { join } from "node:path";
import { createVitest, type TestModule, type Vitest } from "vitest/node";
import { ROOT } from "../../cli/settings.ts";
import { SOURCES } from "../../vitest.config.ts";
import { type Fault, planted, type Suite } from "./fault.ts";

/** `failed`: a test says so. `unloaded`: no test ran, for the planted source can't be loaded. `unproven`: the suite fails without a fault too. */
type Result = "failed" | "passed" | "unloaded" | "unproven";

export interface Ran {
  readonly result: Result;
  /** The first test that failed, or why nothing ran. */
  readonly by: string;
}

/** One vitest for many faults: what a fault does not touch is transformed once. */
export class Lane implements AsyncDisposable {
  readonly #vitest: Vitest;
  #fault: Fault | undefined;

  private constructor(vitest: Vitest, plant: { source: (id: string, code: string) => string }) {
    this.#vitest = vitest;
    plant.source = (id, code) =>
      this.#fault && id === join(ROOT, this.#fault.file) ? planted(this.#fault, code) : code;
  }

  static async open(): Promise<Lane> {
    const plant = { source: (_id: string, code: string) => code };
    const vitest = await createVitest(
      {
        root: ROOT,
        config: false,
        watch: false,
        include: ["{packages,shared,functions,cli,tests}/**/*.test.ts"],
        pool: "threads",
        isolate: false,
        // What is kept on disk would be served without the fault.
        fsModuleCache: false,
        maxWorkers: 1,
        bail: 1,
        testTimeout: 20_000,
        hookTimeout: 30_000,
        expect: { poll: { timeout: 10_000 } },
        reporters: [{}],
        silent: true,
      },
      {
        logLevel: "error",
        resolve: { conditions: SOURCES },
        ssr: { resolve: { conditions: SOURCES } },
        plugins: [
          {
            name: "planted-fault",
            enforce: "pre",
            transform: (code, id) => plant.source(id.split("?")[0] ?? id, code),
          },
        ],
      },
    );
    await vitest.standalone();
    return new Lane(vitest, plant);
  }

  async run({ file, only }: Suite, fault?: Fault): Promise<Ran> {
    this.#plant(fault);
    if (only === undefined) this.#vitest.resetGlobalTestNamePattern();
    else this.#vitest.setGlobalTestNamePattern(new RegExp(only.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")));
    const specification = this.#vitest.getRootProject().createSpecification(join(ROOT, file));
    const { testModules, unhandledErrors } = await this.#vitest.runTestSpecifications([specification]);
    // The state of earlier runs is among them.
    return resultOf(
      testModules.filter(({ moduleId }) => moduleId === specification.moduleId),
      unhandledErrors,
    );
  }

  #plant(fault: Fault | undefined): void {
    for (const { file } of [this.#fault, fault].flatMap((each) => each ?? []))
      this.#vitest.invalidateFile(join(ROOT, file));
    this.#fault = fault;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#vitest.close();
  }
}

function resultOf(modules: readonly TestModule[], unhandled: readonly unknown[]): Ran {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const failed = tests.find((test) => test.result().state === "failed");
  if (failed) return { result: "failed", by: failed.fullName };
  const suites = modules.flatMap((module) => [...module.children.allSuites()]);
  const broken = suites.find((suite) => suite.errors().length > 0);
  if (broken) return { result: "failed", by: broken.fullName };
  const faults = [...modules.flatMap((module) => module.errors()), ...unhandled];
  if (faults.length > 0 && tests.length > 0) return { result: "failed", by: inWords(faults[0]) };
  if (faults.length > 0) return { result: "unloaded", by: inWords(faults[0]) };
  const passed = tests.filter((test) => test.result().state === "passed").length;
  return passed > 0 ? { result: "passed", by: `${passed} tests` } : { result: "unloaded", by: "no test ran" };
}

function inWords(fault: unknown): string {
  const { message = String(fault) } = fault as { readonly message?: string };
  return message.split("\n")[0] ?? "";
}
