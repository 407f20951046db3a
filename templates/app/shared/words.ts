// What people read in place of job: the console says registration. Documents, messages and the API say job.
export const words = { one: "registration", many: "registrations" };
