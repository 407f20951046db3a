// node:timers/promises for the simulator. A world puts its own `setTimeout` in the place of this one.

const channel = new MessageChannel();
const waiting: (() => void)[] = [];
channel.port1.onmessage = () => waiting.shift()?.();

/** A turn of the event loop: what waits for promises alone has gone on before. */
export function setImmediate(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    channel.port2.postMessage(null);
  });
}

const promises = {
  setTimeout: (ms = 0, value?: unknown): Promise<unknown> =>
    new Promise((resolve) => {
      globalThis.setTimeout(() => resolve(value), ms);
    }),
};

export const setTimeout: typeof promises.setTimeout = (...args) => promises.setTimeout(...args);

// biome-ignore lint/style/noDefaultExport: as Node has it.
export default promises;
