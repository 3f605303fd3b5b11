import { Missing } from "@/components/missing";

export default function ConnectorNotFound() {
  return (
    <Missing
      title="No such connector"
      sentence="No connector of this name has been seen on this cluster. A new one appears within a poll; a name is written exactly as in Kafka Connect."
    />
  );
}
