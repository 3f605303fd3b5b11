/** Sets the chosen theme before the first paint. Kept small and plain: it blocks the page. Key as in components/theme-toggle.tsx. */
const script = `try {
  var theme = localStorage.getItem("tidemark-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch (e) {}
`;

export function GET(): Response {
  return new Response(script, {
    headers: { "Content-Type": "text/javascript; charset=utf-8", "Cache-Control": "public, max-age=3600" },
  });
}
