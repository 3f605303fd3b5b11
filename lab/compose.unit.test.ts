import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { inContainers } from "./compose";
import { versionOf } from "./downloads";
import { CHECKOUT } from "./places";

interface Compose {
  services: Record<string, { image: string; ports?: string[]; configs?: { source: string }[] }>;
  configs: Record<string, { content: string }>;
}

const compose = parse(readFileSync(join(CHECKOUT, "lab", "compose.yaml"), "utf8")) as Compose;

describe("compose.yaml", () => {
  test("images have a name and a tag, ports are on loopback", () => {
    for (const { image, ports = [] } of Object.values(compose.services)) {
      expect(image).toMatch(/^[a-z0-9/-]+:[\w.-]+$/);
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
    }
    expect(compose.services.kafka?.image).toBe(`apache/kafka:${versionOf("kafka.version")}`);
  });

  test("what it carries is what the lab would write", () => {
    const expected = inContainers();
    expect(Object.keys(compose.configs).sort()).toEqual(Object.keys(expected).sort());
    for (const [name, text] of Object.entries(expected)) {
      // Compose takes "$$" for "$".
      expect(compose.configs[name]?.content.replaceAll("$$", "$").trim(), name).toBe(text.trim());
    }
    const used = Object.values(compose.services).flatMap((service) => service.configs ?? []);
    expect(used.map(({ source }) => source).sort()).toEqual(Object.keys(expected).sort());
  });
});
