// Compiles once before all suites: what the stack tests start is dist/, as it is in Azure.
import { build } from "../../cli/build.ts";

export function setup(): void {
  build();
}
