// What an orchestration learns of a failed activity: the texts that the Durable extension makes of what a Node function throws.
import { inWords, messageOf, stackOf } from "../../thrown.ts";

export interface Failure {
  readonly reason: string;
  readonly details: string;
}

/** What .NET calls the general failure of a managed program (COR_E_EXCEPTION). */
const HRESULT = -2146233088;
const NET_STACK = "   at the local Functions host";

export function activityFailure(name: string, cause: unknown): Failure {
  // The extension takes the message out of a text of the worker's, with the blank that stands before it.
  const message = ` ${messageOf(cause)}`;
  return { reason: `Activity function '${name}' failed: ${message}`, details: exceptionText(cause, message) };
}

/** The exception as .NET writes it, with the worker's own inside. */
function exceptionText(cause: unknown, message: string): string {
  const remoteMessage = messageOf(cause);
  const stack = traceOf(cause);
  const inner = {
    $type: "Microsoft.Azure.WebJobs.Script.Workers.Rpc.RpcException, Microsoft.Azure.WebJobs.Script",
    IsUserException: false,
    RemoteStackTrace: stack,
    RemoteMessage: remoteMessage,
    RemoteTypeName: null,
    Message: `Result: Failure\nException: ${remoteMessage}\nStack: ${stack}`,
    Data: { $type: "System.Collections.ListDictionaryInternal, System.Private.CoreLib" },
    InnerException: null,
    HelpLink: null,
    Source: "System.Private.CoreLib",
    HResult: HRESULT,
    StackTrace: NET_STACK,
  };
  return JSON.stringify({
    $type: "System.Exception, System.Private.CoreLib",
    ClassName: "System.Exception",
    Message: message,
    Data: null,
    InnerException: inner,
    HelpURL: null,
    StackTraceString: null,
    RemoteStackTraceString: null,
    RemoteStackIndex: 0,
    ExceptionMethod: null,
    HResult: HRESULT,
    Source: null,
    WatsonBuckets: null,
  });
}

/** What a failed orchestration tells its parent beside its reason. */
export function orchestrationDetails(reason: string): string {
  return `Message: ${reason}, StackTrace: ${NET_STACK}`;
}

function traceOf(cause: unknown): string {
  const stack = stackOf(cause);
  return stack === inWords(cause) ? `Error: ${stack}\n    at the function` : stack;
}
