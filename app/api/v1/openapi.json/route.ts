import { openApiDocument } from "@/lib/views/openapi";

export function GET(): Response {
  return Response.json(openApiDocument());
}
