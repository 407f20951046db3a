// durable-functions for the simulator: what the scheduler itself uses. The client, the triggers and what they need stay out of the page.
export { RetryOptions } from "durable-functions/lib/src/RetryOptions.js";
