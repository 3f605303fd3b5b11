// npm run demo: installs, builds, and starts the lab and the dashboard over it, until Ctrl-C.
import { build, installPackages, needNode } from "./install.mjs";

needNode();
installPackages();
build();
process.argv.splice(2, Number.POSITIVE_INFINITY, "demo");
await import("./lab.mjs");
