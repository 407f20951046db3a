// Public entry `operator/openapi`: the description of the operator API, for its documentation.
export { openApi } from "./openapi/document.ts";
export { OPERATIONS } from "./openapi/operations.ts";
