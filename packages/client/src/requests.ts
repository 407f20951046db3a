// Public entry `client/requests`: the messages to an app, for whoever sends them without the client. It loads no SDK.
export { contentDigest } from "./content-digest.ts";
export { cancellationOf, submissionOf } from "./job-requests.ts";
