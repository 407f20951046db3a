// What a client of the local broker connects with.
import { KEY, KEY_NAME } from "./links/claims.ts";

/** In emulator mode the SDK connects without TLS, to the given port. */
export function connectionString(port: number): string {
  return `Endpoint=sb://127.0.0.1:${port};SharedAccessKeyName=${KEY_NAME};SharedAccessKey=${KEY};UseDevelopmentEmulator=true;`;
}
