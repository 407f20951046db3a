// What a host like Azure's asks of its callers: a key. A usual local host ignores it.
import { FUNCTION_KEY, MASTER_KEY } from "@scheduler-agent-supervisor/local/host/http/function-keys";

/** For every function, and for the host's own paths. */
export const WITH_KEY = { "x-functions-key": MASTER_KEY } as const;

/** For `npm run orders`. */
export const KEY_OPTION = ["--key", FUNCTION_KEY] as const;
