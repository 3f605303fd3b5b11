import { expect, test } from "vitest";
import { masked } from "./masked";
import { settingsSchema } from "./settings";

test("no password is left, everything else stays", () => {
  const settings = settingsSchema.parse({
    databaseUrl: "postgresql://tidemark:SECRET1@db:5432/tidemark?sslmode=require&sslpassword=SECRET2",
    clusters: [
      {
        name: "a",
        connect: { urls: ["https://c:8083"], basicAuth: { username: "u1", password: "SECRET3" } },
        kafka: { brokers: ["k:9092"], sasl: { mechanism: "plain", username: "u2", password: "SECRET4" } },
        schemaRegistry: { url: "http://r:8081", basicAuth: { username: "u3", password: "SECRET5" } },
      },
      { name: "b", connect: { urls: ["http://c:8083"] } },
    ],
  });
  const text = JSON.stringify(masked(settings));
  expect(text).not.toContain("SECRET");
  for (const kept of ["u1", "u2", "u3", "tidemark:***@db:5432/tidemark", "sslmode=require", "https://c:8083"])
    expect(text).toContain(kept);
  expect(masked(settings).clusters[1]).toEqual(settings.clusters[1]);
  expect(JSON.stringify(settings)).toContain("SECRET1");
});
