// What the app reports of itself, in a blob beside the supervisors' lease: to look at it costs the store nothing, and it is there if the store refuses.
import { type ContainerClient, RestError } from "@azure/storage-blob";
import { NOTHING_REPORTED, type Reported } from "../domain/reported.ts";

export interface ReportStore {
  /** Throws if the storage does not answer, or others change it all the time. */
  change(apply: (before: Reported) => Reported): Promise<void>;
  /** Throws if the storage does not answer. */
  read(): Promise<Reported>;
}

const BLOB = "reports";
const TRIES = 5;

/** @param container created if absent */
export function createReportStore(container: ContainerClient): ReportStore {
  const blob = container.getBlockBlobClient(BLOB);

  async function found(): Promise<{ readonly reported: Reported; readonly etag: string | undefined }> {
    try {
      const { readableStreamBody, etag } = await blob.download();
      const chunks: Buffer[] = [];
      for await (const chunk of readableStreamBody ?? []) chunks.push(Buffer.from(chunk));
      // A version of the app before this wrote less.
      return { reported: { ...NOTHING_REPORTED, ...(JSON.parse(Buffer.concat(chunks).toString()) as Reported) }, etag };
    } catch (cause) {
      if (isStatus(cause, 404)) return { reported: NOTHING_REPORTED, etag: undefined };
      throw cause;
    }
  }

  async function put({ reported, etag }: { readonly reported: Reported; readonly etag: string | undefined }) {
    const text = JSON.stringify(reported);
    const conditions = etag === undefined ? { ifNoneMatch: "*" } : { ifMatch: etag };
    await blob.upload(text, Buffer.byteLength(text), { conditions });
  }

  return {
    async change(apply) {
      for (let tries = 1; ; tries += 1) {
        const { reported, etag } = await found();
        try {
          await put({ reported: apply(reported), etag });
          return;
        } catch (cause) {
          if (tries === TRIES) throw cause;
          if (isStatus(cause, 404)) await container.createIfNotExists();
          // Another process has written in between.
          else if (!isStatus(cause, 409) && !isStatus(cause, 412)) throw cause;
        }
      }
    },
    read: async () => (await found()).reported,
  };
}

const isStatus = (cause: unknown, status: number): boolean => cause instanceof RestError && cause.statusCode === status;
