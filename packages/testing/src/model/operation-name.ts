// The names of what the model runs.

/** Activities are begun by an orchestration, and again by the engine after a death. */
export type ActivityName = "runStep" | "askAgent" | "pollStep" | "publishEnd";

/** What a message begins: it is delivered again after a death. */
export type HandlerName = "submitJob" | "takeStartAttempt" | "answerRequest" | "takeReply";

export type OperationName = ActivityName | HandlerName | "sweep" | "operateJob";
