// A map whose keys are names of functions: they are kept as they are, and found whatever the case, as in Azure.
// Source: FunctionName of the Durable extension, and the names in Microsoft's host.

export class ByName<Value> extends Map<string, Value> {
  readonly #names = new Map<string, string>();

  override get(name: string): Value | undefined {
    return super.get(this.#known(name));
  }

  override has(name: string): boolean {
    return super.has(this.#known(name));
  }

  override set(name: string, value: Value): this {
    this.#names.set(name.toLowerCase(), name);
    return super.set(name, value);
  }

  #known(name: string): string {
    return this.#names.get(name.toLowerCase()) ?? name;
  }
}

/** Whether both are the same function's. */
export const isSameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
