import Link from "next/link";
import { fleetPath } from "@/lib/views/paths";

/** A page that is not there, and the way back. */
export function Missing({ title, sentence }: { title: string; sentence: string }) {
  return (
    <div className="rounded-card border border-line bg-surface p-4 shadow-card">
      <h1 className="text-xl font-bold tracking-tight">{title}</h1>
      <p className="mt-1 max-w-[78ch] text-text-2">{sentence}</p>
      <p className="mt-3">
        <Link href={fleetPath}>Go to the fleet</Link>
      </p>
    </div>
  );
}
