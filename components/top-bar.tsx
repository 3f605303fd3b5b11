"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { decodePath, fleetPath, measurePath, schemaHistoryPath, statusPath } from "@/lib/views/paths";
import { Shortcuts } from "./shortcuts";
import { ThemeToggle } from "./theme-toggle";

const links = [
  { path: fleetPath, name: "Fleet" },
  { path: schemaHistoryPath, name: "Schema history" },
  { path: measurePath, name: "Measure" },
  { path: decodePath, name: "Decode" },
  { path: statusPath, name: "Status" },
];

function isAt(path: string, pathname: string): boolean {
  if (path === fleetPath) return pathname === fleetPath || pathname.startsWith("/clusters/");
  return pathname.startsWith(path);
}

/** The line the water reached, above the sea. */
function Logo() {
  return (
    <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true" className="flex-none text-accent">
      <path d="M2 6.5h16" stroke="currentColor" strokeWidth="2.2" strokeLinecap="round" />
      <path
        d="M2 12.2c2.7-2.2 5.3-2.2 8 0s5.3 2.2 8 0M2 16.4c2.7-2.2 5.3-2.2 8 0s5.3 2.2 8 0"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        opacity=".55"
      />
    </svg>
  );
}

export function TopBar() {
  const pathname = usePathname();
  return (
    <header className="flex h-12 items-center gap-3 border-b border-line bg-surface px-3 md:gap-5 md:px-5">
      <Link
        href={fleetPath}
        className="flex items-center gap-1.5 text-[15px] font-bold tracking-tight text-text hover:no-underline"
      >
        <Logo />
        <span className="max-md:sr-only">Tidemark</span>
      </Link>
      <nav aria-label="Pages" className="print:hidden flex h-full min-w-0 gap-3 overflow-x-auto md:gap-4">
        {links.map(({ path, name }) => {
          const here = isAt(path, pathname);
          return (
            <Link
              key={path}
              href={path}
              aria-current={here ? "page" : undefined}
              className={`flex items-center border-b-2 pt-0.5 whitespace-nowrap hover:no-underline ${
                here ? "border-accent text-text" : "border-transparent text-text-2 hover:text-text"
              }`}
            >
              {name}
            </Link>
          );
        })}
      </nav>
      <span className="print:hidden ml-auto flex flex-none items-center">
        <ThemeToggle />
        <span className="max-md:hidden">
          <Shortcuts />
        </span>
      </span>
    </header>
  );
}
