// People's own names for a job: the console finds jobs by them, besides their ids.

/**
 * Other numbers by which people find a job, such as an invoice number, by name. They must not be personal data. An e-mail
 * address is not allowed; neither is its hash, because all addresses can be tried.
 */
export type BusinessKeys = { readonly [name: string]: string };
