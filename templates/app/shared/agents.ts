// All agents of this app: adding one is a file and a line here.
import { accountsAgent } from "./agents/accounts.ts";
import { mailAgent } from "./agents/mail.ts";

export const agents = [accountsAgent, mailAgent] as const;
