// The outputs of an app's functions, and the connections that triggers share with them.

import { isSameName } from "../app/by-name.ts";
import type { Invocation, InvocationResult, RegisteredFunction } from "../contract.ts";
import { isSentOutput } from "../invocation.ts";
import { resolveExpressions } from "./binding-expressions.ts";
import { CosmosClients } from "./cosmos-clients.ts";
import { writeOutput } from "./outputs.ts";
import { ServiceBusClients } from "./service-bus-clients.ts";

export class AppBindings {
  readonly serviceBus: ServiceBusClients;
  readonly #cosmos = new CosmosClients();
  /** With their settings filled in. */
  functions: readonly RegisteredFunction[] = [];

  constructor(say: ConstructorParameters<typeof ServiceBusClients>[0]) {
    this.serviceBus = new ServiceBusClients(say);
  }

  async write(functionName: string, result: InvocationResult, invocation: Invocation): Promise<void> {
    const { returnValue, outputs } = result;
    const { bindings = {} } = this.functions.find(({ name }) => isSameName(name, functionName)) ?? {};
    const clients = { serviceBus: this.serviceBus, cosmos: this.#cosmos };
    const written = Object.entries(bindings).map(async ([place, binding]) => {
      const data = place === "$return" ? returnValue : outputs[place];
      if (!data || !isSentOutput(binding.type, binding.direction)) return;
      await writeOutput(resolveExpressions(binding, invocation), data, clients);
    });
    await Promise.all(written);
  }

  async close(): Promise<void> {
    await this.serviceBus.close();
    this.#cosmos.close();
  }
}
