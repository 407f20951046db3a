// AsyncLocalStorage for the simulator. A world does one thing at a time, up to where it waits: what is current stays so until the next thing begins.

const all = new Set<AsyncLocalStorage<unknown>>();

export class AsyncLocalStorage<Store> {
  #store: Store | undefined;

  constructor() {
    all.add(this as AsyncLocalStorage<unknown>);
  }

  static bind<Arguments extends unknown[], Result>(
    run: (...args: Arguments) => Result,
  ): (...args: Arguments) => Result {
    const stores = [...all].map((one) => [one, one.getStore()] as const);
    return (...args) => {
      for (const [one, store] of stores) one.#store = store;
      return run(...args);
    };
  }

  getStore(): Store | undefined {
    return this.#store;
  }

  run<Result>(store: Store, run: () => Result): Result {
    this.#store = store;
    return run();
  }
}
