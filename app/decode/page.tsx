import { DecodeLive } from "./decode-live";

export const metadata = { title: "Decode" };

export default function DecodePage() {
  return <DecodeLive />;
}
