// The key of the switches for faults. A page can't send this header without asking first (Fetch standard, CORS-preflight requests).

/** Not a secret: it shows that a program of this machine asks, and no page. */
export const FAULT_KEY = "local";

/** The headers of a request that switches a fault on or off. */
export const FAULT_HEADERS = { authorization: FAULT_KEY, "content-type": "application/json" } as const;
