import { expect, test } from "vitest";
import { firstLine, titleOrFirstLine } from "./plain-text";

test.each([
  ["<html><head><title>502 Bad\n Gateway</title></head><body><script>alert(1)</script>", "502 Bad Gateway"],
  ["<!doctype html><!-- x --><script>alert(1)</script><h1>Sorry &amp; bye</h1><p>more", "Sorry & bye"],
  ["<title></title><style>p{}</style>\n\nfirst\nsecond", "first"],
  ["upstream connect error\nmore", "upstream connect error"],
  ["<script>alert(1)", ""],
  ["<img src=x onerror=alert(1)", ""],
  ["", ""],
  ["a\u202Eb\u0000c", "a b c"],
])("%s", (body, text) => {
  expect(titleOrFirstLine(body)).toBe(text);
});

test("at most 200 characters", () => {
  expect(titleOrFirstLine("x".repeat(500))).toHaveLength(200);
  expect(firstLine(`\n${"x".repeat(500)}\ny`)).toHaveLength(200);
});
