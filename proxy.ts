import { type NextRequest, NextResponse } from "next/server";

/** React's development build evaluates code; the production build does not. */
const development = process.env.NODE_ENV === "development";

/**
 * Scripts run only with this response's nonce. Styles may be inline: React and the virtual list write style attributes.
 * Nothing is loaded from, sent to, or framed by another origin.
 */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'${development ? " 'unsafe-eval'" : ""}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

const headers = {
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
};

/**
 * Pages are served to this machine only, until there is access control. A name that merely resolves to it (DNS rebinding)
 * would let any web page that is open in a browser read them, and so would a form sent from one.
 */
function refusal(request: NextRequest): string | null {
  const host = request.headers.get("host") ?? "";
  const name = host.replace(/:\d+$/, "").toLowerCase();
  if (!/^(localhost|[a-z0-9-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(name))
    return "Tidemark answers to localhost only: open it at the address that it prints.";
  const origin = request.headers.get("origin");
  if (
    origin !== null &&
    request.method !== "GET" &&
    origin !== `http://${host}` &&
    origin !== `https://${host}`
  )
    return "This request was sent by another web page.";
  return null;
}

/** Whether the path can be decoded. Next answers one that cannot with 500 and no JSON. */
function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function refuse(status: number, kind: string, sentence: string, remedy: string | null): NextResponse {
  return NextResponse.json({ error: { kind, sentence, remedy } }, { status, headers });
}

/** Security headers on every answer; a fresh nonce for the scripts of each page. */
export function proxy(request: NextRequest): NextResponse {
  const refused = refusal(request);
  if (refused !== null) return refuse(403, "forbidden", refused, null);
  if (!isDecodable(request.nextUrl.pathname))
    return refuse(
      400,
      "bad-request",
      "The path is not valid percent-encoding of UTF-8.",
      "See /api/v1/openapi.json.",
    );
  const nonce = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))));
  const policy = contentSecurityPolicy(nonce);
  const forwarded = new Headers(request.headers);
  forwarded.set("x-nonce", nonce);
  forwarded.set("Content-Security-Policy", policy);
  const response = NextResponse.next({ request: { headers: forwarded } });
  response.headers.set("Content-Security-Policy", policy);
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}
