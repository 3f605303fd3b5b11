"use client";

import { Monitor, Moon, Sun } from "lucide-react";
import { useSyncExternalStore } from "react";

const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];

/** Also read by the script at /theme.js, which sets the theme before the first paint. */
const storageKey = "tidemark-theme";

const icons = { system: Monitor, light: Sun, dark: Moon };
const listeners = new Set<() => void>();

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}

function currentTheme(): Theme {
  const set = document.documentElement.dataset.theme;
  return set === "light" || set === "dark" ? set : "system";
}

function choose(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    if (theme === "system") localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, theme);
  } catch {
    // Storage can be forbidden: the choice then lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

/** Steps through system, light and dark. */
export function ThemeToggle() {
  const theme = useSyncExternalStore(subscribe, currentTheme, () => "system" as const);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
  const Icon = icons[theme];
  return (
    <button
      type="button"
      className="rounded-card p-1.5 text-text-2 hover:bg-sunken"
      aria-label={`Theme: ${theme}. Change to ${next}`}
      title={`Theme: ${theme}`}
      onClick={() => choose(next)}
    >
      <Icon size={16} aria-hidden="true" />
    </button>
  );
}
