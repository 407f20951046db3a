// Where Durable Functions keeps its orchestrations, as host.json names it: the platform reads it there, and not in settings, to scale the app.

/** The values of the choice DURABLE_BACKEND. */
export const DURABLE_BACKENDS = ["azureStorage", "durableTaskScheduler"] as const;
export type DurableBackend = (typeof DURABLE_BACKENDS)[number];

interface HostJson {
  readonly extensions: { readonly durableTask: { readonly storageProvider?: object } };
}

/** An empty choice is none: Azure Storage. @throws for any other value. */
export function durableBackend(choice: string | undefined): DurableBackend {
  const found = DURABLE_BACKENDS.find((backend) => backend === (choice || "azureStorage"));
  if (!found) throw new Error(`DURABLE_BACKEND is ${choice}: it can be ${DURABLE_BACKENDS.join(" or ")}.`);
  return found;
}

/** The project's host.json is for Azure Storage, on which it runs locally. */
export function hostJsonFor(backend: DurableBackend, text: string): string {
  if (backend === "azureStorage") return text;
  const host = JSON.parse(text) as HostJson;
  const storageProvider = { type: "azureManaged", connectionStringName: "DURABLE_TASK_SCHEDULER_CONNECTION_STRING" };
  const durableTask = { ...host.extensions.durableTask, storageProvider };
  return `${JSON.stringify({ ...host, extensions: { ...host.extensions, durableTask } }, null, 2)}\n`;
}
