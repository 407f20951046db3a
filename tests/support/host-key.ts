// What a host like Azure's asks of its callers: a key, here the one for every function and for the host's own paths. A usual local host ignores it.
import { MASTER_KEY } from "@scheduler-agent-supervisor/local";

export const WITH_KEY = { "x-functions-key": MASTER_KEY } as const;
