// By which of its own names people know a job: what the console finds jobs by, beside their ids.

/**
 * What people know a job by beside its id, as an invoice number: by name. Each says nothing of a person to who has not the client's books. An e-mail
 * address is none of them, and neither is its hash: there are so few addresses that one can try them all.
 */
export type BusinessKeys = { readonly [name: string]: string };
