// Each trouble of store, bus and storage, and of what came over the bus: named at home and in the terminal, and never green.
import { BlobServiceClient } from "@azure/storage-blob";
import { LEASE_BLOB, LEASE_CONTAINER } from "@scheduler-agent-supervisor/core/scheduling";
import { expect } from "vitest";
import { MINUTE_MS, NOT_KNOWN } from "./named.ts";
import { isProcessed, namedOneByOne } from "./troubles.ts";

namedOneByOne([
  {
    name: "Cosmos DB is down",
    home: NOT_KNOWN,
    terminal: /Held up: not known\./,
    async begin({ app }) {
      await app.to.cosmos.behave({ kind: "down" });
      return () => app.to.cosmos.behave({ kind: "none" });
    },
  },
  {
    name: "the bus is down",
    home: /The queue jobs could not be read|Waiting messages: not known/,
    terminal: /The queue jobs could not be read|Waiting messages: not known/,
    async begin({ app }) {
      await app.to.bus.behave({ kind: "down" });
      return () => app.to.bus.behave({ kind: "none" });
    },
  },
  {
    name: "the storage account is down, while the store and the bus answer",
    home: /No answer, or one that is too old: .*Supervision/,
    terminal: /Supervision: not known\./,
    async begin({ app }) {
      await app.to.storage.behave({ kind: "down" });
      return () => app.to.storage.behave({ kind: "none" });
    },
  },
  {
    name: "somebody has taken the supervisors' lease by hand",
    home: /No supervisor is active: somebody holds the lease of its blob leader without an end/,
    terminal: /No supervisor is active: somebody holds the lease of its blob leader without an end/,
    async begin({ app }) {
      const storage = BlobServiceClient.fromConnectionString(app.stack.addresses.azurite?.connectionString ?? "");
      const lease = storage.getContainerClient(LEASE_CONTAINER).getBlobClient(LEASE_BLOB).getBlobLeaseClient();
      const taken = async () => {
        await lease.breakLease(0);
        // A supervisor may be faster.
        return lease.acquireLease(-1).then(
          () => true,
          () => false,
        );
      };
      await expect.poll(taken, { interval: 10 }).toBe(true);
      return () => lease.breakLease(0);
    },
  },
  {
    name: "messages are in quarantine",
    home: /currency: must be an ISO 4217 code/,
    terminal: /quarantine: 2 messages with "currency: must be/,
    async begin({ app, terminal }) {
      await app.submit(["odd-1", "odd-2"], { currency: "euro" });
      return async () => {
        const causes = await terminal("dead-letter-causes", "quarantine");
        const [, cause = ""] = /^([0-9a-f]{16})\t/m.exec(causes) ?? [];
        const given = ["--cause", cause, "--count", "2", "--set", "currency=EUR", "--reason", "the client's fault"];
        await terminal("resend", "quarantine", ...given);
        for (const id of ["odd-1", "odd-2"]) await app.eventually(id, isProcessed, MINUTE_MS);
      };
    },
  },
]);
