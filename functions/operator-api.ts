// The operators' API (P9, P11, P13): what has become of the jobs, and what a person may have done about them.
import { app } from "@azure/functions";
import { deskHooks, operatorApi } from "@scheduler-agent-supervisor/operator/functions";
import { application } from "../shared/app.ts";
import { words } from "../shared/words.ts";

for (const [name, options] of operatorApi(application, words)) app.http(name, options);

const { appStart, postInvocation } = deskHooks(application);
app.hook.appStart(appStart);
app.hook.postInvocation(postInvocation);
