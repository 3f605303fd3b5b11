import type { Metadata, Viewport } from "next";
import { headers } from "next/headers";
import { TopBar } from "@/components/top-bar";
import "./globals.css";
import { Providers } from "./providers";

export const metadata: Metadata = {
  title: { default: "Tidemark", template: "%s · Tidemark" },
  description: "Delivery health of Debezium change data capture.",
  robots: { index: false, follow: false },
};

export const viewport: Viewport = { width: "device-width", initialScale: 1 };

export default async function RootLayout({ children }: { children: React.ReactNode }) {
  const nonce = (await headers()).get("x-nonce") ?? undefined;
  return (
    // The script sets data-theme before React looks.
    <html lang="en" suppressHydrationWarning>
      <head>
        {/* Browsers hide a nonce from scripts, so React sees another one than the server wrote. */}
        <script src="/theme.js" nonce={nonce} suppressHydrationWarning />
      </head>
      <body>
        <a
          href="#main"
          className="absolute top-1 left-1 z-10 -translate-y-16 rounded-card bg-accent px-3 py-1.5 font-semibold text-on-accent focus:translate-y-0"
        >
          Skip to content
        </a>
        <Providers>
          <TopBar />
          <main id="main" tabIndex={-1} className="mx-auto max-w-[1240px] p-3 outline-none md:p-5">
            {children}
          </main>
        </Providers>
      </body>
    </html>
  );
}
