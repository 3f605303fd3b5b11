import { Missing } from "@/components/missing";

export const metadata = { title: "Not found" };

export default function NotFound() {
  return <Missing title="No such page" sentence="There is nothing at this address." />;
}
