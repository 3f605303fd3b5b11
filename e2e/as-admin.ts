import type { Admin } from "kafkajs";
import type { Lab } from "@/lab/lab";

/** With a client of its own: kafkajs's do not get over a topic that they knew and that is gone. */
export async function asAdmin<T>(lab: Lab, work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = lab.kafka().admin();
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}
