// What people read in place of job: the console and the commands say order. Documents, messages and the API say job.
export const words = { one: "order", many: "orders" };
